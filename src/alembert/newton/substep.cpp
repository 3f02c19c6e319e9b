#include "alembert/newton/substep.h"

#include <algorithm>
#include <type_traits>

#include "alembert/base/magnitude.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/increments.h"

namespace alembert::internal {

namespace {

// Wild multipliers are distrusted so many times in a row, after which they are the motion.
constexpr int most_distrusted = 4;

template <class T>
T largest(const std::vector<int>& places, const T* values) {
  T most = 0;
  for (const int i : places) most = std::max(most, magnitude(values[i]));
  return most;
}

}  // namespace

template <class T>
void Substep<T>::learn(const StepPart<T>& of, bool singular, T* u, T* predicted) noexcept {
  if (predictor.empty() || of.multipliers.empty()) return predictor.learn(u + first);
  const bool wild = singular || largest(of.multipliers, u) > wild_multipliers * largest(of.multipliers, predicted);
  distrusted = wild && distrusted < most_distrusted ? distrusted + 1 : 0;
  if (distrusted == 0) return predictor.learn(u + first);
  const auto exchange = [&] {
    for (const int i : of.multipliers) std::swap(u[i], predicted[i]);
  };
  exchange();
  predictor.learn(u + first);
  exchange();
}

template <class T>
void SubstepRoom<T>::fit(const std::vector<StepPart<T>>& parts, std::size_t states, std::size_t extra_x,
                         std::size_t extra_work) {
  std::size_t space = extra_work, widest = 0, for_guess = 0;
  for (const StepPart<T>& part : parts) {
    space = std::max(space, part.work());
    widest = std::max<std::size_t>(widest, part.inputs() + part.unknowns);
    for_guess = std::max(for_guess, part.inputs() + guess_values.size() + part.guess_unknowns);
  }
  x.resize(widest + extra_x);
  work.resize(space);
  guess_inputs.resize(for_guess);
  for (auto* unknowns : {&predicted, &found, &latest}) unknowns->resize(widest);
  for (auto* changes : {&change_found, &change, &marked}) changes->resize(states);
  homotopy = Homotopy<T>(static_cast<int>(widest));
}

template <class T>
void SubstepSolve<T>::initial_guess(T h) noexcept {
  auto& x = room_.x;
  x[0] = t_;
  x[1] = h;
  std::copy_n(state_, part_.states, x.begin() + 2);
  const auto& values = room_.guess_values;
  auto& inputs = room_.guess_inputs;
  std::copy_n(x.begin(), part_.inputs(), inputs.begin());
  std::copy(values.begin(), values.end(), inputs.begin() + part_.inputs());
  if (part_.guess_newton) {
    // Where its equations cannot be solved, their own guess serves; the step then says whether there is a solution.
    T* const unknowns = inputs.data() + part_.inputs() + values.size();
    std::copy_n(values.begin(), part_.guess_unknowns, unknowns);
    if (part_.guess_newton->solve(inputs.data()).outcome != Outcome::converged)
      std::copy_n(values.begin(), part_.guess_unknowns, unknowns);
  }
  part_.guess(inputs.data(), unknowns_, room_.work.data());
}

// Fills x with t, h, state and the prediction, or what is known of a step beside this one, or the method's own guess.
template <class T>
void SubstepSolve<T>::guess(Substep<T>& sub, const std::vector<StageSeries>& series) noexcept {
  if (room_.same) {
    room_.x[0] = t_;
    room_.x[1] = h_;
    std::copy_n(state_, part_.states, room_.x.begin() + 2);
    std::copy_n(room_.same->unknowns.begin(), part_.unknowns, unknowns_);
    return;
  }
  if (sub.predictor.empty()) {
    initial_guess();
    const auto& near = room_.near;
    if (near[0]) guess_from_steps<T>(series, {near.data(), near[1] ? 2U : 1U}, t_, h_, state_, unknowns_);
    return;
  }
  room_.x[0] = t_;
  room_.x[1] = h_;
  std::copy_n(state_, part_.states, room_.x.begin() + 2);
  sub.predictor.predict(unknowns_ + sub.first);
  for (const int i : part_.multipliers) room_.predicted[i] = unknowns_[i];
}

// The same with the unknowns that follow from what is predicted.
template <class T>
void SubstepSolve<T>::guess_all(Substep<T>& sub, const std::vector<StageSeries>& series) noexcept {
  guess(sub, series);
  if (!room_.same && !sub.predictor.empty()) sub.newton->complete(room_.x.data());
}

// The unknowns that were learnt last, and what follows from them at this state.
template <class T>
void SubstepSolve<T>::take_last(Substep<T>& sub) noexcept {
  sub.predictor.last(unknowns_ + sub.first);
  sub.newton->complete(room_.x.data());
}

// From the guess in x. False where there is no such way, or it leads nowhere: then x holds anything.
template <class T>
bool SubstepSolve<T>::solve_usual(UsualStep* usual, NewtonResult& result) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    if (!usual->solve(room_.x.data(), result)) return false;
    usually_ = certain(result);
    return true;
  }
  return false;
}

