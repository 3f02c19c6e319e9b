#include "alembert/newton/step.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/base/magnitude.h"
#include "alembert/error.h"
#include "alembert/newton/increments.h"
#include "alembert/newton/stage_curve.h"
#include "alembert/newton/step_part.h"
#include "alembert/newton/substep.h"
#include "alembert/newton/usual_step.h"

namespace alembert::internal {

namespace {

// Beside a usual way the general Newton is called for now and then: less often than compiling pays off, a few thousand
// times.
constexpr double rarely = 100;

// What is carried goes on from part to part where all parts carry the same.
bool carry_alike(const StepPlan& plan) {
  const auto& names = plan.parts.front().carried_names;
  return std::all_of(plan.parts.begin(), plan.parts.end(),
                     [&](const StepEquations& e) { return e.carried_names == names; });
}

// What a method carries beside the state; empty for most.
template <class T>
struct Carried {
  Kernel<T> start;  // from the guess values
  std::vector<std::string> names;
  std::vector<T> values;
  std::vector<T> inputs;  // of the kernel that goes on: those of the part, its unknowns, values
};

// Of the last step, summed over its substeps.
template <class T>
struct StepBooks {
  T change = 0, dissipated = 0, supplied = 0;  // energy
  T discrete = 0;                              // the largest of the discrete constraints
  std::vector<T> work;                         // as StepEquations::work, where every part tells it

  void clear() noexcept {
    change = dissipated = supplied = discrete = 0;
    std::fill(work.begin(), work.end(), T(0));
  }
};

// Copies have a usual way of their own.
struct OwnUsualStep : std::unique_ptr<UsualStep> {
  OwnUsualStep() = default;
  explicit OwnUsualStep(std::unique_ptr<UsualStep> one) : std::unique_ptr<UsualStep>(std::move(one)) {}
  OwnUsualStep(const OwnUsualStep& other) : OwnUsualStep(other ? other->clone() : nullptr) {}
  OwnUsualStep(OwnUsualStep&&) noexcept = default;
  OwnUsualStep& operator=(OwnUsualStep&&) noexcept = default;
  OwnUsualStep& operator=(const OwnUsualStep&) = delete;
  ~OwnUsualStep() = default;
};

}  // namespace

template <class T>
struct Step<T>::Body {
  std::vector<StepPart<T>> parts;
  std::vector<OwnUsualStep> usual;  // of the parts; null where there is none
  std::vector<Substep<T>> substeps;
  std::vector<StageSeries> series;  // of a step that is one part
  SubstepRoom<T> room;
  Carried<T> carried;
  StepBooks<T> books;
  std::vector<T> contacts;                       // what they did in the last substep
  std::size_t learnt = 0;                        // substeps that the last step learnt from
  int last = 0;                                  // the last substep that went well
  bool tells_energy = true, tells_parts = true;  // every part does
  bool single_usual = false;                     // a step is one part, with a usual way and nothing carried
  // Memory that says nothing between two steps:
  std::vector<T> added, balance, inside, new_state, new_compensation;

  Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
       const NewtonOptions& options);
  void make_carried(const StepPlan& plan);
  void make_usual(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const NewtonOptions& options);
  void take_memory();
  void add_substep(const StepPlan& plan, const StepPlan::Substep& sub, T t0, T h, const std::vector<T>& state,
                   const NewtonOptions& options);
  std::vector<T> typical(const StepPart<T>& part, T t0, T h, const std::vector<T>& state);

