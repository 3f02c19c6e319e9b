#pragma once

// From the tree of a model text to a Model, statement by statement. Inside model/ only.

#include <functional>
#include <unordered_map>

#include "alembert/model/bodies/expand.h"
#include "alembert/model/drawing.h"
#include "alembert/model/ports/component.h"
#include "alembert/model/scope/scope.h"

namespace alembert::internal {

struct Elaboration {
  Scope& scope;
  Model& model;
  const Text& text;
  bool complete = true;    // false: some lines could not be read, so nothing is said about what is missing
  bool component = false;  // it is part of another model, which gives values to its inputs
  ComponentFiles* files = nullptr;
  std::vector<Assignment> inner;                    // for components
  std::deque<Component> components;                 // as they were read
  std::deque<Assignment> given;                     // from outside, by the names that they have here
  std::unordered_map<std::uint32_t, Expr> started;  // initial values as expressions of parameters, by symbol

  /// What has a unit, or should: sums in it are checked.
  struct Sized {
    Place place;
    Expr value;
    bool energy = false;
    /// That it has the unit of `other`, that of its rate, that of a force on it or of its momentum; that of a power.
    enum class Fit { none, same, rate, force, momentum, power } fit = Fit::none;
    Expr other = {};
  };
  std::vector<Sized> sized = {};

  /// The items of all statements with this keyword.
  void each(const char* keyword, const std::function<void(const Statement&, const Item&)>& visit) const;
  void each(const char* keyword, const std::function<void(const Statement&)>& visit) const;
  bool has(const char* keyword) const;
  /// Where to speak of the model as a whole.
  Place head() const;
};

/// Those without a closed form first, as they stand in Model::q.
std::vector<const Declaration*> auxiliaries(Scope& scope);

/// The first-order states beside mechanics, as they stand in Model::q.
std::vector<const Declaration*> first_order(const Elaboration& e);

/// "[2][1]": what tells a member of a family from the others.
std::string brackets(const std::vector<long>& indices);

/// r[i] of what was declared as r[i][3]: one member of a family.
Term declared_member(Scope& scope, const Declaration& d);

/// An energy: the sum of all statements of one keyword; empty where there is none.
Expr read_energy(Elaboration& e, const char* keyword, const char* what);

// In this order; each reports its errors and leaves what can be used.
void choose_form(Elaboration& e);
void declare_names(Elaboration& e);
/// deg and rpm are units in every model: one may write out what they are, and not make them something else.
void check_reserved(Elaboration& e);
void declare_tables(Elaboration& e);   // their values are read at the first use
void make_components(Elaboration& e);  // reads them and declares their names
void make_symbols(Elaboration& e);
void make_inputs(Elaboration& e);      // of all forms but the port-Hamiltonian
void make_rates(Elaboration& e);       // general form: roles of the variables, v, p, f, r; first-order states
void make_kinematics(Elaboration& e);  // multibody form: q' = Z v, M v
void make_port(Elaboration& e);        // port-Hamiltonian form: the matrices, H, inputs and outputs
/// The system of the model itself and those of its components, connected.
void join_ports(Elaboration& e, PortSystem& system);
void make_constraints(Elaboration& e);
void make_contacts(Elaboration& e);
void make_energies(Elaboration& e);  // also forces and rayleigh
void make_invariants(Elaboration& e);
void make_observed(Elaboration& e);
void make_events(Elaboration& e);                                 // also the density of steps
void check_elements(Elaboration& e, const Expansion& expansion);  // masses, inertias, axes, lengths
/// How many components the words of elements have; what follows from a wrong one is not said.
void check_shapes(Elaboration& e, const Expansion& expansion);
/// Names for the reactions of joints, NAME.force and NAME.moment, which have values once the constraints are made.
void declare_reactions(Elaboration& e, const Expansion& expansion);
void make_joints(Elaboration& e, const Expansion& expansion);
/// What draw statements say; all errors in them are found here.
void check_drawing(Elaboration& e, const Expansion& expansion, Drawing& drawing);
/// The rest of what there is to see. New expressions, so only where a page is made.
void make_drawing(Elaboration& e, const Expansion& expansion, Drawing& drawing);
void check_port(Elaboration& e);  // its structure, near the initial values
/// Whether the target of an assignment is a let, such as the rate of a joint.
bool names_let(Scope& scope, const Term& target);
/// The entries of Model::prescribed that it means, one for each component; none where an error was reported.
std::vector<int> prescribe(Elaboration& e, const Term& target);
/// Adds to Model::prescribed the lets that signs and conditions are taken of: they are spoken of by name.
void name_jumps(Elaboration& e);
void make_start(Elaboration& e, const std::vector<const Assignment*>& overrides);
void make_solve(Elaboration& e);

}  // namespace alembert::internal
