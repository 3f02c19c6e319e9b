#include "alembert/run/failure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "alembert/base/decompositions.h"
#include "alembert/base/finite.h"
#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

constexpr std::size_t largest_analysis = 400;  // constraints; the eigenvalues of more would take seconds
// When a step fails with the constraints nearer to dependence than this, that is why; a gradient may well become
// shorter without vanishing.
constexpr double near_dependence = 0.1;
constexpr double short_gradient = 0.01;
// Some regular mechanisms are always nearer than that (a body far from its joint). Where a step starts farther away
// than this, it may just be too long.
constexpr double clear_dependence = 0.01;

std::string digits(double value, int count) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", count, value);
  return text;
}

std::vector<double> values_at(const Kernel<double>& kernel, double t, std::span<const double> state) {
  std::vector<double> in{t}, out(kernel.outputs()), work(kernel.work());
  in.insert(in.end(), state.begin(), state.end());
  kernel(in.data(), out.data(), work.data());
  return out;
}

SparseExprs without_values(SparseExprs matrix) {
  matrix.value.clear();
  return matrix;
}

}  // namespace

std::string time_text(double t) { return digits(t, 12); }

FailureAnalysis::FailureAnalysis(const Equations& e, const std::vector<Prescribed>& named) : jumps_(e, named) {
  nonlinear_ = !e.ideal && depends(jacobian(e.r, e.lambda).value, e.lambda);
  const std::size_t count = e.g.size() + e.k.size();
  if (count == 0 || count > largest_analysis || e.z.empty()) return;
  names_ = joined<std::string>(e.g_names, e.k_names);
  const std::string word = "constraint ";
  for (std::string& name : names_)
    if (name.starts_with(word)) name = name.substr(word.size());  // the sentences say "constraint" themselves
  const SparseExprs G = jacobian(joined<Expr>(e.g_dot, e.k), e.z);
  gradients_ = Kernel<double>(state_arguments(e), G.value, interpreted);
  velocity_ = Kernel<double>(state_arguments(e), e.v, interpreted);
  pattern_ = without_values(G);
}

void FailureAnalysis::bind(const double* parameters) noexcept {
  gradients_.bind(parameters);
  velocity_.bind(parameters);
  jumps_.bind(parameters);
}

std::vector<double> FailureAnalysis::gradients(double t, std::span<const double> state) const {
  const std::vector<double> values = values_at(gradients_, t, state);
  std::vector<double> rows(static_cast<std::size_t>(pattern_.rows) * pattern_.columns, 0);
  for (int i = 0; i < pattern_.rows; ++i)
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
      rows[static_cast<std::size_t>(i) * pattern_.columns + pattern_.column[k]] += values[k];
  return rows;
}

Dependence FailureAnalysis::dependence(double t, std::span<const double> state, std::span<const double> longest) const {
  if (names_.empty()) return {};
  const std::vector<double> rows = gradients(t, state);
  if (!all_finite(rows)) return {};
  const std::size_t count = names_.size(), columns = pattern_.columns;
  std::vector<double> unit(rows.size());  // the rows with length 1, by columns
  Dependence result;
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < columns; ++j) squares += rows[i * columns + j] * rows[i * columns + j];
    const double now = std::sqrt(squares), most = longest.size() == count ? std::max(now, longest[i]) : now;
    const double length = most > 0 ? now / most : 0;
    for (std::size_t j = 0; j < columns; ++j)
      unit[j * count + i] = now > 0 ? rows[i * columns + j] / now : rows[i * columns + j];
    if (length >= result.length) continue;
    result.length = length;
    result.words = names_[i] + " loses its gradient";
  }
  if (result.length == 0) return result;
  const SymmetricEigen parts = gram_eigen({unit.data(), static_cast<long>(count), static_cast<long>(columns)});
  if (!parts.converged) return result;
  result.distance = std::sqrt(std::max(0.0, parts.values[0]));
  if (result.distance >= result.length) return result;
  double most = 0;  // of the first, the weakest vector
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(parts.vectors[i]));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    if (std::abs(parts.vectors[i]) > 0.1 * most) names.push_back(names_[i]);
  if (names.size() < 2) return result;
  result.words = names.back() + " becomes dependent on ";
  for (std::size_t i = 0; i + 1 < names.size(); ++i) result.words += (i ? ", " : "") + names[i];
  return result;
}

bool FailureAnalysis::is_nearer(double bound, double t, std::span<const double> state, Room& room) const {
  if (names_.empty()) return false;
  const std::size_t count = names_.size(), columns = pattern_.columns;
  room.in.resize(1 + state.size());
  room.values.resize(gradients_.outputs());
  room.work.resize(gradients_.work());
  room.in[0] = t;
  std::copy(state.begin(), state.end(), room.in.begin() + 1);
  gradients_(room.in.data(), room.values.data(), room.work.data());
  room.unit.assign(count * columns, 0);
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = &room.unit[i * columns];
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k) row[pattern_.column[k]] += room.values[k];
    const double length = std::sqrt(std::inner_product(row, row + columns, row, 0.0));
    if (!(length > 0 && std::isfinite(length))) return false;
    std::transform(row, row + columns, row, [length](double x) { return x / length; });
  }
  // Cholesky's factor of the Gram matrix less the square of the bound: there is one where all singular values are
  // larger.
  room.gram.resize(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double *a = &room.unit[i * columns], *b = &room.unit[j * columns];
      const double *left = &room.gram[i * count], *right = &room.gram[j * count];
      const double rest = std::inner_product(a, a + columns, b, i == j ? -bound * bound : 0.0) -
                          std::inner_product(left, left + j, right, 0.0);
      if (i == j && !(rest > 0)) return true;
      room.gram[i * count + j] = i == j ? std::sqrt(rest) : rest / right[j];
    }
  return false;
}

