#pragma once

// A model: energies, forces and constraints as expressions in one graph, with the names and values the user gave.
// Made from text (read_model); nothing is differentiated here: that is derive/.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/expr.h"
#include "alembert/model.h"
#include "alembert/model/contact.h"
#include "alembert/model/event.h"
#include "alembert/model/prescribed.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

/// How consecutive entries of a flat list make up a named thing: scalar {}, vector {3}, family of vectors {N, 3}.
struct Block {
  std::string name;
  std::vector<int> shape;
  int first = 0;
  int size = 1;
  Place place;
  std::string unit = {};  // as written; "" where none is given
};
/// The name of the entry at `offset` of a block: "x", "q[2]", "r[4][1]".
std::string entry_name(const Block& block, int offset);
/// The names of the flat entries of blocks, each with `suffix`.
std::vector<std::string> flat_names(const std::vector<Block>& blocks, const char* suffix = "");

struct Constraint {
  std::string name;  // "rod1", "rod[3]" for a family, "constraint 2" where the user gave none
  Expr value;        // left - right, = 0
  Expr multiplier;   // a symbol
  std::string multiplier_name, multiplier_unit;  // "" where the user gave none, where it is not known
  bool nonholonomic = false;                     // contains velocities (general form: variables z)
  Place place;
};

/// A variable that is neither integrated nor massless: the other coordinates determine it, c(t, q, s) = 0, and it
/// follows its branch (contact points; the angles of joints).
struct Auxiliary {
  std::string name;
  Expr equation;  // c = left - right, = 0
  Expr value;     // of t and q, where the equation says s = value; else empty
  Expr rate;      // a symbol: s'
  Place place;
};

/// A joint between bodies, or a body and the ground, and what its reactions on `body` are reported by.
struct Joint {
  std::string name, kind, body, other;
  std::vector<int> constraints;    // numbers in Model::constraints
  Exprs force, moment;             // on the body, at the joint, in the world; in the plane the moment is one number
  Exprs position;                  // of the joint, in the world: 2 or 3
  Exprs frame;                     // its axes in the world, one after the other
  int place = 0;                   // of the body's position in q
  int orientation = 0, turns = 0;  // of its angles or quaternion in q, and how many
  Exprs turning;                   // orientation' = turning * omega, row after row (in the plane: 1)
};

/// A use of a table: beyond its ends it holds its last value, which a run says.
struct TableUse {
  std::string table;
  Expr argument;
  Quad first = 0, last = 0;  // its ends
};

/// What solve says; the command line overrides it. Empty or unset where the model says nothing.
struct SolveStatement {
  std::optional<Term> method;  // a name, with arguments where it takes some
  std::optional<double> step, end;
};

/// Which form the user wrote. All become the one system of derive/.
enum class Form { lagrangian, hamiltonian, general, port_hamiltonian };
const char* form_name(Form form);  // "port-Hamiltonian"

struct PortSystem;  // model/ports/port.h

struct Model {
  std::string title, origin;  // model "...", source "..."
  std::shared_ptr<const Source> source;
  std::shared_ptr<Graph> graph;
  Form form = Form::lagrangian;
  // The multibody form is written down as a general one with ideal reactions: q' = coordinate_rate, M v' with M v in
  // `quantity`, and force, potential, rayleigh as in the Lagrangian form; force is then one per z.
  bool multibody = false;

  Expr t;
  std::vector<Block> parameters;  // into the next two
  Exprs parameter_symbols;
  std::vector<Quad> parameter_values;
  Exprs parameter_definitions;        // as expressions of other parameters; constants where they are numbers
  std::vector<bool> shapes_model;     // its value decides sizes or ranges, so that it cannot stay open
  std::vector<bool> checked_on_read;  // its value was checked when the model was read (masses, inertias, lengths)
  Exprs zero_tests;  // expressions of parameters of which the model's shape takes it that they are, or are not, 0

  // Inputs of all forms but the port-Hamiltonian, which has its own: what they are where nobody sets them.
  std::vector<Block> inputs;  // into the next two
  Exprs input_symbols, input_values;

