#pragma once

// One substep of a step: its equations, solved from a predicted guess, and what is done where that is not enough.
// Private to newton/.

#include <array>
#include <memory>
#include <vector>

#include "alembert/newton/homotopy.h"
#include "alembert/newton/newton.h"
#include "alembert/newton/predictor.h"
#include "alembert/newton/stage_curve.h"
#include "alembert/newton/step_part.h"
#include "alembert/newton/usual_step.h"

namespace alembert::internal {

/// What a substep remembers from step to step.
template <class T>
struct Substep {
  int part;
  T share;
  std::shared_ptr<Newton<T>> newton;  // shared where it is the same for several
  int first;                          // of the unknowns that are predicted, the others follow from them
  Predictor<T> predictor;             // of these
  int distrusted = 0;                 // steps in a row whose multipliers were not learnt

  /// From the solution u; `predicted` is what was expected. The multipliers of a singular position, at the end of a
  /// step or at its start, say nothing about those behind it: what was predicted for them is learnt instead.
  void learn(const StepPart<T>& of, bool singular, T* u, T* predicted) noexcept;
};

/// Where substeps are solved, one after the other. Allocates only in fit().
template <class T>
struct SubstepRoom {
  std::vector<T> x;                            // t0, h, state, unknowns of the last substep
  std::vector<T> guess_values;                 // z', lambda, psi that the method's own guess is made from
  std::array<const SolvedStep<T>*, 2> near{};  // that the next guess is made from, where there are any
  const SolvedStep<T>* same = nullptr;         // whose unknowns are the next guess
  bool brief = false;                          // steps that Newton does not find soon, or not without doubt, fail
  std::vector<T> predicted;                    // unknowns; only the multipliers are kept
  std::vector<T> work;
  // Memory that says nothing between two substeps:
  std::vector<T> guess_inputs;
  std::vector<T> found, latest;                 // unknowns
  std::vector<T> change_found, change, marked;  // of the state
  Homotopy<T> homotopy{0};

  /// For these parts of a state of that size; `extra` values of x and of work beside.
  void fit(const std::vector<StepPart<T>>& parts, std::size_t states, std::size_t extra_x, std::size_t extra_work);
};

/// The equations of a part at t, h, state, solved in a room.
template <class T>
class SubstepSolve {
 public:
  SubstepSolve(const StepPart<T>& part, SubstepRoom<T>& room, T t, T h, const T* state)
      : part_(part), room_(room), t_(t), h_(h), state_(state), unknowns_(room.x.data() + part.inputs()) {}

  /// Fills x with t, h, state and the method's own guess.
  void initial_guess() noexcept { initial_guess(h_); }
  /// Solves in the usual way, where there is one, else by Newton; from the last solution and from short steps where
  /// that fails, or where it may have found another branch. series: of the unknowns, where guesses come from stages.
  NewtonResult solve(Substep<T>& sub, UsualStep* usual, const std::vector<StageSeries>& series, bool singular) noexcept;
  /// Whether the usual way went through, so that it has what follows from the solution.
  bool usually() const { return usually_; }

 private:
  void initial_guess(T h) noexcept;
  void guess(Substep<T>& sub, const std::vector<StageSeries>& series) noexcept;
  void guess_all(Substep<T>& sub, const std::vector<StageSeries>& series) noexcept;
  void take_last(Substep<T>& sub) noexcept;
  bool solve_usual(UsualStep* usual, NewtonResult& result) noexcept;
  NewtonResult solve_in_doubt(Substep<T>& sub, const std::vector<StageSeries>& series, NewtonResult result) noexcept;
  NewtonResult follow(Substep<T>& sub) noexcept;
  void mark() noexcept;
  double apart(const std::vector<T>& other) noexcept;

  const StepPart<T>& part_;
  SubstepRoom<T>& room_;
  T t_, h_;
  const T* state_;
  T* unknowns_;
  bool usually_ = false;
};

}  // namespace alembert::internal
