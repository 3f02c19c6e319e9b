#include "alembert/run/failure.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

constexpr std::size_t largest_analysis = 400;  // constraints; the eigenvalues of more would take seconds
// When a step fails with the constraints nearer to dependence than this, that is why; a gradient may well become
// shorter without vanishing.
constexpr double near = 0.1;
constexpr double short_gradient = 0.01;

std::string digits(double value, int count) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", count, value);
  return text;
}

/// d(g_t + g_y v, k)/dz, the rows that must be independent for the multipliers to be determined.
Eigen::MatrixXd gradients(const Equations& e, double t, std::span<const double> state) {
  Exprs in{e.t}, levels = e.g_dot;
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  levels.insert(levels.end(), e.k.begin(), e.k.end());
  const SparseExprs G = jacobian(levels, e.z);
  const Kernel<double> kernel(in, G.value, {Backend::interpreter, false});
  std::vector<double> x{t}, values(G.value.size()), work(kernel.work());
  x.insert(x.end(), state.begin(), state.end());
  kernel(x.data(), values.data(), work.data());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(G.rows, G.columns);
  for (int i = 0; i < G.rows; ++i)
    for (int k = G.row_start[i]; k < G.row_start[i + 1]; ++k) rows(i, G.column[k]) += values[k];
  return rows;
}

}  // namespace

std::string time_text(double t) { return digits(t, 12); }

Dependence dependence(const Equations& e, double t, std::span<const double> state, std::span<const double> longest) {
  const std::size_t count = e.g.size() + e.k.size();
  if (count == 0 || count > largest_analysis || e.z.empty()) return {};
  Eigen::MatrixXd rows = gradients(e, t, state);
  if (!rows.allFinite()) return {};
  const auto name = [&](Eigen::Index i) {
    const std::size_t k = static_cast<std::size_t>(i);
    return k < e.g.size() ? e.g_names[k] : e.k_names[k - e.g.size()];
  };
  Dependence result;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double now = rows.row(i).norm(), most = longest.size() == count ? std::max(now, longest[i]) : now;
    const double length = most > 0 ? now / most : 0;
    if (now > 0) rows.row(i) /= now;
    if (length >= result.length) continue;
    result.length = length;
    result.words = name(i) + " loses its gradient";
  }
  if (result.length == 0) return result;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> values(rows * rows.transpose());
  if (values.info() != Eigen::Success) return result;
  result.distance = std::sqrt(std::max(0.0, values.eigenvalues()[0]));
  if (result.distance >= result.length) return result;
  const Eigen::VectorXd weakest = values.eigenvectors().col(0).cwiseAbs();
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < weakest.size(); ++i)
    if (weakest[i] > 0.1 * weakest.maxCoeff()) names.push_back(name(i));
  if (names.size() < 2) return result;
  result.words = names.back() + " becomes dependent on ";
  for (std::size_t i = 0; i + 1 < names.size(); ++i) result.words += (i ? ", " : "") + names[i];
  return result;
}

namespace {

/// How near the constraints come to dependence on the straight way of a step: a step that cannot be made often fails
/// because of what lies behind its start.
Dependence ahead(const Equations& e, double t, double h, std::span<const double> state,
                 std::span<const double> longest) {
  Dependence nearest = dependence(e, t, state, longest);
  if (e.g.empty() && e.k.empty()) return nearest;
  Exprs in{e.t};
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  const Kernel<double> velocity(in, e.v, {Backend::interpreter, false});
  std::vector<double> x{t}, v(e.v.size()), work(velocity.work()), there(state.begin(), state.end());
  x.insert(x.end(), state.begin(), state.end());
  velocity(x.data(), v.data(), work.data());
  for (const double share : {0.5, 1.0}) {
    for (std::size_t i = 0; i < v.size(); ++i) there[i] = state[i] + share * h * v[i];
    Dependence found = dependence(e, t + share * h, there, longest);
    if (std::min(found.distance, found.length) < std::min(nearest.distance, nearest.length)) nearest = std::move(found);
  }
  return nearest;
}

}  // namespace

std::string explain_step(const Equations& e, const NewtonResult& newton, const std::string& label, double t, double h,
                         std::span<const double> state, std::span<const double> longest) {
  std::string text;
  switch (newton.outcome) {
    case Outcome::singular: text = "the equations of the step are singular"; break;
    case Outcome::not_finite: text = "a value is not finite"; break;
    case Outcome::contradiction: text = "the constraints contradict each other"; break;
    default: text = "Newton's method does not converge"; break;
  }
  text += " in the step from t = " + time_text(t) + " to " + time_text(t + h);
  if (!label.empty()) {
    text += " (worst: " + label;
    if (newton.outcome == Outcome::diverged || newton.outcome == Outcome::contradiction)
      text += ", residual " + digits(newton.residual, 3);
    text += ")";
  }
  const Dependence found = ahead(e, t, h, state, longest);
  const double shortest = newton.outcome == Outcome::singular ? near : short_gradient;
  if (found.distance < near || found.length < shortest)
    return text + "; the constraints lose rank there: constraint " + found.words;
  if (depends(jacobian(e.r, e.lambda).value, e.lambda))
    return text +
           "; the reaction is nonlinear in the multiplier, and there is no real solution near the last one (or two "
           "branches meet here): try a smaller step or another method";
  return text + "; try a smaller step";
}

std::string explain_rank(const Equations& e, double t, std::span<const double> state, std::span<const double> longest) {
  const Dependence found = dependence(e, t, state, longest);
  return "the constraints lose rank near t = " + time_text(t) +
         (found.words.empty() ? "" : ": constraint " + found.words) +
         "; beyond this position the motion is not determined, or the step is too large to follow it";
}

std::string explain_light_mass(const Method& method, const Equations& e, double t, double h,
                               std::span<const double> state) {
  if (method.capabilities.massless) return "";
  constexpr double light = 0.01;  // against the heaviest
  const double share = method.capabilities.light_mass;
  Exprs in{e.t};
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  std::vector<double> x{t};
  x.insert(x.end(), state.begin(), state.end());
  const auto row_sizes = [&](const Exprs& functions) {
    const SparseExprs J = jacobian(functions, e.z);
    const Kernel<double> kernel(in, J.value, {Backend::interpreter, false});
    std::vector<double> values(J.value.size()), work(kernel.work()), sizes(e.z.size(), 0);
    kernel(x.data(), values.data(), work.data());
    for (int i = 0; i < J.rows; ++i)
      for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) sizes[i] = std::max(sizes[i], std::abs(values[k]));
    return sizes;
  };
  const std::vector<double> mass = row_sizes(e.p), damping = row_sizes(e.f);
  const double heaviest = mass.empty() ? 0 : *std::max_element(mass.begin(), mass.end());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (!(mass[i] < light * heaviest && mass[i] < share * std::abs(h) * damping[i])) continue;
    return e.z_names[i] + " has a mass of " + digits(mass[i], 3) + " against forces of velocity of " +
           digits(damping[i], 3) + ": this method makes steps in the momenta, which lose such a velocity (" +
           families_that_take(&Capabilities::massless) + " do not)";
  }
  return "";
}

}  // namespace alembert::internal