  void carry(const StepPart<T>& part) noexcept;
  void add_increments(const StepPart<T>& part, const UsualStep* finished, T* state, T* compensation) noexcept;
  void add_balance(const StepPart<T>& part, const UsualStep* finished) noexcept;
  NewtonResult advance(Substep<T>& sub, T t, T h, T* state, T* compensation, bool singular) noexcept;
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
    : added(state.size()), new_state(state.size()), new_compensation(state.size()) {
  room.guess_values = given;
  for (const StepEquations& e : plan.parts) parts.emplace_back(e, t0, h, state, given, options);
  const int works = parts.front().balance.outputs() - parts.front().first_work;
  const bool tell_work = std::all_of(parts.begin(), parts.end(), [&](const StepPart<T>& part) {
    return part.balance.outputs() - part.first_work == works;
  });
  books.work.resize(tell_work ? static_cast<std::size_t>(works) : 0);
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

// Inputs and unknowns of a part as the method guesses them.
template <class T>
std::vector<T> Step<T>::Body::typical(const StepPart<T>& part, T t0, T h, const std::vector<T>& state) {
  SubstepSolve<T>(part, room, t0, h, state.data()).initial_guess();
  return {room.x.begin(), room.x.begin() + part.inputs() + part.unknowns};
}

// Double precision only: in quadruple precision nobody waits for a step.
template <class T>
void Step<T>::Body::make_usual(const StepPlan& plan, T t0, T h, const std::vector<T>& state,
                               const NewtonOptions& options) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    usual.emplace_back();
    if constexpr (std::is_same_v<T, double>) {
      const auto of_part = [&](const StepPlan::Substep& sub) { return sub.part == static_cast<int>(k); };
      const auto first = std::find_if(plan.sequence.begin(), plan.sequence.end(), of_part);
      if (first == plan.sequence.end()) continue;
      const std::vector<T> near = typical(parts[k], t0, T(first->share) * h, state);
      usual.back() = OwnUsualStep(UsualStep::make(plan.parts[k], near, options));
    }
  }
  take_memory();
}

template <class T>
void Step<T>::Body::make_carried(const StepPlan& plan) {
  const StepEquations& first = plan.parts.front();
  carried.names = first.carried_names;
  carried.values.resize(first.carried.size());
  carried.start = Kernel<T>(first.guess_inputs, first.carried_start, interpreted);
}

template <class T>
void Step<T>::Body::take_memory() {
  std::size_t extra = 0, balances = 0, internals = 0, widest = 0;
  for (const auto& one : usual) extra = std::max(extra, one ? one->extra() : 0);
  for (const StepPart<T>& part : parts) {
    balances = std::max<std::size_t>(balances, part.balance.outputs());
    internals = std::max<std::size_t>(internals, part.internal.outputs());
    widest = std::max<std::size_t>(widest, part.inputs() + part.unknowns);
  }
  for (const StepPart<T>& part : parts)
    contacts.resize(std::max<std::size_t>(contacts.size(), part.contacts.outputs()));
  room.fit(parts, added.size(), extra, carried.values.empty() ? 0 : carried.start.work());
  balance.resize(balances);
  inside.reserve(internals + carried.values.size());
  carried.inputs.resize(widest + carried.values.size());
  single_usual = usual.size() == 1 && usual.front() && carried.values.empty() && substeps.size() == 1;
}

template <class T>
void Step<T>::Body::add_substep(const StepPlan& plan, const StepPlan::Substep& sub, T t0, T h,
                                const std::vector<T>& state, const NewtonOptions& options) {
  const StepPart<T>& part = parts[sub.part];
  const T share = T(sub.share);
  // Substeps of the same equations share Newton where nothing is kept that depends on the share.
  std::shared_ptr<Newton<T>> newton;
  for (const Substep<T>& other : substeps)
    if (other.part == sub.part && (other.share == share || other.newton->memoryless())) newton = other.newton;
  if (!newton) {
    NewtonOptions general = options;
    if (usual[sub.part]) general.kernel.calls = rarely;
    newton =
        std::make_shared<Newton<T>>(step_system(plan.parts[sub.part]), typical(part, t0, share * h, state), general);
  }
  using Guessed = typename Newton<T>::Guessed;
  Guessed guessed = usual[sub.part] ? Guessed() : newton->guessed();
  if (guessed.count == 0) guessed = {0, part.unknowns};
  substeps.push_back({sub.part, share, std::move(newton), guessed.first, Predictor<T>(guessed.count)});
}

template <class T>
void Step<T>::Body::start_carried() noexcept {
  if (!carried.values.empty()) carried.start(room.guess_values.data(), carried.values.data(), room.work.data());
}

template <class T>
void Step<T>::Body::carry(const StepPart<T>& part) noexcept {
  if (carried.values.empty()) return;
  const int own = part.inputs() + part.unknowns;
  std::copy_n(room.x.begin(), own, carried.inputs.begin());
  std::copy(carried.values.begin(), carried.values.end(), carried.inputs.begin() + own);
  part.carried(carried.inputs.data(), carried.values.data(), room.work.data());
}

// finished: has what follows from the solution; null where it is to be computed.
template <class T>
void Step<T>::Body::add_increments(const StepPart<T>& part, const UsualStep* finished, T* __restrict state,
                                   T* __restrict compensation) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    if (finished) return add_compensated(finished->increments(), part.states, state, compensation);
  }
  part.increments(room.x.data(), added.data(), room.work.data());
  add_compensated(added.data(), part.states, state, compensation);
}

