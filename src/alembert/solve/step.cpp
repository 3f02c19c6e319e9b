#include "alembert/solve/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "alembert/base/error.h"

namespace alembert {

namespace {

// The part of next that is added to the state: exact where next is written state + increment.
Expr increment(Expr next, Expr state) {
  if (next == state) return state.graph().constant(0);
  const Node node = next.graph().node(next.id());
  const Expr a(&next.graph(), node.a), b(&next.graph(), node.b);
  if (node.op == Op::add && a == state) return b;
  if (node.op == Op::add && b == state) return a;
  if (node.op == Op::subtract && a == state) return -b;
  return next - state;
}

// Predicts the unknowns of the next step from those of the last ones: backward differences, and the degree that would
// have served best at the last step.
template <class T>
class Predictor {
 public:
  static constexpr int most = 6;
  explicit Predictor(int n) : n_(n), seed_(n) {
    for (auto& d : differences_) d.assign(n, T(0));
  }
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }

  void predict(T* u) const {
    for (int i = 0; i < n_; ++i) {
      T value = differences_[0][i];
      for (int k = 1; k <= degree_; ++k) value += differences_[k][i];
      u[i] = value;
    }
  }

  void last(T* u) const { std::copy_n(differences_[0].begin(), n_, u); }

  void learn(const T* u) {
    // differences_[k] becomes the k-th backward difference at the new step; what is left after k+1 of them is the
    // error that a prediction of degree k would have made.
    std::copy_n(u, n_, seed_.data());
    double best = 0;
    degree_ = 0;
    for (int k = 0; k < most; ++k) {
      double size = 0;
      for (int i = 0; i < n_; ++i) {
        const T now = seed_[i];
        seed_[i] = now - differences_[k][i];
        differences_[k][i] = now;
        const double left = static_cast<double>(seed_[i]);
        size += left * left;
      }
      if (k >= count_) break;  // the rest of the table is not filled yet
      if (k == 0 || size < best) best = size, degree_ = k;
    }
    if (count_ < most) ++count_;
    degree_ = std::min(degree_, count_ - 1);
  }

 private:
  int n_;
  int count_ = 0, degree_ = 0;
  std::array<std::vector<T>, most> differences_;
  std::vector<T> seed_;
};

}  // namespace

template <class T>
struct Step<T>::Body {
  struct Part {
    std::vector<std::string> labels, internal_names;
    int states = 0, unknowns = 0;
    Kernel<T> guess, increments, internal;
  };
  struct Substep {
    int part;
    T share;
    Newton<T> newton;
    Predictor<T> predictor;
  };
  std::vector<Part> parts;
  std::vector<Substep> substeps;
  std::vector<T> hints, x, guess_inputs, start, start_rest, now, now_rest, added, inside, work;
  int last = 0;

  Body(const StepPlan& plan, T t0, T h, const std::vector<T>& state, const std::vector<T>& given,
       NewtonOptions options);
  StepResult advance(T t0, T h, T* state, T* rest) noexcept;
  void first_guess(const Part& part, T t0, T h, const T* state) noexcept;
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
    for (int i = 0; i < states; ++i) added_exprs.push_back(increment(e.next[i], e.state[i]));
    const KernelOptions rare{Backend::interpreter, false};
    parts.push_back({e.labels, e.internal_names, states, static_cast<int>(e.unknowns.size()),
                     Kernel<T>(for_guess, e.guess, rare), Kernel<T>(all, added_exprs, options.kernel),
                     Kernel<T>(all, e.internal, rare)});
    const Part& part = parts.back();
    space = std::max({space, part.guess.work(), part.increments.work(), part.internal.work()});
    widest = std::max(widest, all.size());
    most_internal = std::max(most_internal, e.internal.size());
    inputs.push_back(std::move(in));
  }
  x.resize(widest), work.resize(space), added.resize(states), inside.resize(most_internal);
  start.resize(states), start_rest.resize(states), now.resize(states), now_rest.resize(states);
  guess_inputs.resize(2 + states + given.size());
  for (const StepPlan::Substep& sub : plan.sequence) {
    const StepEquations& e = plan.parts[sub.part];
    const Part& part = parts[sub.part];
    first_guess(part, t0, T(sub.share) * h, state.data());
    std::vector<T> typical(x.begin(), x.begin() + 2 + states + part.unknowns);
    Newton<T> newton({inputs[sub.part], e.unknowns, e.equations, e.groups, e.stages}, typical, options);
    substeps.push_back({sub.part, T(sub.share), std::move(newton), Predictor<T>(part.unknowns)});
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
  part.guess(guess_inputs.data(), x.data() + 2 + part.states, work.data());
}

template <class T>
StepResult Step<T>::Body::advance(T t0, T h, T* state, T* rest) noexcept {
  StepResult result;
  const int states = static_cast<int>(now.size());
  std::copy_n(state, states, now.begin());
  std::copy_n(rest, states, now_rest.begin());
  T t = t0;
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    Substep& sub = substeps[k];
    const Part& part = parts[sub.part];
    const T part_h = sub.share * h;
    T* unknowns = x.data() + 2 + states;
    const auto fill = [&] {
      x[0] = t, x[1] = part_h;
      std::copy_n(now.begin(), states, x.begin() + 2);
    };
    result.substep = static_cast<int>(k);
    if (sub.predictor.empty()) {
      first_guess(part, t, part_h, now.data());
      result.newton = sub.newton.solve(x.data());
    } else {
      fill();
      sub.predictor.predict(unknowns);
      result.newton = sub.newton.solve(x.data());
      if (result.newton.outcome != Outcome::converged) {
        // The motion may have changed its character: once more from the last solution.
        fill();
        sub.predictor.last(unknowns);
        sub.newton.forget();
        result.newton = sub.newton.solve(x.data());
      }
    }
    if (result.newton.outcome != Outcome::converged) return result;
    sub.predictor.learn(unknowns);
    part.increments(x.data(), added.data(), work.data());
    for (int i = 0; i < states; ++i) {
      // Compensated: next + now_rest is now + added + the old rest, exactly but for the last bit of the rest.
      const T plus = added[i] + now_rest[i];
      const T next = now[i] + plus;
      const T back = next - now[i];
      now_rest[i] = (now[i] - (next - back)) + (plus - back);
      now[i] = next;
    }
    t += part_h;
    last = static_cast<int>(k);
  }
  std::copy_n(now.begin(), states, state);
  std::copy_n(now_rest.begin(), states, rest);
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
void Step<T>::restart(const T* hints) noexcept {
  std::copy_n(hints, body_->hints.size(), body_->hints.begin());
  for (auto& sub : body_->substeps) sub.predictor.clear(), sub.newton.forget();
}

template <class T>
StepResult Step<T>::advance(T t0, T h, T* state, T* rest) noexcept {
  return body_->advance(t0, h, state, rest);
}

template <class T>
const std::vector<T>& Step<T>::internal() {
  const auto& part = body_->parts[body_->substeps[body_->last].part];
  part.internal(body_->x.data(), body_->inside.data(), body_->work.data());
  body_->inside.resize(part.internal.outputs());
  return body_->inside;
}

template <class T>
const std::vector<std::string>& Step<T>::internal_names() const {
  return body_->parts[body_->substeps[body_->last].part].internal_names;
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
  for (const auto& sub : body_->substeps) {
    const NewtonStatistics& one = sub.newton.statistics();
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
template class Step<Real>;

}  // namespace alembert