/// How near the constraints come to dependence on the straight way of a step: a step that cannot be made often fails
/// because of what lies behind its start.
Dependence FailureAnalysis::ahead(double t, double h, std::span<const double> state,
                                  std::span<const double> longest) const {
  Dependence nearest = dependence(t, state, longest);
  if (names_.empty()) return nearest;
  const std::vector<double> v = values_at(velocity_, t, state);
  std::vector<double> there(state.begin(), state.end());
  for (const double share : {0.5, 1.0}) {
    for (std::size_t i = 0; i < v.size(); ++i) there[i] = state[i] + share * h * v[i];
    Dependence found = dependence(t + share * h, there, longest);
    if (std::min(found.distance, found.length) < std::min(nearest.distance, nearest.length)) nearest = std::move(found);
  }
  return nearest;
}

std::string FailureAnalysis::explain_step(const NewtonResult& newton, const std::string& label, double t, double h,
                                          std::span<const double> state, std::span<const double> longest,
                                          double moves) const {
  std::string text;
  switch (newton.outcome) {
    case Outcome::singular: text = "the equations of the step are singular"; break;
    case Outcome::not_finite: text = "a value is not finite"; break;
    case Outcome::contradiction: text = "the constraints contradict each other"; break;
    case Outcome::other_branch:
      text = "the equations of the step have several solutions and none continues the motion";
      break;
    default: text = "Newton's method does not converge"; break;
  }
  text += " in the step from t = " + time_text(t) + " to " + time_text(t + h);
  if (!label.empty()) {
    text += " (worst: " + label;
    if (newton.outcome == Outcome::diverged || newton.outcome == Outcome::contradiction)
      text += ", residual " + digits(newton.residual, 3);
    text += ")";
  }
  if (const std::string jump = jumps_.explain(t, state, moves); !jump.empty()) return text + "; " + jump;
  const Dependence found = ahead(t, h, state, longest);
  const double shortest = newton.outcome == Outcome::singular ? near_dependence : short_gradient;
  const bool lost = found.length < shortest;
  if (!lost && found.distance < near_dependence && dependence(t, state, longest).distance > clear_dependence)
    return text + "; the step is too long, or the constraints lose rank on its way: constraint " + found.words +
           "; try a smaller step";
  if (lost || found.distance < near_dependence)
    return text + "; the constraints lose rank there: constraint " + found.words;
  if (nonlinear_)
    return text +
           "; the reaction is nonlinear in the multiplier, and there is no real solution near the last one (or two "
           "branches meet here): try a smaller step, the naive `guess` or another method";
  if (newton.outcome == Outcome::other_branch) text += "; the step is too long";
  return text + "; try a smaller step";
}

bool FailureAnalysis::loses_rank(double t, double h, std::span<const double> state,
                                 std::span<const double> longest) const {
  return !names_.empty() && ahead(t, h, state, longest).distance < near_dependence;
}

std::string FailureAnalysis::explain_rank(double t, std::span<const double> state,
                                          std::span<const double> longest) const {
  const Dependence found = dependence(t, state, longest);
  return "the constraints lose rank near t = " + time_text(t) +
         (found.words.empty() ? "" : ": constraint " + found.words) +
         "; beyond this position the motion is not determined, or the step is too large to follow it";
}

LightMasses::LightMasses(const Method& method, const Equations& e)
    : share_(method.capabilities.massless ? 0 : method.capabilities.light_mass), names_(e.z_names) {
  if (share_ == 0) return;
  const SparseExprs mass = jacobian(e.p, e.z), damping = jacobian(e.f, e.z);
  kernel_ = Kernel<double>(state_arguments(e), joined<Expr>(mass.value, damping.value), interpreted);
  mass_ = without_values(mass);
  damping_ = without_values(damping);
}

std::string LightMasses::explain(double t, double h, std::span<const double> state) const {
  if (share_ == 0) return "";
  constexpr double light = 0.01;  // against the heaviest
  const std::vector<double> values = values_at(kernel_, t, state);
  const auto row_sizes = [&](const SparseExprs& pattern, std::size_t first) {
    std::vector<double> sizes(names_.size(), 0);
    for (int i = 0; i < pattern.rows; ++i)
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        sizes[i] = std::max(sizes[i], std::abs(values[first + k]));
    return sizes;
  };
  const std::vector<double> mass = row_sizes(mass_, 0), damping = row_sizes(damping_, mass_.column.size());
  const double heaviest = mass.empty() ? 0 : *std::max_element(mass.begin(), mass.end());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (!(mass[i] < light * heaviest && mass[i] < share_ * std::abs(h) * damping[i])) continue;
    return names_[i] + " has a mass of " + digits(mass[i], 3) + " against forces of velocity of " +
           digits(damping[i], 3) + ": this method makes steps in the momenta, which lose such a velocity (" +
           families_that_take(&Capabilities::massless) + " do not)";
  }
  return "";
}

}  // namespace alembert::internal