template <class T>
void Step<T>::Body::add_balance(const StepPart<T>& part, const UsualStep* finished) noexcept {
  if (part.balance.outputs() == 0) return;
  if constexpr (std::is_same_v<T, double>) {
    if (finished) std::copy_n(finished->balance(), balance.size(), balance.begin());
  }
  if (!finished) part.balance(room.x.data(), balance.data(), room.work.data());
  if (part.first_discrete > 0) books.change += balance[0];
  if (part.tells_parts) {
    books.dissipated += balance[1];
    books.supplied += balance[2];
  }
  for (int i = part.first_discrete; i < part.first_work; ++i)
    books.discrete = std::max(books.discrete, magnitude(balance[i]));
  for (std::size_t i = 0; i < books.work.size(); ++i) books.work[i] += balance[part.first_work + i];
}

// The whole step in the usual way. False where there is none, or something is in doubt: then nothing has changed.
template <class T>
bool Step<T>::Body::advance_usual(T t0, T h, T* state, T* compensation, StepResult& result) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    Substep<T>& sub = substeps.front();
    if (!single_usual || sub.predictor.empty() || sub.distrusted > 0) return false;
    UsualStep& way = *usual[sub.part];
    if (!way.advance(t0, sub.share * h, room.x.data(), sub.predictor, state, compensation, result.newton)) return false;
    books.clear();
    learnt = 1;
    last = 0;
    add_balance(parts[sub.part], &way);
    return true;
  }
  return false;
}

// One substep; the state goes on where it went well.
template <class T>
NewtonResult Step<T>::Body::advance(Substep<T>& sub, T t, T h, T* state, T* compensation, bool singular) noexcept {
  const StepPart<T>& part = parts[sub.part];
  UsualStep* const way = usual[sub.part].get();
  SubstepSolve<T> solve(part, room, t, h, state);
  const NewtonResult result = solve.solve(sub, way, series, singular);
  if (result.outcome != Outcome::converged) return result;
  const UsualStep* const finished = solve.usually() ? way : nullptr;
  sub.learn(part, result.singular_position, room.x.data() + part.inputs(), room.predicted.data());
  ++learnt;
  carry(part);
  add_increments(part, finished, state, compensation);
  add_balance(part, finished);
  if (part.contacts.outputs() > 0) part.contacts(room.x.data(), contacts.data(), room.work.data());
  return result;
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
  books.clear();
  learnt = 0;
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    const T part_h = substeps[k].share * h;
    result.substep = static_cast<int>(k);
    result.newton = advance(substeps[k], t, part_h, at, at_compensation, singular);
    if (result.newton.outcome != Outcome::converged) return result;
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
  for (const Substep<T>& sub : substeps)
    if (std::find(all.begin(), all.end(), sub.newton.get()) == all.end()) all.push_back(sub.newton.get());
  for (const StepPart<T>& part : parts)
    if (part.guess_newton) all.push_back(part.guess_newton.get());
  return all;
}

template <class T>
void Step<T>::Body::save(ByteWriter& out) const {
  for (const auto* list : {&room.guess_values, &carried.values, &room.x}) out.write(*list);
  out.write(learnt);
  out.write(last);
  for (const T value : {books.change, books.dissipated, books.supplied, books.discrete}) out.write(value);
  out.write(books.work);
  for (const Substep<T>& sub : substeps) {
    sub.predictor.save(out);
    out.write(sub.distrusted);
  }
  for (const Newton<T>* newton : newtons()) newton->save(out);
  for (const auto& one : usual)
    if (one) one->save(out);
}

