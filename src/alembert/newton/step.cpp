#include "alembert/newton/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "alembert/code/wide.h"
#include "alembert/error.h"

namespace alembert::internal {

Expr increment(Expr next, Expr state) {
  if (next == state) return state.graph().constant(0);
  const Node node = next.graph().node(next.id());
  const Expr a(&next.graph(), node.a), b(&next.graph(), node.b);
  if (node.op == Op::add && a == state) return b;
  if (node.op == Op::add && b == state) return a;
  if (node.op == Op::subtract && a == state) return -b;
  return next - state;
}

ImplicitEquations starter_system(const StepEquations& e) {
  ImplicitEquations system;
  system.inputs = {e.t0, e.h};
  for (const Exprs* list : {&e.state, &e.hints}) system.inputs.insert(system.inputs.end(), list->begin(), list->end());
  system.unknowns = e.starters;
  system.equations = e.starter_equations;
  const int count = static_cast<int>(e.starters.size()), rates = std::min(count, e.rates);
  system.groups = {{0, rates, e.graph->constant(0)}, {rates, count - rates, Expr()}};
  return system;
}

namespace {

// Multipliers that much larger than predicted are taken for those of a singular position, so many times in a row.
constexpr int wild_multipliers = 1000, most_distrusted = 4;

// Vectors of so many unknowns stay in the caches.
bool small(int unknowns) { return unknowns < 2000; }

// Predicts the unknowns of the next step from those of the last ones by backward differences. The degree is the one
// that would have served best; it is looked for now and then only, since it hardly changes.
template <class T>
class Predictor {
 public:
  explicit Predictor(int n) : n_(n), most_(small(n) ? deepest : 3), table_(static_cast<std::size_t>(most_) * n) {
    if (small(n)) beyond_.resize(n);
  }
  void clear() { count_ = degree_ = 0; }
  bool empty() const { return count_ == 0; }
  void last(T* u) const { std::copy_n(table_.data(), n_, u); }

  void predict(T* __restrict u) const {
    by_blocks([&](int from, int count) {
      std::copy_n(table_.data() + from, count, u + from);
      for (int k = 1; k <= degree_; ++k) {
        const T* __restrict difference = row(k) + from;
        for (int i = 0; i < count; ++i) u[from + i] += difference[i];
      }
    });
  }

  void learn(const T* u) {
    // Row k of the table becomes the k-th backward difference at the new step; what is left after row k is the error
    // that a prediction of degree k would have made.
    const bool look = count_ < 2 * most_ || count_ % 16 == 0;
    const int rows = static_cast<int>(std::min<long>(count_ + 1, most_));
    std::array<T, deepest> size{};
    by_blocks([&](int from, int count) {
      std::array<T, block> left_block;
      T* __restrict left = left_block.data();
      std::copy_n(u + from, count, left);
      for (int k = 0; k < rows; ++k) {
        T* __restrict own = row(k) + from;
        for (int i = 0; i < count; ++i) {
          const T now = left[i];
          left[i] = now - own[i];
          own[i] = now;
        }
        if (!look || k >= count_) continue;
        for (int i = 0; i < count; ++i) size[k] += left[i] * left[i];
      }
      if (!beyond_.empty()) std::copy_n(left, count, beyond_.begin() + from);
    });
    if (look)
      for (int k = 0; k < rows && k < count_; ++k)
        if (k == 0 || size[k] < size[degree_]) degree_ = k;
    ++count_;
  }

  /// Takes the last learning back: beyond_ still holds the difference that follows the last row.
  void unlearn() {
    if (count_ == 0 || beyond_.empty()) return;
    --count_;
    const int rows = static_cast<int>(std::min<long>(count_ + 1, most_));
    for (int k = 0; k < rows; ++k) {
      T* row = table_.data() + static_cast<std::size_t>(k) * n_;
      const T* next = k + 1 < rows ? row + n_ : beyond_.data();
      for (int i = 0; i < n_; ++i) row[i] -= next[i];
    }
    degree_ = std::min(degree_, static_cast<int>(std::max<long>(count_ - 1, 0)));
  }

 private:
  static constexpr int deepest = 6, block = 256;  // a block of all rows stays in the nearest cache
  T* row(int k) { return table_.data() + static_cast<std::size_t>(k) * n_; }
  const T* row(int k) const { return table_.data() + static_cast<std::size_t>(k) * n_; }
  template <class Work>
  void by_blocks(Work work) const {
    for (int from = 0; from < n_; from += block) work(from, std::min(block, n_ - from));
  }

