#include "alembert/newton/step.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/base/magnitude.h"
#include "alembert/error.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/homotopy.h"
#include "alembert/newton/increments.h"
#include "alembert/newton/predictor.h"
#include "alembert/newton/stage_curve.h"
#include "alembert/newton/step_part.h"
#include "alembert/newton/usual_step.h"

namespace alembert::internal {

namespace {

// Wild multipliers are distrusted so many times in a row, after which they are the motion.
constexpr int most_distrusted = 4;

// Beside a usual way, the general Newton is called for now and then.
constexpr double rarely = 100;

template <class T>
T largest(const std::vector<int>& places, const T* values) {
  T most = 0;
  for (const int i : places) most = std::max(most, magnitude(values[i]));
  return most;
}

// What is carried goes on from part to part where all parts carry the same.
bool carry_alike(const StepPlan& plan) {
  const auto& names = plan.parts.front().carried_names;
  return std::all_of(plan.parts.begin(), plan.parts.end(),
                     [&](const StepEquations& e) { return e.carried_names == names; });
}

}  // namespace

template <class T>
struct Step<T>::Body {
  struct Substep {
    int part;
    T share;
    std::shared_ptr<Newton<T>> newton;  // shared where it is the same for several
    Predictor<T> predictor;
    int distrusted = 0;  // steps in a row
  };
  std::vector<StepPart<T>> parts;
  std::vector<std::unique_ptr<UsualStep>> usual;  // of the parts; null where there is none
  std::vector<Substep> substeps;
  Kernel<T> carried_start;
  std::vector<std::string> carried_names;
  std::vector<T> guess_values, carried;
  std::vector<T> x;        // of the last substep: t0, h, state, unknowns
  std::size_t learnt = 0;  // substeps that the last step learnt from
  int last = 0;            // the last substep that went well
  T energy_change = 0;     // of the last step
  T dissipated = 0, supplied = 0;
  T discrete = 0;
  bool tells_energy = true, tells_parts = true;  // every part does
  // Memory that says nothing between two steps:
  std::vector<T> guess_inputs, carried_inputs, predicted, added, balance, inside, work;
  std::vector<T> new_state, new_compensation;
  std::vector<T> found, latest, change_found, change, marked;  // in doubt: unknowns, changes of the state
  Homotopy<T> homotopy{0};
  std::vector<StageSeries> series;             // of a step that is one part
  std::array<const SolvedStep<T>*, 2> near{};  // that the next guess is made from
  const UsualStep* finished = nullptr;         // has what follows from the last solution
  bool single_usual = false;                   // a step is one part, with a usual way and nothing carried

  Body(const Body& other);
  Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
       const NewtonOptions& options);
  void make_carried(const StepPlan& plan);
  void make_usual(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const NewtonOptions& options);
  void take_memory();
  void add_substep(const StepPlan& plan, const StepPlan::Substep& sub, T t0, T h, const std::vector<T>& state,
                   const NewtonOptions& options);

  void initial_guess(const StepPart<T>& part, T t0, T h, const T* state) noexcept;
  void guess(Substep& sub, const StepPart<T>& part, T t, T h, const T* state) noexcept;
  bool solve_usual(const Substep& sub, NewtonResult& result) noexcept;
  NewtonResult solve(Substep& sub, const StepPart<T>& part, T t, T h, const T* state, bool singular) noexcept;
  NewtonResult solve_in_doubt(Substep& sub, const StepPart<T>& part, T t, T h, const T* state,
                              NewtonResult result) noexcept;
  NewtonResult follow(Substep& sub, const StepPart<T>& part, T t, T h, const T* state) noexcept;
  void mark(const StepPart<T>& part) noexcept;
  double apart(const StepPart<T>& part, const std::vector<T>& other) noexcept;
  void learn(Substep& sub, const StepPart<T>& part, bool singular) noexcept;
  void carry(const StepPart<T>& part) noexcept;
  void add_increments(const StepPart<T>& part, T* state, T* compensation) noexcept;
  void add_balance(const StepPart<T>& part) noexcept;
  StepResult advance(T t0, T h, T* state, T* compensation, bool singular) noexcept;
  bool advance_usual(T t0, T h, T* state, T* compensation, StepResult& result) noexcept;
  void start_carried() noexcept;
  std::vector<Newton<T>*> newtons() const;
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};

