#pragma once

// A method is the equations of its step, what it takes and what it claims to preserve. One file of this folder a
// family; the list of all families is made by CMake from the files. What several families share stands in shared/.
// No other file knows a method's name: whoever needs one asks by capability or claim.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/newton/step_equations.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

/// What a method says of itself; the conformance suite measures every entry from both sides.
struct Claims {
  int order_q = 0;
  int order_v = 0;
  int order_multiplier = 0;          // of the reported multiplier
  bool symplectic = false;           // holonomic, ideal, conservative models
  bool symmetric = false;            // the step with -h undoes it
  bool energy = false;               // exactly, where nothing does work; else the balance of power
  bool position = true;              // g = 0 at every grid point
  bool velocity = true;              // g_t + g_y v = 0 at every grid point
  bool nonholonomic = true;          // k = 0 at every grid point; false: it holds elsewhere or not at all
  bool nonlinear_multiplier = true;  // the orders hold also where the reaction is nonlinear in the multiplier
  bool near_identity = true;  // the step tends to none as h does, across the constraints too: compositions need that
  std::string note;           // what a user must know ("negative control: violates k")

  /// The same order in q, v and the multiplier.
  void set_orders(int order) { order_q = order_v = order_multiplier = order; }
};

/// The classes of models that a method takes; refusal() compares them with a model.
struct Capabilities {
  bool mechanical = true;          // coordinates with velocities or momenta: every form but the port-Hamiltonian
  bool port_hamiltonian = false;   // E x' = (J - R) z + (B - P) u
  bool holonomic = true;           // constraints g(t, y) = 0
  bool nonholonomic = true;        // constraints k(t, y, z) = 0
  bool velocity_reactions = true;  // reactions of g that depend on velocities, r(t, y, z, lambda)
  bool varying_mass = true;        // false: only L = v^T M v/2 - U(t, q) with constant M
  bool without_energy = true;      // the general form, which has no energy
  bool massless = false;           // coordinates without mass
  bool contact_points = false;     // auxiliary variables without a closed form
  bool inclusions = false;         // contacts are among the equations of its step: time stepping
  /// Bodies lighter than this share of what damping moves in a step lose their velocity: 1 where no force at the end of
  /// a step enters its momenta (the last column of the coefficients is zero), a rounding effect for other methods.
  double light_mass = 1e-6;
};

/// What holds for two methods one after the other: the least order, what both preserve, what both take.
Claims intersection(const Claims& a, const Claims& b);
Capabilities intersection(const Capabilities& a, const Capabilities& b);

/// Momenta of translations and rotations that a method preserves exactly on a model.
struct Momenta {
  struct Preserved {
    std::string name;  // "angular momentum about z"
    Expr value;        // in the symbols of the equations
  };
  std::vector<Preserved> preserved;
  std::vector<std::string> lost;     // of all points together, and not preserved
  std::vector<std::string> through;  // the expressions of degree two that the terms of higher degree are made of
};

struct InitialValues;
struct SparkCoefficients;

/// A method with its arguments bound: lobatto(3).
struct Method {
  std::string name;
  int stages = 0;  // 0 where the word has no meaning
  Claims claims;
  Capabilities capabilities;
  /// Why this model is outside the method's class, where no capability says so; "" when it is inside. Empty for most.
  /// Asked only for models that the capabilities admit.
  std::function<std::string(const Equations&)> refuses;
  /// What a user must know of this method on this model; "" when there is nothing. Empty for most.
  std::function<std::string(const Equations&)> remark;
  std::function<StepPlan(const Equations&)> step;  // see step_plan()
  /// The momenta that are preserved on a model; empty where the method promises none.
  std::function<Momenta(const Equations&, const InitialValues&)> momenta;
  /// The coefficients as text, for `alembert methods NAME --stages S`; empty where there are none.
  std::function<std::string()> tableau;
  /// Why it does not take port-Hamiltonian systems, and what to do; "" for the usual reason.
  std::string port_reason;
  /// What follows for coordinates without mass, where the method does not take them.
  std::string massless_reason = "so the momenta do not determine the velocities at the end of a step";
  /// Of a SPARK method, for what is known of its coefficients; null for others, and for compositions.
  std::shared_ptr<const SparkCoefficients> spark;
};