  int n_;
  int most_;  // rows of the table; fewer where they would only stream through memory
  int degree_ = 0;
  long count_ = 0;                 // steps learnt from
  std::vector<T> table_, beyond_;  // beyond_: for unlearn, which only smaller systems do
};

}  // namespace

template <class T>
struct Step<T>::Body {
  struct Part {
    std::vector<std::string> labels, internal_names;
    int states = 0, unknowns = 0;
    Kernel<T> guess;
    WideKernel<T> increments;
    Kernel<T> internal;
    Kernel<T> balance;  // the change of energy, its parts, the discrete constraints; nothing where there are none
    std::shared_ptr<Newton<T>> starter;  // for the starters, where there are some
    int starters = 0;
    Kernel<T> carried;             // inputs: all, carried
    std::vector<int> multipliers;  // among the unknowns of a small part
  };
  struct Substep {
    int part;
    T share;
    std::shared_ptr<Newton<T>> newton;
    Predictor<T> predictor;
    int distrusted = 0;  // steps in a row
  };
  std::vector<Part> parts;
  std::vector<Substep> substeps;
  std::vector<T> hints, x, guess_inputs, now, now_rest, added, inside, balance, work, predicted;
  std::vector<T> carried, carried_inputs, followed, followed_before;
  std::vector<std::string> carried_names;
  std::size_t learnt = 0;                // substeps that the last step learnt from
  bool foretells = true, parted = true;  // every part tells the change of energy, and its parts
  T dissipated = 0, supplied = 0;        // in the last step
  T energy_change = 0, discrete = 0;     // of the last step
  int last = 0;

  Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
       NewtonOptions options);
  StepResult advance(T t0, T h, T* state, T* rest, bool singular) noexcept;
  void first_guess(const Part& part, T t0, T h, const T* state) noexcept;
  NewtonResult follow(Substep& sub, const Part& part, T t, T h, const T* state) noexcept;
  void carry(const Part& part) noexcept;
  void learn(Substep& sub, const Part& part, bool singular, T* unknowns) noexcept;
};

