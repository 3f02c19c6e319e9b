#pragma once

// Models: read from text, or built from expressions.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/expr.h"

namespace alembert {

namespace internal {
struct Model;
struct Inside;
}  // namespace internal

/// A named thing made of consecutive entries of a list of numbers: scalar {}, vector {3}, family of vectors {N, 3}.
struct Quantity {
  std::string name;
  std::vector<int> shape;
  int first = 0;     // of its entries in the list
  std::string unit;  // as written; "" where there is none
  int size() const;
};

/// A parameter with the values that the run had.
struct Parameter {
  std::string name;
  std::vector<int> shape;      // as of a Quantity
  std::vector<double> values;  // row after row
  std::string unit;            // as written; "" where there is none
};

/// A file that a model was read from, beside its own text: a component, a table, what an input follows.
struct FileText {
  std::string path;  // as it was opened
  std::string text;
};

/// A model that was read and checked. A small value: copies share it.
class Model {
 public:
  const std::string& title() const;
  const std::string& text() const;            // as it was read or built
  std::vector<Parameter> parameters() const;  // with their values
  std::vector<std::string> states() const;    // the single entries of y, then z: "x1", "q[2]", "x1'"
  std::vector<std::string> constraints() const;
  // What its `solve` statement says, where it says it.
  std::optional<std::string> method() const;
  std::optional<double> step() const;
  std::optional<double> end() const;

 private:
  friend struct internal::Inside;
  explicit Model(std::shared_ptr<const internal::Model> model) : held_(std::move(model)) {}
  std::shared_ptr<const internal::Model> held_;
};

/// Reads a model file. overrides replace parameters and initial values: "m1=2", "y1'=10". Throws InputError with every
/// error found, in text and overrides.
Model read_model(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same for a text that is at hand; `name` stands in messages, and other files are looked for beside the file that
/// it names.
Model read_model_text(const std::string& text, const std::vector<std::string>& overrides = {},
                      const std::string& name = "model");

struct ReadOptions {
  std::vector<std::string> overrides = {};  // as above
  std::vector<std::string> observed = {};   // expressions to observe beside what the model does, each named by its text
  std::vector<std::string> inputs = {};     // "F=wind.csv": an input follows a table of its time
};
Model read_model_text(const std::string& text, const std::string& name, const ReadOptions& options);

/// Puts a model together from expressions. Every name is an identifier of the model language; expressions belong to
/// graph(). model() checks everything, as if the text had been read, and throws InputError with all that is wrong.
///
///     ModelBuilder b("Pendulum");
///     const Expr m = b.parameter("m", 1), l = b.parameter("l", 2);
///     const Expr x = b.coordinate("x", l), y = b.coordinate("y");
///     b.kinetic(m / 2 * (pow(b.rate(x), 2) + pow(b.rate(y), 2)));
///     b.potential(m * 9.81 * y);
///     b.constraint("rod", x * x + y * y - l * l);
///     const Model pendulum = b.model();
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string title);
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  Graph& graph();
  Expr time();  // t
  Expr number(double value);

  // Declarations; each gives the symbol that expressions are made of.
  Expr parameter(const std::string& name, double value);
  Expr parameter(const std::string& name, Expr value);   // of other parameters
  Expr coordinate(const std::string& name);              // starts at 0 where nothing else is said
  Expr coordinate(const std::string& name, Expr start);  // of parameters and of what was given before
  Expr coordinate(const std::string& name, double start);
  Expr rate(Expr coordinate);                               // x'
  Expr momentum(const std::string& name, Expr coordinate);  // Hamiltonian form

  // What the model says; several of the same kind are added up.
  void kinetic(Expr energy);
  void potential(Expr energy);
  void lagrangian(Expr L);
  void hamiltonian(Expr H);
  void rayleigh(Expr dissipation);
  void force(Expr coordinate, Expr force);
  void constraint(const std::string& name, Expr zero);  // holonomic, or nonholonomic where it contains rates
  void invariant(const std::string& name, Expr value);  // watched
  void observe(const std::string& name, Expr value);    // recorded
  void event(const std::string& name, Expr zero);
  void stop(Expr zero);
  void initial(Expr coordinate_or_rate, Expr value);
  void initial(Expr coordinate_or_rate, double value);
  void pin(Expr coordinate_or_rate);
  void solve(const std::string& method, double step, double end);
  /// Any statement of the model language: bodies, joints, families.
  void statement(const std::string& text);

  /// The model as text, one statement a line.
  std::string text() const;
  Model model() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace alembert