template <class T>
Step<T>::Body::Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
                    const NewtonOptions& options)
    : guess_values(given), added(state.size()), new_state(state.size()), new_compensation(state.size()) {
  for (const StepEquations& e : plan.parts) parts.emplace_back(e, t0, h, state, given, options);
  for (const StepPart<T>& part : parts) {
    tells_energy = tells_energy && part.tells_energy;
    tells_parts = tells_parts && part.tells_parts;
  }
  if (carry_alike(plan)) make_carried(plan);
  take_memory();
  start_carried();
  make_usual(plan, t0, h, state, options);
  if (plan.parts.size() == 1 && plan.sequence.size() == 1) series = plan.parts.front().series;
  for (const StepPlan::Substep& sub : plan.sequence) add_substep(plan, sub, t0, h, state, options);
  take_memory();
}

template <class T>
Step<T>::Body::Body(const Body& other)
    : parts(other.parts),
      substeps(other.substeps),
      carried_start(other.carried_start),
      carried_names(other.carried_names),
      guess_values(other.guess_values),
      carried(other.carried),
      x(other.x),
      learnt(other.learnt),
      last(other.last),
      energy_change(other.energy_change),
      dissipated(other.dissipated),
      supplied(other.supplied),
      discrete(other.discrete),
      tells_energy(other.tells_energy),
      tells_parts(other.tells_parts),
      added(other.added.size()),
      inside(other.inside),
      new_state(other.new_state.size()),
      new_compensation(other.new_compensation.size()),
      series(other.series) {
  for (const auto& one : other.usual) usual.push_back(one ? one->clone() : nullptr);
  take_memory();
}

// Double precision only: in quadruple precision nobody waits for a step.
template <class T>
void Step<T>::Body::make_usual(const StepPlan& plan, T t0, T h, const std::vector<T>& state,
                               const NewtonOptions& options) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    usual.push_back(nullptr);
    if constexpr (std::is_same_v<T, double>) {
      const auto of_part = [&](const StepPlan::Substep& sub) { return sub.part == static_cast<int>(k); };
      const auto first = std::find_if(plan.sequence.begin(), plan.sequence.end(), of_part);
      if (first == plan.sequence.end()) continue;
      initial_guess(parts[k], t0, T(first->share) * h, state.data());
      const std::vector<T> typical(x.begin(), x.begin() + parts[k].inputs() + parts[k].unknowns);
      usual.back() = UsualStep::make(plan.parts[k], typical, options);
    }
  }
  take_memory();
}

template <class T>
void Step<T>::Body::make_carried(const StepPlan& plan) {
  const StepEquations& first = plan.parts.front();
  carried_names = first.carried_names;
  carried.resize(first.carried.size());
  carried_start = Kernel<T>(first.guess_inputs, first.carried_start, interpreted);
}

template <class T>
void Step<T>::Body::take_memory() {
  std::size_t space = carried.empty() ? 0 : carried_start.work();
  std::size_t widest = 0, for_guess = 0, balances = 0, internals = 0;
  for (const StepPart<T>& part : parts) {
    space = std::max(space, part.work());
    widest = std::max<std::size_t>(widest, part.inputs() + part.unknowns);
    for_guess = std::max(for_guess, part.inputs() + guess_values.size() + part.guess_unknowns);
    balances = std::max<std::size_t>(balances, part.balance.outputs());
    internals = std::max<std::size_t>(internals, part.internal.outputs());
  }
  std::size_t extra = 0;
  for (const auto& one : usual) extra = std::max(extra, one ? one->extra() : 0);
  single_usual = usual.size() == 1 && usual.front() && carried.empty() && substeps.size() == 1;
  work.resize(space);
  x.resize(widest + extra);
  predicted.resize(widest);
  guess_inputs.resize(for_guess);
  balance.resize(balances);
  inside.reserve(internals + carried.size());
  carried_inputs.resize(widest + carried.size());
  found.resize(widest);
  latest.resize(widest);
  change_found.resize(added.size());
  change.resize(added.size());
  marked.resize(added.size());
  homotopy = Homotopy<T>(static_cast<int>(widest));
}

