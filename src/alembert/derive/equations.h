#pragma once

// The one system behind every model (the references, section 0), derived from its energies and constraints:
//     y' = v(t,y,z)      d/dt p(t,y,z) = f(t,y,z) + N(t,y,z,psi) + r(t,y,z,lambda)
//     0 = g(t,y)         0 = g_t + g_y v                            (holonomic, both levels)
//     0 = k(t,y,z)                                                  (nonholonomic)
// Parameters have been replaced by their values, save those that stay open: kernels read them from a table, in the
// order of Equations::parameters.

#include <memory>
#include <string>
#include <vector>

#include "alembert/equations.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/model.h"

namespace alembert::internal {

/// The reaction of a joint on a body, at the point of the joint: functions of t, y, z, lambda, psi.
struct JointReaction {
  std::string name, kind, body, other;
  Exprs force, moment;                    // in the world; in the plane the moment is one number
  Exprs force_in_joint, moment_in_joint;  // along the axes of the joint
};

/// A number that is given when what was compiled is used.
struct OpenParameter {
  std::string name;
  double value = 0;  // where nobody gives another
};

/// A variable among the y that the others determine, c(t, y) = 0; see Model::auxiliary.
struct AuxiliaryEquation {
  Expr equation;      // c, smooth along its branch: of an angle a with sine S and cosine C it is S cos a - C sin a
  Expr value;         // in t and the other y, where there is a closed form
  Expr sine, cosine;  // where value is atan2(sine, cosine): it goes on through any number of turns
  Place place;
};

/// A contact of the model: functions of t, y and, slip alone, z.
struct ContactFunctions {
  struct Friction {
    Expr coefficient, at_rest;
    Exprs slip;
  };
  Expr gap, restitution;
  std::vector<Friction> friction;
};

struct PortEquations;  // derive/ports/port_equations.h

struct Equations {
  std::shared_ptr<Graph> graph;
  Form form = Form::lagrangian;

  std::vector<OpenParameter> parameters;  // in the order of the table
  Exprs model_parameters;                 // all of the model's, as numbers or in the open ones
  Exprs parameter_values;                 // of Model::parameter_symbols: constants, or functions of the open ones
  Exprs y_start, z_start;                 // initial values as given, in the open parameters
  Exprs prescribed;                       // values of Model::prescribed, in t, y, z
  Exprs prescribed_start;                 // as given at the start; 0 where nothing is
  Exprs zero_tests;                       // of open parameters, or constants: what the shape of the model rests on

  Expr t;
  Exprs y, z, lambda, psi;  // symbols
  int first_order = 0;      // of the y, before the auxiliary ones: states x' = v(t, y, z) without a z
  // The last of the y, those with a value last. Their v follows from c = 0, so that derivatives along the motion are
  // total ones; f, r and N are reactions on the others through them.
  std::vector<AuxiliaryEquation> auxiliary;
  Exprs v, p, f, N, r;  // as above
  Exprs g, g_dot, k;    // g_dot = g_t + g_y v
  Expr energy;          // empty where the model has none (general form)
  Expr L;               // in the Lagrangian form
  Exprs applied;        // forces that neither the energy nor ideal reactions account for; may hold multipliers
  Expr rayleigh;        // the dissipation function; empty where there is none
  Exprs forces;         // that the user wrote, one per row of p; may hold multipliers
  std::vector<ContactFunctions> contacts;  // as Model::contacts
  Exprs friction_powers;                   // as Model::friction_powers
  Exprs invariants;
  Exprs observed;  // of Model::observed; may contain multipliers
  Exprs tables;    // arguments of tables, as Model::tables; may contain multipliers
  Exprs actions;   // values of all Event::actions, one event behind the other, those of contacts last; with multipliers
  Exprs events;    // one per entry of Model::events; may contain multipliers
  Expr density;    // of steps; empty where the model says none

  // The index-reduced system for z' and the multipliers at one (t, y, z), linear in them for ideal reactions:
  //     p_t + p_y v + p_z z' = f + N + r ;  d/dt g_dot = 0 ;  d/dt k = 0
  Exprs z_dot;     // symbols
  Exprs inertial;  // p_z z'
  Exprs reduced;   // = 0; unknowns z_dot, lambda, psi

  std::shared_ptr<const PortEquations> port;  // the rest of a port-Hamiltonian system; empty in all other forms

  std::vector<std::string> y_names, z_names;    // "x1", "x1'" ; "q[2]"
  std::vector<std::string> g_names, k_names;    // of the constraints
  std::vector<int> g_constraint, k_constraint;  // their numbers in Model::constraints
  std::vector<int> psi_constraint;              // the numbers of those that the psi belong to
  std::vector<std::string> psi_names;           // of their constraints; of an algebraic state its own
  double least_y = 0, least_z = 0;              // sizes that y and z have at least, where all of them may be 0
  bool constant_mass = false;                   // p is z times a constant matrix
  std::vector<JointReaction> joints;
  bool open_chains = false;  // bodies that joints connect to trees, with no other constraints: they never lose rank
  bool ideal = true;         // N = -k_z^T psi and r = -g_q^T lambda (or the user wrote the same)
};

/// Whether the rates of the coordinates, auxiliary ones left out, depend on them.
bool rates_depend_on_y(const Equations& e);
/// The derivative in time of functions of (t, y, z) along the motion with these z'; of functions of (t, y) where z_dot
/// is empty.
Exprs along_motion(const Equations& e, const Exprs& functions, const Exprs& z_dot);
/// The c of all auxiliary variables.
Exprs auxiliary_equations(const Equations& e);
/// J^T w of functions of (t, y) in the coordinates that are not auxiliary, with the total derivative; zeros behind them
/// for the auxiliary ones.
Exprs total_transposed_product(const Equations& e, const Exprs& functions, const Exprs& weights);

/// The rates of all y with those of first-order states held at 0: of these nothing moves.
Exprs mechanical_rates(const Equations& e);

/// Throws InputError for names that cannot stay open. Those of `settled` have their places in the table and are folded
/// all the same: whoever runs the equations holds them at the model's values.
Equations derive(const Model& model, const DeriveOptions& options = {}, const std::vector<std::string>& settled = {});

/// p_t + p_y v: what is not acceleration in d/dt p.
Exprs inertia(const Equations& e);
/// dE/dt where the equations of motion hold: E_t + E_y v + v^T (f + N + r - p_t - p_y v). Contains the multipliers:
/// with ideal reactions they do no work where the constraints hold. The model has an energy.
Expr power(const Equations& e);

/// The arguments at which the system's functions are taken.
struct Point {
  Expr t;
  Exprs y, z;
};
/// The functions of the system at other arguments; the result lives in the graph of the arguments.
Exprs at(const Equations& e, const Exprs& function, const Point& x);
Exprs at(const Equations& e, const Exprs& function, const Point& x, const Exprs& lambda, const Exprs& psi);

}  // namespace alembert::internal
