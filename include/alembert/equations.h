#pragma once

// The equations of motion of a model:
//     y' = v(t,y,z)      d/dt p(t,y,z) = f(t,y,z) + N(t,y,z,psi) + r(t,y,z,lambda)
//     0 = g(t,y)         0 = g_t + g_y v                            (holonomic, both levels)
//     0 = k(t,y,z)                                                  (nonholonomic)

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "alembert/model.h"

namespace alembert {

namespace internal {
struct Equations;
}

/// all: everything that is derived. The others: one system of differential-algebraic equations, with the holonomic
/// constraints differentiated twice, once, or as they are together with their first derivative (Gear, Gupta,
/// Leimkuhler).
enum class ShownForm { all, index1, index2, ggl };

struct ShowOptions {
  ShownForm form = ShownForm::all;
  bool latex = false;         // a document with an align* environment a section, instead of text
  std::size_t rows = 60;      // equations shown of one section; how many are left out is said
  std::size_t length = 2000;  // characters of one right side; a longer one is replaced by its number of operations
};

/// Derived once; a small value: copies share it.
class Equations {
 public:
  const Model& model() const { return model_; }
  /// What stays open, entry by entry, in the order of Stepper::parameters().
  std::vector<std::string> inputs() const;
  /// As `alembert derive` prints them.
  std::string text() const;
  std::string latex() const;
  std::string show(const ShowOptions& options) const;
  /// The expressions that a letter of the theory stands for: the symbols "t", "y", "z", "lambda", "psi", "z_dot", the
  /// functions "v", "p", "f", "N", "r", "g", "g_dot", "k", "energy", "L", "invariants", "observed", and the
  /// index-reduced system "reduced" = 0 in z_dot, lambda, psi. None where the model has nothing of the kind; throws
  /// InputError for other letters. They live as long as the equations.
  Exprs expressions(const std::string& letter) const;

 private:
  friend struct internal::Inside;
  Equations(Model model, std::shared_ptr<const internal::Equations> equations)
      : model_(std::move(model)), held_(std::move(equations)) {}
  Model model_;
  std::shared_ptr<const internal::Equations> held_;
};

struct DeriveOptions {
  /// What varies: parameters and inputs that stay open, to be given when the step is used ("m2", "m[2]", "F"); a vector
  /// stands for all its entries. Initial values may be named too, but are always open. Everything else is folded into
  /// the equations.
  std::vector<std::string> inputs = {};
  /// All parameters by their names, to show the equations; nothing can be compiled then.
  bool symbolic_parameters = false;
};

/// Throws InputError for names that cannot stay open: unknown ones, and parameters that decide sizes or ranges.
Equations derive(const Model& model, const DeriveOptions& options = {});

}  // namespace alembert