template <class T>
void Step<T>::Body::add_substep(const StepPlan& plan, const StepPlan::Substep& sub, T t0, T h,
                                const std::vector<T>& state, const NewtonOptions& options) {
  const StepPart<T>& part = parts[sub.part];
  const T share = T(sub.share);
  initial_guess(part, t0, share * h, state.data());
  // Substeps of the same equations share Newton where nothing is kept that depends on the share.
  std::shared_ptr<Newton<T>> newton;
  for (const Substep& other : substeps)
    if (other.part == sub.part && (other.share == share || other.newton->memoryless())) newton = other.newton;
  if (!newton) {
    const std::vector<T> typical(x.begin(), x.begin() + part.inputs() + part.unknowns);
    NewtonOptions general = options;
    if (usual[sub.part]) general.kernel.calls = rarely;
    newton = std::make_shared<Newton<T>>(step_system(plan.parts[sub.part]), typical, general);
  }
  substeps.push_back({sub.part, share, std::move(newton), Predictor<T>(part.unknowns)});
}

// Fills x with t0, h, state and the method's own guess.
template <class T>
void Step<T>::Body::initial_guess(const StepPart<T>& part, T t0, T h, const T* state) noexcept {
  x[0] = t0;
  x[1] = h;
  std::copy_n(state, part.states, x.begin() + 2);
  std::copy_n(x.begin(), part.inputs(), guess_inputs.begin());
  std::copy(guess_values.begin(), guess_values.end(), guess_inputs.begin() + part.inputs());
  if (part.guess_newton) {
    // Where its equations cannot be solved, their own guess serves; the step then says whether there is a solution.
    T* const unknowns = guess_inputs.data() + part.inputs() + guess_values.size();
    std::copy_n(guess_values.begin(), part.guess_unknowns, unknowns);
    if (part.guess_newton->solve(guess_inputs.data()).outcome != Outcome::converged)
      std::copy_n(guess_values.begin(), part.guess_unknowns, unknowns);
  }
  part.guess(guess_inputs.data(), x.data() + part.inputs(), work.data());
}

// Fills x with t0, h, state and the prediction, or the method's own guess at first.
template <class T>
void Step<T>::Body::guess(Substep& sub, const StepPart<T>& part, T t, T h, const T* state) noexcept {
  if (sub.predictor.empty()) {
    initial_guess(part, t, h, state);
    if (near[0]) guess_from_steps<T>(series, {near.data(), near[1] ? 2U : 1U}, t, h, state, x.data() + part.inputs());
    return;
  }
  x[0] = t;
  x[1] = h;
  std::copy_n(state, part.states, x.begin() + 2);
  T* const unknowns = x.data() + part.inputs();
  sub.predictor.predict(unknowns);
  for (const int i : part.multipliers) predicted[i] = unknowns[i];
}

// From the guess in x. False where there is no such way, or it leads nowhere: then x holds anything.
template <class T>
bool Step<T>::Body::solve_usual(const Substep& sub, NewtonResult& result) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    UsualStep* const way = usual[sub.part].get();
    if (!way || !way->solve(x.data(), result)) return false;
    finished = certain(result) ? way : nullptr;
    return true;
  }
  return false;
}

// What is usual ends here.
template <class T>
NewtonResult Step<T>::Body::solve(Substep& sub, const StepPart<T>& part, T t, T h, const T* state,
                                  bool singular) noexcept {
  finished = nullptr;
  guess(sub, part, t, h, state);
  NewtonResult usually;
  if (usual[sub.part] && !singular) {
    if (solve_usual(sub, usually)) return finished ? usually : solve_in_doubt(sub, part, t, h, state, usually);
    guess(sub, part, t, h, state);
  }
  const NewtonResult result = singular ? sub.newton->solve_singular(x.data()) : sub.newton->solve(x.data());
  if (result.outcome == Outcome::converged && (singular || certain(result))) return result;
  return solve_in_doubt(sub, part, t, h, state, result);
}