template <class T>
Step<T>::Body::Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
                    NewtonOptions options)
    : hints(given) {
  const int states = static_cast<int>(state.size());
  std::size_t space = 0, widest = 0, most_internal = 0;
  std::vector<Exprs> inputs;
  for (const StepEquations& e : plan.parts) {
    check(static_cast<int>(e.state.size()) == states, "every part of a step has the same state");
    check(e.hints.size() == given.size(), "hints: z', lambda, psi");
    Exprs in{e.t0, e.h};
    in.insert(in.end(), e.state.begin(), e.state.end());
    Exprs all = in, for_guess = in, added_exprs;
    all.insert(all.end(), e.unknowns.begin(), e.unknowns.end());
    for_guess.insert(for_guess.end(), e.hints.begin(), e.hints.end());
    for_guess.insert(for_guess.end(), e.starters.begin(), e.starters.end());
    for (int i = 0; i < states; ++i) added_exprs.push_back(increment(e.next[i], e.state[i]));
    const KernelOptions rare{Backend::interpreter, false};
    Exprs balance_exprs;
    if (e.energy_change) balance_exprs.push_back(e.energy_change);
    parted = parted && e.supplied;
    if (e.supplied) balance_exprs.insert(balance_exprs.end(), {e.dissipated, e.supplied});
    balance_exprs.insert(balance_exprs.end(), e.discrete.begin(), e.discrete.end());
    check(e.energy_change || e.discrete.empty(), "discrete constraints go with the change of energy");
    foretells = foretells && e.energy_change && (e.supplied || !is_zero(e.energy_change));
    parts.push_back({e.labels,
                     e.internal_names,
                     states,
                     static_cast<int>(e.unknowns.size()),
                     Kernel<T>(for_guess, e.guess, rare),
                     WideKernel<T>(all, added_exprs, options.kernel),
                     Kernel<T>(all, e.internal, rare),
                     Kernel<T>(all, balance_exprs, options.kernel),
                     nullptr,
                     static_cast<int>(e.starters.size()),
                     {},
                     {}});
    balance.resize(std::max(balance.size(), balance_exprs.size()));
    Part& part = parts.back();
    for (const UnknownGroup& group : e.groups)
      for (int i = group.first; small(part.unknowns) && !group.scale && i < group.first + group.count; ++i)
        part.multipliers.push_back(i);
    guess_inputs.resize(std::max(guess_inputs.size(), for_guess.size()));
    if (part.starters > 0) {
      // Starters are rates and multipliers: they begin as z' and the multipliers of the hints.
      std::vector<T> typical{t0, h};
      for (const auto* list : {&state, &given}) typical.insert(typical.end(), list->begin(), list->end());
      typical.insert(typical.end(), given.begin(), given.begin() + part.starters);
      NewtonOptions once;
      once.kernel = rare;
      once.linear = options.linear == LinearSolver::minimum_norm ? options.linear : LinearSolver::dense;
      part.starter = std::make_shared<Newton<T>>(starter_system(e), typical, once);
    }
    space = std::max({space, part.guess.work(), part.increments.work(), part.internal.work(), part.balance.work()});
    widest = std::max(widest, all.size());
    most_internal = std::max(most_internal, e.internal.size());
    inputs.push_back(std::move(in));
  }
  followed.resize(widest), followed_before.resize(widest);
  // What is carried goes on from part to part where all parts carry the same.
  const StepEquations& first = plan.parts.front();
  const bool alike = std::all_of(plan.parts.begin(), plan.parts.end(),
                                 [&](const StepEquations& e) { return e.carried_names == first.carried_names; });
  if (alike && !first.carried.empty()) {
    carried_names = first.carried_names;
    const Kernel<T> begin(first.hints, first.carried_start, {Backend::interpreter, false});
    std::vector<T> begin_work(begin.work());
    carried.resize(first.carried.size());
    begin(given.data(), carried.data(), begin_work.data());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const StepEquations& e = plan.parts[k];
      Exprs all = inputs[k];
      for (const Exprs* list : {&e.unknowns, &e.carried}) all.insert(all.end(), list->begin(), list->end());
      parts[k].carried = Kernel<T>(all, e.carried_next, options.kernel);
      carried_inputs.resize(std::max(carried_inputs.size(), all.size()));
      space = std::max(space, parts[k].carried.work());
    }
  }
  x.resize(widest), predicted.resize(widest), work.resize(space), added.resize(states), inside.resize(most_internal);
  now.resize(states), now_rest.resize(states);
  for (const StepPlan::Substep& sub : plan.sequence) {
    const StepEquations& e = plan.parts[sub.part];
    const Part& part = parts[sub.part];
    first_guess(part, t0, T(sub.share) * h, state.data());
    std::vector<T> typical(x.begin(), x.begin() + 2 + states + part.unknowns);
    // Substeps of the same equations share the compiled code where nothing is kept that depends on the share.
    std::shared_ptr<Newton<T>> newton;
    for (const Substep& other : substeps)
      if (other.part == sub.part && (other.share == T(sub.share) || other.newton->keeps_nothing()))
        newton = other.newton;
    if (!newton)
      newton = std::make_shared<Newton<T>>(
          ImplicitEquations{inputs[sub.part], e.unknowns, e.equations, e.groups, e.stages, e.graph}, typical, options);
    substeps.push_back({sub.part, T(sub.share), std::move(newton), Predictor<T>(part.unknowns), 0});
  }
}

// Fills x with t0, h, state and the method's own guess.
template <class T>
void Step<T>::Body::first_guess(const Part& part, T t0, T h, const T* state) noexcept {
  x[0] = guess_inputs[0] = t0;
  x[1] = guess_inputs[1] = h;
  std::copy_n(state, part.states, x.begin() + 2);
  std::copy_n(state, part.states, guess_inputs.begin() + 2);
  std::copy(hints.begin(), hints.end(), guess_inputs.begin() + 2 + part.states);
  if (part.starters > 0) {
    // A starter that fails leaves its guess; the step itself then says whether there is a solution.
    T* starters = guess_inputs.data() + 2 + part.states + hints.size();
    std::copy_n(hints.begin(), part.starters, starters);
    if (part.starter->solve(guess_inputs.data()).outcome != Outcome::converged)
      std::copy_n(hints.begin(), part.starters, starters);
  }
  part.guess(guess_inputs.data(), x.data() + 2 + part.states, work.data());
}

