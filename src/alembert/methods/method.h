#pragma once

// A method is the equations of its step, and what it claims to keep. One file of this folder a family; the list of all
// families is made by CMake from the files (those that start with _ are shared parts, not families).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/newton/step_equations.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

/// What a method says of itself; the conformance tests measure every entry from both sides.
struct Claims {
  int order_q = 0, order_v = 0, order_multiplier = 0;  // of the reported multiplier
  bool symplectic = false;                             // holonomic, ideal, conservative models
  bool symmetric = false;                              // the step with -h undoes it
  bool energy = false;                                 // exactly, where nothing does work; else the balance of power
  bool position = true;                                // g = 0 at every grid point
  bool velocity = true;                                // g_t + g_y v = 0 at every grid point
  bool nonholonomic = true;                            // k = 0 at every grid point; false: kept elsewhere or not at all
  bool near_identity = true;  // the step tends to none as h does, across the constraints too: compositions need that
  std::string note;           // what a user must know ("negative control: violates k")
};

/// Momenta of translations and rotations that a method keeps exactly on a model.
struct Momenta {
  struct Kept {
    std::string name;  // "angular momentum about z"
    Expr value;        // in the symbols of the equations
  };
  std::vector<Kept> kept;
  std::vector<std::string> lost;     // of all points together, and not kept
  std::vector<std::string> through;  // the expressions of degree two that the terms of higher degree are made of
};

struct InitialValues;
struct SparkCoefficients;

/// A method with its arguments bound: lobatto(3).
struct Method {
  std::string name;
  int stages = 0;  // 0 where the word has no meaning
  Claims claims;
  bool massless = false;  // takes coordinates without mass
  bool ports = false;     // takes port-Hamiltonian systems
  /// Why this model is outside the method's class; "" when it is inside.
  std::function<std::string(const Equations&)> refuses;
  /// What a user must know of this method on this model; "" when there is nothing. Empty for most.
  std::function<std::string(const Equations&)> remark;
  std::function<StepPlan(const Equations&)> step;
  /// The momenta that are kept on a model; empty where the method promises none.
  std::function<Momenta(const Equations&, const InitialValues&)> momenta;
  /// The coefficients as text, for `alembert methods NAME --stages S`; empty where there are none.
  std::function<std::string()> tableau;
  /// Of a SPARK method, for what is known of its coefficients; null for others.
  std::shared_ptr<const SparkCoefficients> spark;
};

struct MethodFamily {
  std::string name;       // "lobatto"
  std::string signature;  // "lobatto(s)"
  std::string summary;    // one line
  std::string source;     // where it comes from
  std::string orders;     // "2s-2" for the table
  /// Binds arguments, given as the user wrote them; throws InputError when they make no sense.
  std::function<Method(const std::vector<Term>& arguments)> make;
  std::vector<Term> example;  // arguments for tables and tests, where there are no defaults: symmetric(true_euler)
};

/// All families, in the order of their names (generated).
std::vector<MethodFamily> all_families();

/// The method that a term names: lobatto(3), lobatto (its default), suzuki(symmetric(true_euler)).
/// stages replaces the argument s where given. Throws InputError with the nearest name.
Method find_method(const Term& term, std::optional<int> stages = {});
Method find_method(const std::string& name, const std::vector<double>& arguments);

/// What the methods say that do not take port-Hamiltonian systems.
inline constexpr const char* port_refusal =
    "does not know the port-Hamiltonian form; gauss_collocation, radau_collocation, lobatto_c, murua, "
    "discrete_gradient and their "
    "compositions do";

/// Why a method does not take a model: the method's own reason, or coordinates without mass; "" when it does.
std::string refusal(const Method& method, const Equations& equations);

/// A matrix of coefficients under its heading, for `alembert methods NAME`.
std::string table_text(const std::string& heading, const std::vector<std::vector<Quad>>& rows);

/// For families: complains of any argument.
void no_arguments(const std::string& family, const std::vector<Term>& arguments);
/// For families: the whole-number argument s >= least, default `normal` when there is none.
int stages_argument(const std::string& family, const std::vector<Term>& arguments, int least, int normal);

}  // namespace alembert::internal