// Where Newton failed, or where what it found may not continue the motion: from the last solution, then from short
// steps. What is found twice stands as it was found first.
template <class T>
NewtonResult Step<T>::Body::solve_in_doubt(Substep& sub, const StepPart<T>& part, T t, T h, const T* state,
                                           NewtonResult result) noexcept {
  T* const unknowns = x.data() + part.inputs();
  const bool predicts = !sub.predictor.empty();
  if (result.outcome != Outcome::converged && predicts) {
    // The motion may have changed its character: once more from the last solution.
    sub.predictor.last(unknowns);
    sub.newton->forget();
    result = sub.newton->solve(x.data());
  }
  const bool any = result.outcome == Outcome::converged;
  if (!any && result.outcome != Outcome::diverged && result.outcome != Outcome::singular) return result;
  if (any) {
    std::copy_n(unknowns, part.unknowns, found.begin());
    part.increments(x.data(), change_found.data(), work.data());
    guess(sub, part, t, h, state);
    mark(part);
    std::copy_n(found.begin(), part.unknowns, unknowns);
    if (continues(result, [&] { return apart(part, marked); })) return result;
  }
  NewtonResult followed = follow(sub, part, t, h, state);
  followed.iterations += result.iterations;
  if (any && followed.outcome != Outcome::converged) {
    followed.outcome = Outcome::other_branch;
    followed.equation = -1;  // they all hold, elsewhere
  }
  if (followed.outcome != Outcome::converged) return followed;
  if (any && apart(part, change_found) <= same_solution) std::copy_n(found.begin(), part.unknowns, unknowns);
  return followed;
}

// Remembers the change of the state that x leads to.
template <class T>
void Step<T>::Body::mark(const StepPart<T>& part) noexcept {
  part.increments(x.data(), marked.data(), work.data());
}

// How far the change of the state that x leads to is from another.
template <class T>
double Step<T>::Body::apart(const StepPart<T>& part, const std::vector<T>& other) noexcept {
  part.increments(x.data(), change.data(), work.data());
  return distance(x.data() + 2, change.data(), other.data(), part.positions, part.states, x[1]);
}

// From short steps. Where there are earlier steps, their accelerations and multipliers are nearer than those at the
// start of the motion.
template <class T>
NewtonResult Step<T>::Body::follow(Substep& sub, const StepPart<T>& part, T t, T h, const T* state) noexcept {
  T* const unknowns = x.data() + part.inputs();
  const bool again = !sub.predictor.empty();
  if (again) {
    sub.predictor.last(unknowns);
    std::copy_n(unknowns, part.unknowns, latest.begin());
    part.increments(x.data(), change.data(), work.data());
    for (int i = part.positions; i < part.states; ++i) guess_values[i - part.positions] = change[i] / h;
  }
  const auto guess = [&](T part_h) {
    initial_guess(part, t, part_h, state);
    for (const int i : part.multipliers)
      if (again) unknowns[i] = latest[i];
  };
  const auto mark_here = [&] { mark(part); };
  const auto apart_from_mark = [&] { return apart(part, marked); };
  using Path = typename Homotopy<T>::template Path<decltype(guess), decltype(mark_here), decltype(apart_from_mark)>;
  const Path path{*sub.newton, x.data(), part.inputs(), part.unknowns, guess, mark_here, apart_from_mark};
  const T first = again ? T(1) : T(1) / 2;  // without earlier steps the whole was tried already
  return homotopy.follow(path, h, first);
}

// The multipliers of a singular position, at the end of a step or at its start, say nothing about those behind it: what
// was predicted for them is learnt instead.
template <class T>
void Step<T>::Body::learn(Substep& sub, const StepPart<T>& part, bool singular) noexcept {
  T* const unknowns = x.data() + part.inputs();
  ++learnt;
  if (sub.predictor.empty() || part.multipliers.empty()) return sub.predictor.learn(unknowns);
  const T expected = largest(part.multipliers, predicted.data());
  const bool wild = singular || largest(part.multipliers, unknowns) > wild_multipliers * expected;
  sub.distrusted = wild && sub.distrusted < most_distrusted ? sub.distrusted + 1 : 0;
  if (sub.distrusted == 0) return sub.predictor.learn(unknowns);
  const auto exchange = [&] {
    for (const int i : part.multipliers) std::swap(unknowns[i], predicted[i]);
  };
  exchange();
  sub.predictor.learn(unknowns);
  exchange();
}

