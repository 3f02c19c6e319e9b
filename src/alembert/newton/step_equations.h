#pragma once

// A step as equations: what a method gives. Pure expressions; everything numerical is made from them in step.h.

#include <memory>
#include <string>
#include <vector>

#include "alembert/newton/implicit_equations.h"
#include "alembert/newton/stage_curve.h"

namespace alembert::internal {

/// The equations of one step from the state at t0 to the state at t0 + h, all in one graph.
struct StepEquations {
  std::shared_ptr<Graph> graph;
  Expr t0, h;                       // symbols
  Exprs state;                      // symbols: y0, then z0
  Exprs unknowns;                   // symbols
  Exprs equations;                  // = 0, as many as unknowns
  std::vector<std::string> labels;  // of the equations: "constraint rod1 at stage 2"
  /// Equations that ask for a function of the new time and state to vanish: constraints at the end of the step.
  struct EndCondition {
    int equation;
    Expr function;  // in the symbols of the model
  };
  std::vector<EndCondition> end_conditions;
  std::vector<UnknownGroup> groups;  // scales of the unknowns, in t0, h and state
  Exprs next;  // the new state; written state[i] + increment, so that increments can be summed with compensation

  // The initial guess of Newton's method at the first step: one expression per unknown, in t0, h, state, guess_inputs
  // and guess_unknowns.
  Exprs guess;
  Exprs guess_inputs;                     // symbols for z', lambda, psi at t0
  Exprs guess_unknowns, guess_equations;  // a system that is solved for the guess beforehand; empty for most methods
  int rates = 0;                          // how many of guess_inputs, and of guess_unknowns, are z'

  Exprs internal;  // what the method computes on the way (stage multipliers), in state and unknowns
  std::vector<std::string> internal_names;
  // Values that a method carries from step to step beside the state (multipliers of its own): symbols, where they start
  // (in guess_inputs), and what they become (in state, unknowns and themselves). The equations do not contain them.
  Exprs carried, carried_start, carried_next;
  std::vector<std::string> carried_names;
  // The change of energy that the method predicts: the work of all that does some. May be empty.
  Expr energy_change;
  Expr dissipated, supplied;  // energy_change = supplied - dissipated, where the method tells them apart; both or none
  // What does work in the step, as work_powers() lists it, by the quadrature of the method itself; empty where that
  // cannot be told.
  Exprs work;
  Exprs discrete;  // = 0: constraints in the form in which the method preserves them, where that is its own
  std::shared_ptr<const StageStructure> stages;  // for the two-matrix iteration, where it applies
  std::shared_ptr<const FewerEquations> fewer;   // without redundant constraints, where there are some
  std::vector<StageSeries> series;               // all unknowns, where stages lie on the motion; else none
  std::shared_ptr<const Inclusions> inclusions;  // where unilateral laws are among the equations
  Exprs contacts;                                // what contacts did in the step; see ContactValues
};

/// What a step says of a contact, one contact behind the other in the list: the impulse, what it took of the energy,
/// what a moving surface supplied, the rate of the gap when it began; then the entries of the tangential impulse.
struct ContactValues {
  // Places in the list.
  static constexpr int impulse = 0, lost = 1, supplied = 2, approach = 3, tangential = 4;
};

/// A method's whole step: substeps in a row, each with its share of h. A plain method has one part with share 1.
struct StepPlan {
  struct Substep {
    int part = 0;
    Quad share = 1;
  };
  std::vector<StepEquations> parts;
  std::vector<Substep> sequence;
};

/// The part of next that is added to the state: exact where next is written state + increment.
Expr increment(Expr next, Expr state);

Exprs increments_of(const StepEquations& step);
/// What is known of the energy: its change, dissipated and supplied; then the discrete constraints; what there is.
Exprs balance_of(const StepEquations& step);

/// The step's own equations: inputs t0, h, state.
ImplicitEquations step_system(const StepEquations& step);
/// The equations of the initial guess: inputs t0, h, state, guess_inputs. The rates among the unknowns decide when they
/// are solved.
ImplicitEquations guess_system(const StepEquations& step);

}  // namespace alembert::internal
