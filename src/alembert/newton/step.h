#pragma once

// A step as equations, and the same compiled. A method gives the first; everything numerical is here.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/newton/newton.h"

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
  Exprs next;     // the new state; written state[i] + increment, so that increments can be summed with compensation
  Exprs hints;    // symbols for z', lambda, psi at t0, used by guess only
  int rates = 0;  // how many of the hints (and of the starters) are z'
  // Where Newton starts at the first step: one per unknown, in t0, h, state, hints, and the starters, which solve
  // starter_equations (empty for most methods).
  Exprs guess;
  Exprs starters, starter_equations;
  Exprs internal;  // what the method computes on the way (stage multipliers), in state and unknowns
  std::vector<std::string> internal_names;
  // Values that a method carries from step to step beside the state (multipliers of its own): symbols, where they start
  // (in the hints), and what they become (in state, unknowns and themselves). The equations do not contain them.
  Exprs carried, carried_start, carried_next;
  std::vector<std::string> carried_names;
  // The change of energy that the method foretells: the work of all that does some. May be empty.
  Expr energy_change;
  Expr dissipated, supplied;  // energy_change = supplied - dissipated, where the method tells them apart; both or none
  Exprs discrete;             // = 0: constraints in the form in which the method keeps them, where that is its own
  std::shared_ptr<const StageStructure> stages;  // for the two-matrix iteration, where it applies
};

/// The part of next that is added to the state: exact where next is written state + increment.
Expr increment(Expr next, Expr state);

/// The equations of the starters: inputs t0, h, state, hints. The rates among them decide when they are solved.
ImplicitEquations starter_system(const StepEquations& step);

/// A method's whole step: substeps in a row, each with its share of h. A plain method has one part with share 1.
struct StepPlan {
  struct Substep {
    int part = 0;
    Quad share = 1;
  };
  std::vector<StepEquations> parts;
  std::vector<Substep> sequence;
};

struct StepResult {
  NewtonResult newton;  // of the last substep that was tried
  int substep = 0;
};

/// A compiled step. advance() neither allocates nor throws.
template <class T>
class Step {
 public:
  /// typical: t0, h, state and hints near which the steps will be made (the initial values).
  Step(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& hints,
       NewtonOptions options = {});
  ~Step();
  Step(Step&&) noexcept;
  Step& operator=(Step&&) noexcept;

  /// The same step with a history of its own; the compiled code is shared.
  Step clone() const;

  /// Forgets the history: the next step starts from the method's own guess with these hints. To be called where h
  /// jumps; steps that change smoothly from one to the next are predicted as equal ones are. What is carried stays.
  void restart(const T* hints) noexcept;
  /// The next step alone starts from the method's own guess with these hints; factorisations are kept.
  void guess_from(const T* hints) noexcept;
  /// One step of size h from t0. state is replaced only when all went well; rest (same size, zeros at first) carries
  /// what rounding cut off, so that errors do not add up.
  StepResult advance(T t0, T h, T* state, T* rest) noexcept;
  /// The last step once more, from the same state, where it ended at a singular position of the constraints.
  StepResult again_singular(T t0, T h, T* state, T* rest) noexcept;
  /// What the method carries beside the state; the next step goes on from it. Empty for most.
  const std::vector<T>& carried() const noexcept;
  void carry_on(const std::vector<T>& values) noexcept;  // as many as carried(), or none: then it stays
  /// The internal values of the last substep (stage multipliers), then what is carried.
  const std::vector<T>& internal();
  std::vector<std::string> internal_names() const;
  /// The change of energy over the last step as the method foretells it; nothing where it does not, or always says 0.
  std::optional<T> energy_change() const noexcept;
  /// Its parts over the last step: dissipated and supplied energy; nothing where they are not told apart.
  std::optional<std::pair<T, T>> energy_parts() const noexcept;
  /// Of the last step: the largest of the discrete constraints.
  T discrete() const;
  bool has_discrete() const;
  const std::string& label(const StepResult& result) const;  // of the worst equation; "" when unknown
  NewtonStatistics statistics() const;

 private:
  struct Body;
  explicit Step(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