template <class T>
void Step<T>::Body::start_carried() noexcept {
  if (!carried.empty()) carried_start(guess_values.data(), carried.data(), work.data());
}

template <class T>
void Step<T>::Body::carry(const StepPart<T>& part) noexcept {
  if (carried.empty()) return;
  const int own = part.inputs() + part.unknowns;
  std::copy_n(x.begin(), own, carried_inputs.begin());
  std::copy(carried.begin(), carried.end(), carried_inputs.begin() + own);
  part.carried(carried_inputs.data(), carried.data(), work.data());
}

template <class T>
void Step<T>::Body::add_increments(const StepPart<T>& part, T* __restrict state, T* __restrict compensation) noexcept {
  const T* __restrict increments = added.data();
  if constexpr (std::is_same_v<T, double>) {
    if (finished) increments = finished->increments();
  }
  if (increments == added.data()) part.increments(x.data(), added.data(), work.data());
  add_compensated(increments, part.states, state, compensation);
}

template <class T>
void Step<T>::Body::add_balance(const StepPart<T>& part) noexcept {
  if (part.balance.outputs() == 0) return;
  if constexpr (std::is_same_v<T, double>) {
    if (finished) std::copy_n(finished->balance(), balance.size(), balance.begin());
  }
  if (!finished) part.balance(x.data(), balance.data(), work.data());
  energy_change += balance[0];
  if (part.tells_parts) {
    dissipated += balance[1];
    supplied += balance[2];
  }
  for (int i = part.first_discrete; i < part.balance.outputs(); ++i)
    discrete = std::max(discrete, magnitude(balance[i]));
}

// The whole step in the usual way. False where there is none, or something is in doubt: then nothing has changed.
template <class T>
bool Step<T>::Body::advance_usual(T t0, T h, T* state, T* compensation, StepResult& result) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    Substep& sub = substeps.front();
    if (!single_usual || sub.predictor.empty() || sub.distrusted > 0) return false;
    UsualStep& way = *usual[sub.part];
    if (!way.advance(t0, sub.share * h, x.data(), sub.predictor, state, compensation, result.newton)) return false;
    finished = &way;
    energy_change = discrete = dissipated = supplied = 0;
    learnt = 1;
    last = 0;
    add_balance(parts[sub.part]);
    return true;
  }
  return false;
}

template <class T>
StepResult Step<T>::Body::advance(T t0, T h, T* state, T* compensation, bool singular) noexcept {
  StepResult result;
  if (!singular && advance_usual(t0, h, state, compensation, result)) return result;
  const std::size_t states = new_state.size();
  // A single substep changes the state when nothing can fail any more; several work on a copy.
  const bool single = substeps.size() == 1;
  T* const at = single ? state : new_state.data();
  T* const at_compensation = single ? compensation : new_compensation.data();
  if (!single) {
    std::copy_n(state, states, at);
    std::copy_n(compensation, states, at_compensation);
  }
  T t = t0;
  energy_change = discrete = dissipated = supplied = 0;
  learnt = 0;
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    Substep& sub = substeps[k];
    const StepPart<T>& part = parts[sub.part];
    const T part_h = sub.share * h;
    result.substep = static_cast<int>(k);
    result.newton = solve(sub, part, t, part_h, at, singular);
    if (result.newton.outcome != Outcome::converged) return result;
    learn(sub, part, result.newton.singular_position);
    carry(part);
    add_increments(part, at, at_compensation);
    add_balance(part);
    t += part_h;
    last = static_cast<int>(k);
  }
  if (!single) {
    std::copy_n(at, states, state);
    std::copy_n(at_compensation, states, compensation);
  }
  return result;
}