template <class T>
void Step<T>::Body::load(ByteReader& in) {
  for (auto* list : {&room.guess_values, &carried.values, &room.x}) in.refill(*list);
  in.read(learnt);
  in.read(last);
  for (T* value : {&books.change, &books.dissipated, &books.supplied, &books.discrete}) in.read(*value);
  in.refill(books.work);
  for (Substep<T>& sub : substeps) {
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
  body->room.near = {};
  body->room.same = nullptr;
  body->room.brief = false;
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
  body_->carried.start.bind(parameters);
}

template <class T>
void Step<T>::guess_from(const T* guess_values) noexcept {
  std::copy_n(guess_values, body_->room.guess_values.size(), body_->room.guess_values.begin());
  for (auto& sub : body_->substeps) sub.predictor.clear();
}

template <class T>
const std::vector<StageSeries>& Step<T>::series() const {
  return body_->series;
}

template <class T>
void Step<T>::solved(const T* to, SolvedStep<T>& step) const {
  const auto& part = body_->parts[body_->substeps[body_->last].part];
  take_step(body_->room.x.data(), part.states, part.unknowns, to, step);
}

template <class T>
void Step<T>::guess_from(const T* guess_values, const SolvedStep<T>* first, const SolvedStep<T>* second) noexcept {
  guess_from(guess_values);
  if (has_stages()) body_->room.near = {first, second};
}

template <class T>
void Step<T>::guess_near(const SolvedStep<T>* first, const SolvedStep<T>* second) noexcept {
  for (auto& sub : body_->substeps) sub.predictor.clear();
  body_->room.near = {first, second};
}

template <class T>
void Step<T>::guess_as(const SolvedStep<T>& other) noexcept {
  for (auto& sub : body_->substeps) sub.predictor.clear();
  body_->room.same = &other;
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
  body_->room.near = {};
  body_->room.same = nullptr;
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
    SubstepSolve<T>(part, body_->room, t, sub.share * h, state).initial_guess();
    const auto first = body_->room.x.begin();
    points.emplace_back(first, first + part.inputs() + part.unknowns);
    t += sub.share * h;
  }
  return points;
}

template <class T>
const std::vector<T>& Step<T>::carried() const noexcept {
  return body_->carried.values;
}

template <class T>
void Step<T>::carry_on(const std::vector<T>& values) noexcept {
  if (values.size() == body_->carried.values.size())
    std::copy(values.begin(), values.end(), body_->carried.values.begin());
}

template <class T>
const std::vector<T>& Step<T>::internal() {
  const auto& part = body_->parts[body_->substeps[body_->last].part];
  body_->substeps[body_->last].newton->make_multipliers_smallest(body_->room.x.data());
  body_->inside.resize(part.internal.outputs());
  part.internal(body_->room.x.data(), body_->inside.data(), body_->room.work.data());
  append(body_->inside, body_->carried.values);
  return body_->inside;
}

template <class T>
std::vector<std::string> Step<T>::internal_names() const {
  return joined<std::string>(body_->parts[body_->substeps[body_->last].part].names->internal, body_->carried.names);
}

template <class T>
std::optional<T> Step<T>::energy_change() const noexcept {
  if (!body_->tells_energy) return {};
  return body_->books.change;
}

template <class T>
std::optional<std::pair<T, T>> Step<T>::energy_parts() const noexcept {
  if (!body_->tells_parts) return {};
  return std::pair(body_->books.dissipated, body_->books.supplied);
}

template <class T>
const std::vector<T>& Step<T>::work() const noexcept {
  return body_->books.work;
}

template <class T>
const std::vector<T>& Step<T>::contacts() const noexcept {
  return body_->contacts;
}

template <class T>
T Step<T>::discrete() const {
  return body_->books.discrete;
}

template <class T>
bool Step<T>::has_discrete() const {
  const auto& part = body_->parts.front();
  return part.first_work > part.first_discrete;
}

template <class T>
const std::string& Step<T>::label(const StepResult& result) const {
  static const std::string none;
  const auto& labels = body_->parts[body_->substeps[result.substep].part].names->labels;
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
    total.inexact += one.inexact;
    total.largest_left = std::max(total.largest_left, one.largest_left);
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
void Step<T>::be_brief(bool brief) noexcept {
  body_->room.brief = brief;
}

template <class T>
void Step<T>::be_rough(double enough) noexcept {
  for (auto& sub : body_->substeps) sub.newton->be_rough(enough);
  if constexpr (std::is_same_v<T, double>) {
    for (auto& one : body_->usual)
      if (one) one->be_rough(enough);
  }
}

template <class T>
bool Step<T>::leaves_its_ends() const {
  constexpr double rounding = 1e-12;  // of a sum of shares whose sizes are about 1
  double at = 0;
  for (const auto& sub : body_->substeps) {
    at += static_cast<double>(sub.share);
    if (at < -rounding || at > 1 + rounding) return true;
  }
  return false;
}

template <class T>
int Step<T>::substeps() const {
  return static_cast<int>(body_->substeps.size());
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