// Follows the solution from a short step, which the method's own guess is near to, up to the step h: for steps so large
// that no guess is near.
template <class T>
NewtonResult Step<T>::Body::follow(Substep& sub, const Part& part, T t, T h, const T* state) noexcept {
  constexpr int finest = 256;
  T* unknowns = x.data() + 2 + part.states;
  T reached = 0, before = 0, stride = T(1) / 4;
  NewtonResult result;
  while (reached < 1) {
    const T target = std::min(T(1), reached + stride);
    if (reached == 0) {
      first_guess(part, t, target * h, state);
    } else {
      x[0] = t, x[1] = target * h;
      std::copy_n(state, part.states, x.begin() + 2);
      // Along the line through the last two solutions; the first of them alone stays as it is.
      const T ahead = before > 0 ? (target - reached) / (reached - before) : T(0);
      for (int i = 0; i < part.unknowns; ++i) unknowns[i] = followed[i] + ahead * (followed[i] - followed_before[i]);
    }
    sub.newton->forget();
    const int spent = result.iterations;
    result = sub.newton->solve(x.data());
    result.iterations += spent;
    if (result.outcome == Outcome::converged) {
      before = reached, reached = target;
      std::copy_n(followed.begin(), part.unknowns, followed_before.begin());
      std::copy_n(unknowns, part.unknowns, followed.begin());
    } else {
      stride /= 2;
      if (stride * finest < 1) return result;
    }
  }
  return result;
}

template <class T>
void Step<T>::Body::carry(const Part& part) noexcept {
  if (carried.empty()) return;
  const std::size_t own = 2 + static_cast<std::size_t>(part.states + part.unknowns);
  std::copy_n(x.begin(), own, carried_inputs.begin());
  std::copy(carried.begin(), carried.end(), carried_inputs.begin() + static_cast<long>(own));
  part.carried(carried_inputs.data(), carried.data(), work.data());
}

// The multipliers of a singular position, at the end of a step or at its start, say nothing about those behind it: what
// was predicted for them is learnt instead.
template <class T>
void Step<T>::Body::learn(Substep& sub, const Part& part, bool singular, T* unknowns) noexcept {
  ++learnt;
  if (sub.predictor.empty() || part.multipliers.empty()) return sub.predictor.learn(unknowns);
  T largest = 0, expected = 0;
  for (const int i : part.multipliers) {
    largest = std::max(largest, unknowns[i] < 0 ? -unknowns[i] : unknowns[i]);
    expected = std::max(expected, predicted[i] < 0 ? -predicted[i] : predicted[i]);
  }
  const bool wild = singular || largest > wild_multipliers * expected;
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
StepResult Step<T>::Body::advance(T t0, T h, T* state, T* rest, bool singular) noexcept {
  StepResult result;
  const int states = static_cast<int>(now.size());
  // A single substep changes the state when nothing can fail any more; several work on a copy.
  const bool single = substeps.size() == 1;
  T* const at = single ? state : now.data();
  T* const at_rest = single ? rest : now_rest.data();
  if (!single) std::copy_n(state, states, at), std::copy_n(rest, states, at_rest);
  T t = t0;
  energy_change = discrete = dissipated = supplied = 0;
  learnt = 0;
  const auto solve = [&](Substep& sub) {
    return singular ? sub.newton->solve_singular(x.data()) : sub.newton->solve(x.data());
  };
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    Substep& sub = substeps[k];
    const Part& part = parts[sub.part];
    const T part_h = sub.share * h;
    T* unknowns = x.data() + 2 + states;
    const auto fill = [&] {
      x[0] = t, x[1] = part_h;
      std::copy_n(at, states, x.begin() + 2);
    };
    result.substep = static_cast<int>(k);
    if (sub.predictor.empty()) {
      first_guess(part, t, part_h, at);
      result.newton = solve(sub);
    } else {
      fill();
      sub.predictor.predict(unknowns);
      for (const int i : part.multipliers) predicted[i] = unknowns[i];
      result.newton = solve(sub);
      if (result.newton.outcome != Outcome::converged) {
        // The motion may have changed its character: once more from the last solution.
        fill();
        sub.predictor.last(unknowns);
        sub.newton->forget();
        result.newton = sub.newton->solve(x.data());
      }
    }
    if (result.newton.outcome == Outcome::diverged || result.newton.outcome == Outcome::singular)
      result.newton = follow(sub, part, t, part_h, at);
    if (result.newton.outcome != Outcome::converged) return result;
    learn(sub, part, result.newton.singular_position, unknowns);
    carry(part);
    part.increments(x.data(), added.data(), work.data());
    for (int i = 0; i < states; ++i) {
      // Compensated: next + rest is the state + added + the old rest, exactly but for the last bit of the rest.
      const T plus = added[i] + at_rest[i];
      const T next = at[i] + plus;
      const T back = next - at[i];
      at_rest[i] = (at[i] - (next - back)) + (plus - back);
      at[i] = next;
    }
    if (part.balance.outputs() > 0) {
      part.balance(x.data(), balance.data(), work.data());
      energy_change += balance[0];
      if (parted) dissipated += balance[1], supplied += balance[2];
      for (int i = parted ? 3 : 1; i < part.balance.outputs(); ++i) {
        const T size = balance[i] < 0 ? -balance[i] : balance[i];
        if (size > discrete) discrete = size;
      }
    }
    t += part_h;
    last = static_cast<int>(k);
  }
  if (!single) std::copy_n(at, states, state), std::copy_n(at_rest, states, rest);
  return result;
}