// Each once: those of the substeps, then those of the guesses.
template <class T>
std::vector<Newton<T>*> Step<T>::Body::newtons() const {
  std::vector<Newton<T>*> all;
  for (const Substep& sub : substeps)
    if (std::find(all.begin(), all.end(), sub.newton.get()) == all.end()) all.push_back(sub.newton.get());
  for (const StepPart<T>& part : parts)
    if (part.guess_newton) all.push_back(part.guess_newton.get());
  return all;
}

template <class T>
void Step<T>::Body::save(ByteWriter& out) const {
  for (const auto* list : {&guess_values, &carried, &x}) out.write(*list);
  out.write(learnt);
  out.write(last);
  for (const T value : {energy_change, dissipated, supplied, discrete}) out.write(value);
  for (const Substep& sub : substeps) {
    sub.predictor.save(out);
    out.write(sub.distrusted);
  }
  for (const Newton<T>* newton : newtons()) newton->save(out);
  for (const auto& one : usual)
    if (one) one->save(out);
}

template <class T>
void Step<T>::Body::load(ByteReader& in) {
  for (auto* list : {&guess_values, &carried, &x}) in.refill(*list);
  in.read(learnt);
  in.read(last);
  for (T* value : {&energy_change, &dissipated, &supplied, &discrete}) in.read(*value);
  for (Substep& sub : substeps) {
    sub.predictor.load(in);
    in.read(sub.distrusted);
  }
  for (Newton<T>* newton : newtons()) newton->load(in);
  for (const auto& one : usual)
    if (one) one->load(in);
}

template <class T>
Step<T>::Step(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& guess_values,
              NewtonOptions options)
    : body_(std::make_unique<Body>(plan, t0, h, state, guess_values, options)) {}
template <class T>
Step<T>::~Step() = default;
template <class T>
Step<T>::Step(Step&&) noexcept = default;
template <class T>
Step<T>& Step<T>::operator=(Step&&) noexcept = default;
template <class T>
Step<T>::Step(std::unique_ptr<Body> body) : body_(std::move(body)) {}

template <class T>
Step<T> Step<T>::clone() const {
  auto body = std::make_unique<Body>(*body_);
  const auto own = [](const Newton<T>& newton) { return std::make_shared<Newton<T>>(newton.clone()); };
  for (auto& part : body->parts)
    if (part.guess_newton) part.guess_newton = own(*part.guess_newton);
  for (std::size_t k = 0; k < body->substeps.size(); ++k) {
    body->substeps[k].predictor.clear();
    std::size_t first = 0;  // the substep that has the same Newton
    while (body_->substeps[first].newton != body_->substeps[k].newton) ++first;
    body->substeps[k].newton = first < k ? body->substeps[first].newton : own(*body_->substeps[k].newton);
  }
  return Step(std::move(body));
}

template <class T>
void Step<T>::bind(const T* parameters) noexcept {
  for (auto& part : body_->parts) part.bind(parameters);
  for (auto& sub : body_->substeps) sub.newton->bind(parameters);
  if constexpr (std::is_same_v<T, double>) {
    for (auto& one : body_->usual)
      if (one) one->bind(parameters);
  }
  body_->carried_start.bind(parameters);
}

template <class T>
void Step<T>::guess_from(const T* guess_values) noexcept {
  std::copy_n(guess_values, body_->guess_values.size(), body_->guess_values.begin());
  for (auto& sub : body_->substeps) sub.predictor.clear();
}

template <class T>
const std::vector<StageSeries>& Step<T>::series() const {
  return body_->series;
}

template <class T>
void Step<T>::solved(const T* to, SolvedStep<T>& step) const {
  const auto& part = body_->parts[body_->substeps[body_->last].part];
  take_step(body_->x.data(), part.states, part.unknowns, to, step);
}

template <class T>
void Step<T>::guess_from(const T* guess_values, const SolvedStep<T>* first, const SolvedStep<T>* second) noexcept {
  guess_from(guess_values);
  if (has_stages()) body_->near = {first, second};
}

template <class T>
void Step<T>::restart(const T* guess_values) noexcept {
  guess_from(guess_values);
  for (auto& sub : body_->substeps) sub.newton->forget();
}

template <class T>
void Step<T>::begin(const T* guess_values) noexcept {
  restart(guess_values);
  for (auto& sub : body_->substeps) sub.distrusted = 0;
  body_->start_carried();
}

