#pragma once

// One figure or table of a paper: how it is made, what is expected of it, and what came out.

#include <functional>
#include <string>
#include <vector>

#include "alembert/plot/plot.h"
#include "alembert/run/simulate.h"

namespace alembert::internal::reproduce {

/// A number that was measured, and the range that is allowed for it.
struct Check {
  std::string name;
  double value = NAN, low = -INFINITY, high = INFINITY;
  double expected = NAN;  // where there is one inside the range
  bool passed() const { return low <= value && value <= high; }
};
Check near(std::string name, double value, double expected, double relative);
Check within(std::string name, double value, double low, double high);
Check at_most(std::string name, double value, double high);
/// A slope in a logarithmic plot.
Check order(std::string name, double value, double expected, double tolerance = 0.1);
/// "6.6359e-03 (6.6358e-03 to 6.6360e-03)", "at most 1e-13".
std::string expectation(const Check& check);

struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// What an entry gives. Figures and data are kept as the text of their files.
struct Findings {
  struct File {
    std::string name;  // "" for the first, then what distinguishes it
    std::string text;
  };
  std::vector<Check> checks;
  std::vector<File> figures, data;  // SVG, CSV
  std::vector<Table> tables;
  std::vector<std::string> notes;  // what one sees
  std::string failure;             // why there is nothing; "" when all went well
  double seconds = 0;

  void show(const Figure& figure, std::string name = "");
  /// Columns of equal length.
  void keep(const std::vector<std::string>& head, const std::vector<std::vector<double>>& columns,
            std::string name = "");
  /// The curves of a figure as data: panel, curve, x, y.
  void keep(const Figure& figure, std::string name = "");
  bool passed() const;
};

/// A run that an entry needs could not be made.
class RunFailed : public std::exception {
 public:
  explicit RunFailed(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

/// What entries are made with. Everything numerical that they do goes through it, so that whoever calls can put another
/// method or other values in the place of the usual ones.
struct Workbench {
  bool quick = false;                                     // shorter runs, the same checks
  std::function<Method(const std::string&)> find_method;  // "lobatto(3)"
  std::vector<std::string> overrides;                     // "m1=2", for every model

  /// A model of the gallery.
  Model model(const std::string& name, const std::vector<std::string>& changes = {}) const;
  /// A whole run; throws RunFailed where it does not reach its end.
  Report run(const Model& model, const std::string& method, const SimulateOptions& options) const;
  Report run(const Model& model, const std::string& method, double step, double end,
             const std::vector<Observer*>& observers = {}, long every = 1, NewtonOptions newton = {}) const;
  /// Calls f(0) .. f(count - 1) on all cores; what they throw is thrown here.
  void parallel(int count, const std::function<void(int)>& f) const;
};

struct Entry {
  std::string id;                     // "003/8.1": paper and figure
  std::string title;                  // "Fig. 8.1: ..."
  std::string says;                   // what the paper says
  std::string remark;                 // its misprint, and what is done instead; "" where there is none
  std::vector<std::string> models;    // of the gallery, as the entry uses them
  std::vector<std::string> commands;  // that do the same by hand
  std::function<Findings(const Workbench&)> make;
  double cost = 1;     // seconds, roughly: the dearest are begun first
  bool alone = false;  // measures times: nothing else runs beside it
};

struct Paper {
  std::string id, title, authors;
  std::vector<Entry> entries;
};

/// All papers with all their entries.
std::vector<Paper> papers();
std::vector<Entry> paper_000();
std::vector<Entry> paper_001();
std::vector<Entry> paper_002();
std::vector<Entry> paper_003();
std::vector<Entry> paper_004();

/// The text of a model of the gallery; throws InputError where there is none of that name.
std::string gallery_text(const std::string& name);
/// The models of the gallery, by the alphabet.
std::vector<std::string> gallery_names();

}  // namespace alembert::internal::reproduce