  // The auxiliary variables are the last of q, and have no entry in v, p, force, z0 and the like; nor have the
  // first-order states x' = rate beside mechanics, which stand before them.
  // Lagrangian: q, and velocities q' in `velocities`. Hamiltonian: q, and momenta (block i belongs to coordinates[i]'s
  // entries, in the order of q). General: y in `coordinates`/q, z in `momenta`/z.
  std::vector<Block> coordinates;  // into q (and q')
  std::vector<Block> momenta;      // Hamiltonian: into p; general: into z
  Exprs first_order;               // the rates of the first-order states, functions of t, q, z and inputs
  Exprs q, v, p;                   // symbols; v only in the Lagrangian form, p in the other two

  Expr lagrangian;  // L = T - V in the Lagrangian form
  Expr hamiltonian;
  Expr kinetic, potential;  // where the user wrote them, else empty
  Expr rayleigh;            // empty where there is none
  Exprs force;              // one per coordinate, zero where there is none; may contain multipliers

  // General form: d/dt quantity = rate + reaction, y' = coordinate_rate
  Exprs coordinate_rate;  // v(t,y,z)
  Exprs quantity;         // p(t,y,z); z itself where the user declared none
  Exprs quantity_rate;    // f
  Exprs reaction;         // with multipliers

  // Port-Hamiltonian form: the differential states are `momenta`/p, one block a scalar. Each algebraic state, and each
  // input that an algebraic loop determines, is the multiplier of one of the constraints (whose value is empty).
  std::shared_ptr<const PortSystem> port;

  std::vector<Constraint> constraints;
  std::vector<Contact> contacts;     // in the order of the text
  Exprs friction_powers;             // what the friction of contacts that slide takes; empty where none does
  std::vector<Auxiliary> auxiliary;  // the last of the q: those without a value, then those with one
  std::vector<Joint> joints;
  std::vector<Block> invariants;  // conserve, into invariant_values
  Exprs invariant_values;
  std::vector<Block> observed;  // observe, into observed_values
  Exprs observed_values;        // may contain multipliers, inputs and outputs
  std::string energy_unit;      // "J"; "" where units are not given
  std::vector<TableUse> tables;
  std::vector<Event> events;
  std::vector<Event> contact_events;  // changes of contacts that set something, or stop the run; their values are empty
  Expr density;                       // of steps, up to a factor; empty where the user gave none

  // Initial values (flat, as q and v/p). Entries nobody gave are 0.
  std::vector<Quad> q0, z0;  // z0: velocities, momenta, or z
  Exprs q_start, z_start;    // the same as expressions of parameters
  std::vector<bool> q_given, z_given, q_pinned, z_pinned;
  std::vector<Prescribed> prescribed;
  std::vector<std::optional<Quad>> multiplier0;  // one per constraint: an initial guess, where given

  SolveStatement solve;
  std::vector<std::string> overrides, input_files;  // values and files from outside: "l=2", "F=wind.csv"
  std::vector<std::string> observed_beside;         // expressions from outside
  std::vector<FileText> files;                      // that were read beside the text, each once
};

/// The coordinates that are neither auxiliary nor first-order states.
std::vector<Block> own_coordinates(const Model& model);
/// The first-order states beside mechanics.
std::vector<Block> first_order_states(const Model& model);
/// The blocks that the z belong to: coordinates in the Lagrangian form, else momenta.
std::vector<Block> blocks_of_z(const Model& model);
/// The parameters with their values.
std::vector<Parameter> parameters_of(const Model& model);
/// Values from outside, as a user gives them ("m1=2", "y1'=10"); they replace what the model says.
struct Override {
  std::shared_ptr<const Source> source;  // its text is "NAME=VALUE"
};

/// Reads and checks a whole model; throws InputError with every error found, in text and overrides.
Model read_model(const std::string& path, const std::vector<std::string>& overrides = {},
                 const std::vector<std::string>& observed = {}, const std::vector<std::string>& inputs = {});
/// The same for a text that is at hand already. inputs, as "F=wind.csv", follow a table of their time. `observed` are
/// expressions to observe, each under its own text as name, beside what the model observes.
Model read_model(const std::shared_ptr<const Source>& source, const std::vector<std::string>& overrides = {},
                 const std::vector<std::string>& observed = {}, const std::vector<std::string>& inputs = {});
/// The same model, read once more with these values too.
Model read_again(const Model& model, const std::vector<std::string>& overrides);
/// From a tree that was read without errors.
Model make_model(const Text& text, const std::vector<Override>& overrides = {},
                 const std::vector<std::string>& observed = {}, const std::vector<std::string>& inputs = {});

}  // namespace alembert::internal