template <class T>
StepResult Step<T>::advance(T t0, T h, T* state, T* compensation) noexcept {
  const StepResult result = body_->advance(t0, h, state, compensation, false);
  body_->near = {};
  return result;
}

template <class T>
StepResult Step<T>::again_singular(T t0, T h, T* state, T* compensation) noexcept {
  for (std::size_t k = 0; k < body_->learnt; ++k) body_->substeps[k].predictor.unlearn();
  return body_->advance(t0, h, state, compensation, true);
}

template <class T>
std::vector<std::vector<T>> Step<T>::first_points(T t0, T h, const T* state) {
  std::vector<std::vector<T>> points;
  T t = t0;
  for (const auto& sub : body_->substeps) {
    const StepPart<T>& part = body_->parts[sub.part];
    body_->initial_guess(part, t, sub.share * h, state);
    points.emplace_back(body_->x.begin(), body_->x.begin() + part.inputs() + part.unknowns);
    t += sub.share * h;
  }
  return points;
}

template <class T>
const std::vector<T>& Step<T>::carried() const noexcept {
  return body_->carried;
}

template <class T>
void Step<T>::carry_on(const std::vector<T>& values) noexcept {
  if (values.size() == body_->carried.size()) std::copy(values.begin(), values.end(), body_->carried.begin());
}

template <class T>
const std::vector<T>& Step<T>::internal() {
  const auto& part = body_->parts[body_->substeps[body_->last].part];
  body_->substeps[body_->last].newton->make_multipliers_smallest(body_->x.data());
  body_->inside.resize(part.internal.outputs());
  part.internal(body_->x.data(), body_->inside.data(), body_->work.data());
  append(body_->inside, body_->carried);
  return body_->inside;
}

template <class T>
std::vector<std::string> Step<T>::internal_names() const {
  return joined<std::string>(body_->parts[body_->substeps[body_->last].part].internal_names, body_->carried_names);
}

template <class T>
std::optional<T> Step<T>::energy_change() const noexcept {
  if (!body_->tells_energy) return {};
  return body_->energy_change;
}

template <class T>
std::optional<std::pair<T, T>> Step<T>::energy_parts() const noexcept {
  if (!body_->tells_parts) return {};
  return std::pair(body_->dissipated, body_->supplied);
}

template <class T>
T Step<T>::discrete() const {
  return body_->discrete;
}

template <class T>
bool Step<T>::has_discrete() const {
  const auto& part = body_->parts.front();
  return part.balance.outputs() > part.first_discrete;
}

template <class T>
const std::string& Step<T>::label(const StepResult& result) const {
  static const std::string none;
  const auto& labels = body_->parts[body_->substeps[result.substep].part].labels;
  const int k = result.newton.equation;
  return k >= 0 && k < static_cast<int>(labels.size()) ? labels[k] : none;
}

template <class T>
NewtonStatistics Step<T>::statistics() const {
  NewtonStatistics total;
  const auto add = [&](const NewtonStatistics& one) {
    total.iterations += one.iterations;
    total.factorizations += one.factorizations;
    total.evaluations += one.evaluations;
    auto& sizes = total.factorization_sizes;
    for (const int size : one.factorization_sizes)
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  };
  std::vector<const Newton<T>*> counted;
  for (const auto& sub : body_->substeps) {
    if (std::find(counted.begin(), counted.end(), sub.newton.get()) != counted.end()) continue;
    counted.push_back(sub.newton.get());
    add(sub.newton->statistics());
  }
  for (const auto& one : body_->usual)
    if (one) add(one->statistics());
  return total;
}

template <class T>
int Step<T>::unknowns() const {
  int sum = 0;
  for (const auto& sub : body_->substeps) sum += body_->parts[sub.part].unknowns;
  return sum;
}

template <class T>
void Step<T>::save(ByteWriter& out) const {
  body_->save(out);
}

template <class T>
void Step<T>::load(ByteReader& in) {
  body_->load(in);
}

template class Step<double>;
template class Step<Quad>;

}  // namespace alembert::internal
