#pragma once

// Models that were read and steps that were compiled, kept for the next request: while somebody drags a slider, the
// text stays and one number changes.

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/methods/choose.h"
#include "alembert/run/simulate.h"

namespace alembert::internal::studio {

/// A text, and where it stands: other files are looked for beside it.
struct Script {
  std::string text, path;
  bool operator==(const Script&) const = default;
};

/// What is asked of a run. What is 0 or empty comes from the model.
struct RunWish {
  Script script;
  std::map<std::string, double> values;  // parameters and initial values that differ from the text's
  std::string method;                    // "auto": chosen for the model
  double step = 0, end = 0;
  Control control = Control::fixed;
  double tolerance = 0;
};

/// How a run was made ready.
struct Prepared {
  const Model* model = nullptr;
  const Equations* equations = nullptr;
  const Method* method = nullptr;
  std::string choice;  // why this method, where nobody named one
  SimulateOptions options;
};

class Bench {
 public:
  /// The model of a text with the text's own values. Throws InputError.
  const Model& model(const Script& script);
  const Equations& equations(const Script& script);

  /// The model with the values, step and end of a wish in place of its own, for studies. Throws InputError.
  static Model changed(const RunWish& wish);

  /// Options as the wish and the model say. Throws InputError where neither gives a step or an end.
  static SimulateOptions options(const RunWish& wish, const Model& model);
  /// The method that is wished for, or that of the model, or the usual one.
  static MethodChoice method(const RunWish& wish, const Model& model, const Equations& equations,
                             const SimulateOptions& options);

  /// Runs it, with code that was compiled before where there is some. Throws InputError.
  Report run(const RunWish& wish, SimulateOptions options);
  /// The columns that such a run has; for a run that just went before.
  static Columns columns(const Model& model, const Equations& equations);

 private:
  struct Compiled;
  struct Read;
  Read& read(const Script& script);
  Compiled& compiled(const RunWish& wish, const SimulateOptions& options);

  std::list<std::unique_ptr<Read>> read_;          // the last used first
  std::list<std::unique_ptr<Compiled>> compiled_;  // the last used first

 public:
  Bench();
  ~Bench();
};

}  // namespace alembert::internal::studio
