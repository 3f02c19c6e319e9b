#pragma once

// A step, compiled: the equations of a method (step_equations.h), solved by Newton from a predicted guess.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/newton/newton.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

struct StepResult {
  NewtonResult newton;  // of the last substep that was tried
  int substep = 0;
};

/// A compiled step. advance() neither allocates nor throws, but for what Newton says. Not shared between threads: each
/// brings its own clone. Instantiated for double and Quad.
template <class T>
class Step {
 public:
  /// t0, h, state and guess_values (z', lambda, psi) near which the steps will be made: the initial values. Parameters
  /// have their usual values until bind().
  Step(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& guess_values,
       NewtonOptions options = {});
  ~Step();
  Step(Step&&) noexcept;
  Step& operator=(Step&&) noexcept;

  /// The same step with a history of its own, empty at first; the compiled code is shared.
  Step clone() const;

  /// From now on parameters are read from this table (see Kernel), also by clones made later. begin() or restart()
  /// where its values jump.
  void bind(const T* parameters) noexcept;

  /// Another motion begins: the history is forgotten, and what is carried starts from guess_values.
  void begin(const T* guess_values) noexcept;
  /// Forgets the history: the next step starts from the method's own guess with these values. To be called where h
  /// jumps; steps that change smoothly from one to the next are predicted as equal ones are. What is carried stays.
  void restart(const T* guess_values) noexcept;
  /// The next step alone starts from the method's own guess with these values; factorisations are kept.
  void guess_from(const T* guess_values) noexcept;
  /// Whether steps can be guessed from others by the curve of their stages (stage_curve.h).
  bool has_stages() const { return !series().empty(); }
  const std::vector<StageSeries>& series() const;  // of its unknowns; none where it has no stages
  /// The last step that went well, which ended in `to`.
  void solved(const T* to, SolvedStep<T>& step) const;
  /// As guess_from(), but the next step starts from what these steps, one or two (then one behind the other), say. They
  /// last until it is made.
  void guess_from(const T* guess_values, const SolvedStep<T>* first, const SolvedStep<T>* second = nullptr) noexcept;
  /// The same without values for the method's own guess, which stay those of before: for steps that are brief.
  void guess_near(const SolvedStep<T>* first, const SolvedStep<T>* second = nullptr) noexcept;
  /// The next step alone starts from the unknowns of one beside it, of the same size from nearly the same state.
  /// Factorisations are kept.
  void guess_as(const SolvedStep<T>& other) noexcept;
  /// From now on steps fail that Newton does not find soon and without doubt from its guess, or no longer so: for those
  /// who can make shorter ones.
  void be_brief(bool brief) noexcept;
  /// From now on a correction of this size is the last one where a kept matrix is used; 0: to rounding.
  void be_rough(double enough) noexcept;
  /// One step of size h from t0. state is replaced only when all went well; compensation (same size, zeros at first)
  /// carries what rounding cut off, so that errors do not add up.
  StepResult advance(T t0, T h, T* state, T* compensation) noexcept;
  /// The last step once more, from the same state, where it ended at a singular position of the constraints.
  StepResult again_singular(T t0, T h, T* state, T* compensation) noexcept;

  /// For each substep what its equations are solved from at the start of a motion: t0, its part of h, the state, and
  /// the method's own guess of the unknowns.
  std::vector<std::vector<T>> first_points(T t0, T h, const T* state);

  /// What the method carries beside the state; the next step goes on from it. Empty for most.
  const std::vector<T>& carried() const noexcept;
  void carry_on(const std::vector<T>& values) noexcept;  // as many as carried(), or none: then it stays
  /// The internal values of the last substep (stage multipliers), then what is carried.
  const std::vector<T>& internal();
  std::vector<std::string> internal_names() const;
  /// The change of energy over the last step as the method predicts it; nothing where it does not, or always says 0.
  std::optional<T> energy_change() const noexcept;
  /// Its parts over the last step: dissipated and supplied energy; nothing where they are not told apart.
  std::optional<std::pair<T, T>> energy_parts() const noexcept;
  /// What did work in the last step, as StepEquations::work; empty where the method does not tell.
  const std::vector<T>& work() const noexcept;
  /// What contacts did in the last step, as StepEquations::contacts; empty where none are among the equations.
  const std::vector<T>& contacts() const noexcept;
  /// Of the last step: the largest of the discrete constraints.
  T discrete() const;
  bool has_discrete() const;
  const std::string& label(const StepResult& result) const;  // of the worst equation; "" when unknown
  NewtonStatistics statistics() const;
  int unknowns() const;  // of all substeps together
  int substeps() const;
  /// Whether substeps begin before the step or end behind it, as those of compositions with long steps back.
  bool leaves_its_ends() const;

  /// All that the next step uses of the ones before, and what can be asked of the last one. Loaded into a Step that was
  /// compiled from the same plan with the same values and options, in any process, it goes on with the same bits.
  /// State, compensation and parameters are the caller's. InputError where the bytes are not those of such a step; it
  /// must not be advanced then before begin().
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Body;
  explicit Step(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