/// Another name under which people look for a member of a family.
struct Alias {
  std::string name;                    // "rattle"
  std::vector<std::string> arguments;  // {"2"}: it stands for this member; empty: for the family with any arguments
};

struct MethodFamily {
  std::string name = {};       // "lobatto"
  std::string signature = {};  // "lobatto(s)"
  std::string summary = {};    // one line
  std::string source = {};     // where it comes from
  std::string orders = {};     // "2s-2" for the table
  int least_stages = 0;        // of a family whose first argument is the number of stages; else 0
  int usual_stages = 0;        // where no number is given
  std::vector<Alias> aliases = {};
  std::vector<Term> example = {};  // arguments for tables, where there are no defaults: symmetric(true_euler)
  /// Members that the conformance suite measures, as a user writes them. Empty: the example, or the least three numbers
  /// of stages.
  std::vector<std::string> samples = {};
  bool composer = false;  // makes methods from methods
  /// Binds arguments, given as the user wrote them; throws InputError when they make no sense.
  std::function<Method(const std::vector<Term>& arguments)> make = {};
};

/// All families, in the order of their names (generated).
std::vector<MethodFamily> all_families();
/// The members of a family that stand for it in tests.
std::vector<Method> sample_methods(const MethodFamily& family);

/// The method that a term names: lobatto(3), lobatto (its default), rattle (an alias), suzuki(symmetric(true_euler)).
/// stages replaces the argument s where given. Throws InputError with the nearest name.
Method find_method(const Term& term, std::optional<int> stages = {});
Method find_method(const std::string& name, const std::vector<double>& arguments);
/// The same from text: "lobatto(3)".
Method find_method(const std::string& text);
/// The family that a name or an alias belongs to, and the alias; null where there is none.
struct FoundFamily {
  std::optional<MethodFamily> family;
  std::optional<Alias> alias;
};
FoundFamily find_family(const std::string& name);
/// "lobatto(2)": what an alias of a family stands for.
std::string meaning(const MethodFamily& family, const Alias& alias);

/// The method of study/ for reference solutions: of order 2s with s stages, symmetric, symplectic, and on all
/// constraints. Nothing where no such method takes the model.
std::optional<Method> reference_method(const Equations& equations, int stages);

/// "a, b and c": the families whose members have a capability, compositions left out, the default method first.
std::string families_that_take(bool Capabilities::*capability);

/// A method's step on a model. Whoever makes steps asks here: auxiliary variables that have a closed form are part of
/// the state, and methods do not see them.
StepPlan step_plan(const Method& method, const Equations& equations);
/// The momenta that it preserves; none where it promises none.
Momenta momenta_of(const Method& method, const Equations& equations, const InitialValues& initial);
/// The system as methods see it.
Equations seen_by_methods(const Equations& equations);

/// Why a method does not take a model; "" when it does. All commands ask here.
std::string refusal(const Method& method, const Equations& equations);
/// What refusal() says of every method that does not take port-Hamiltonian systems.
std::string port_refusal();
/// Throws InputError where a method does not take a model; shows the coordinate where its mass is missing.
void require_taken(const Method& method, const Model& model, const Equations& equations);

/// A matrix of coefficients under its heading, for `alembert methods NAME`.
std::string table_text(const std::string& heading, const std::vector<std::vector<Quad>>& rows);

/// For families: complains of any argument.
void no_arguments(const std::string& family, const std::vector<Term>& arguments);
/// For families: the whole-number argument s, from the least to 30; the usual one when there is none.
int stages_argument(const MethodFamily& family, const std::vector<Term>& arguments);

}  // namespace alembert::internal