template <class T>
Step<T>::Step(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& hints,
              NewtonOptions options)
    : body_(std::make_unique<Body>(plan, t0, h, state, hints, options)) {}
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
    if (part.starter) part.starter = own(*part.starter);
  for (std::size_t k = 0; k < body->substeps.size(); ++k) {
    body->substeps[k].predictor.clear();
    std::size_t first = 0;  // the substep that has the same Newton
    while (body_->substeps[first].newton != body_->substeps[k].newton) ++first;
    body->substeps[k].newton = first < k ? body->substeps[first].newton : own(*body_->substeps[k].newton);
  }
  return Step(std::move(body));
}

template <class T>
void Step<T>::guess_from(const T* hints) noexcept {
  std::copy_n(hints, body_->hints.size(), body_->hints.begin());
  for (auto& sub : body_->substeps) sub.predictor.clear();
}

template <class T>
void Step<T>::restart(const T* hints) noexcept {
  guess_from(hints);
  for (auto& sub : body_->substeps) sub.newton->forget();
}

template <class T>
StepResult Step<T>::advance(T t0, T h, T* state, T* rest) noexcept {
  return body_->advance(t0, h, state, rest, false);
}

template <class T>
StepResult Step<T>::again_singular(T t0, T h, T* state, T* rest) noexcept {
  for (std::size_t k = 0; k < body_->learnt; ++k) body_->substeps[k].predictor.unlearn();
  return body_->advance(t0, h, state, rest, true);
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
  body_->inside.resize(part.internal.outputs());
  part.internal(body_->x.data(), body_->inside.data(), body_->work.data());
  body_->inside.insert(body_->inside.end(), body_->carried.begin(), body_->carried.end());
  return body_->inside;
}

template <class T>
std::vector<std::string> Step<T>::internal_names() const {
  std::vector<std::string> names = body_->parts[body_->substeps[body_->last].part].internal_names;
  names.insert(names.end(), body_->carried_names.begin(), body_->carried_names.end());
  return names;
}

template <class T>
std::optional<T> Step<T>::energy_change() const noexcept {
  if (!body_->foretells) return {};
  return body_->energy_change;
}

template <class T>
std::optional<std::pair<T, T>> Step<T>::energy_parts() const noexcept {
  if (!body_->parted) return {};
  return std::pair(body_->dissipated, body_->supplied);
}

template <class T>
T Step<T>::discrete() const {
  return body_->discrete;
}

template <class T>
bool Step<T>::has_discrete() const {
  return body_->parts[0].balance.outputs() > (body_->parted ? 3 : 1);
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
  for (std::size_t k = 0; k < body_->substeps.size(); ++k) {
    const auto& sub = body_->substeps[k];
    const bool counted = std::any_of(body_->substeps.begin(), body_->substeps.begin() + static_cast<long>(k),
                                     [&](const auto& other) { return other.newton == sub.newton; });
    if (counted) continue;
    const NewtonStatistics& one = sub.newton->statistics();
    total.iterations += one.iterations;
    total.factorizations += one.factorizations;
    total.evaluations += one.evaluations;
    for (const int size : one.factorization_sizes)
      if (std::find(total.factorization_sizes.begin(), total.factorization_sizes.end(), size) ==
          total.factorization_sizes.end())
        total.factorization_sizes.push_back(size);
  }
  return total;
}

template class Step<double>;
template class Step<Quad>;

}  // namespace alembert::internal