// What is usual ends here.
template <class T>
NewtonResult SubstepSolve<T>::solve(Substep<T>& sub, UsualStep* usual, const std::vector<StageSeries>& series,
                                    bool singular) noexcept {
  guess(sub, series);
  if (part_.inclusions) {
    // What acts may be another thing in every step: the last one is as good a guess as any.
    if (!sub.predictor.empty()) take_last(sub);
    return sub.newton->solve(room_.x.data());
  }
  NewtonResult result;
  if (usual && !singular) {
    if (solve_usual(usual, result)) return usually_ ? result : solve_in_doubt(sub, series, result);
    guess(sub, series);
  }
  if (singular) result = sub.newton->solve_singular(room_.x.data());
  else result = room_.brief ? sub.newton->solve_briefly(room_.x.data()) : sub.newton->solve(room_.x.data());
  if (result.outcome == Outcome::converged && (singular || certain(result))) return result;
  return solve_in_doubt(sub, series, result);
}

// Where Newton failed, or where what it found may not continue the motion: from the last solution, then from short
// steps. What is found twice stands as it was found first.
template <class T>
NewtonResult SubstepSolve<T>::solve_in_doubt(Substep<T>& sub, const std::vector<StageSeries>& series,
                                             NewtonResult result) noexcept {
  if (result.outcome != Outcome::converged && room_.brief) return result;
  if (result.outcome != Outcome::converged && !sub.predictor.empty()) {
    // The motion may have changed its character: once more from the last solution.
    take_last(sub);
    sub.newton->forget();
    result = sub.newton->solve(room_.x.data());
  }
  const bool any = result.outcome == Outcome::converged;
  if (!any && result.outcome != Outcome::diverged && result.outcome != Outcome::singular) return result;
  if (any) {
    std::copy_n(unknowns_, part_.unknowns, room_.found.begin());
    part_.increments(room_.x.data(), room_.change_found.data(), room_.work.data());
    guess_all(sub, series);
    mark();
    std::copy_n(room_.found.begin(), part_.unknowns, unknowns_);
    if (continues(result, [&] { return apart(room_.marked); })) return result;
    if (room_.brief) {
      result.outcome = Outcome::other_branch;
      return result;
    }
  }
  NewtonResult followed = follow(sub);
  followed.iterations += result.iterations;
  if (any && followed.outcome != Outcome::converged) {
    followed.outcome = Outcome::other_branch;
    followed.equation = -1;  // they all hold, elsewhere
  }
  if (followed.outcome != Outcome::converged) return followed;
  if (any && apart(room_.change_found) <= same_solution) std::copy_n(room_.found.begin(), part_.unknowns, unknowns_);
  return followed;
}

// Remembers the change of the state that x leads to.
template <class T>
void SubstepSolve<T>::mark() noexcept {
  part_.increments(room_.x.data(), room_.marked.data(), room_.work.data());
}

// How far the change of the state that x leads to is from another.
template <class T>
double SubstepSolve<T>::apart(const std::vector<T>& other) noexcept {
  const T* const x = room_.x.data();
  part_.increments(x, room_.change.data(), room_.work.data());
  return distance(x + 2, room_.change.data(), other.data(), part_.positions, part_.states, x[1]);
}

// From short steps. Where there are earlier steps, their accelerations and multipliers are nearer than those at the
// start of the motion.
template <class T>
NewtonResult SubstepSolve<T>::follow(Substep<T>& sub) noexcept {
  const bool again = !sub.predictor.empty();
  if (again) {
    take_last(sub);
    std::copy_n(unknowns_, part_.unknowns, room_.latest.begin());
    part_.increments(room_.x.data(), room_.change.data(), room_.work.data());
    for (int i = part_.positions; i < part_.states; ++i) room_.guess_values[i - part_.positions] = room_.change[i] / h_;
  }
  const auto guess = [&](T part_h) {
    initial_guess(part_h);
    for (const int i : part_.multipliers)
      if (again) unknowns_[i] = room_.latest[i];
  };
  const auto mark_here = [&] { mark(); };
  const auto apart_from_mark = [&] { return apart(room_.marked); };
  using Path = typename Homotopy<T>::template Path<decltype(guess), decltype(mark_here), decltype(apart_from_mark)>;
  const Path path{*sub.newton, room_.x.data(), part_.inputs(), part_.unknowns, guess, mark_here, apart_from_mark};
  const T first = again ? T(1) : T(1) / 2;  // without earlier steps the whole was tried already
  return room_.homotopy.follow(path, h_, first);
}

template struct Substep<double>;
template struct Substep<Quad>;
template struct SubstepRoom<double>;
template struct SubstepRoom<Quad>;
template class SubstepSolve<double>;
template class SubstepSolve<Quad>;

}  // namespace alembert::internal
