#include "alembert/start/conflicts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "alembert/base/lists.h"
#include "alembert/model/refuse.h"
#include "alembert/start/dense.h"
#include "alembert/start/finite.h"
#include "alembert/start/messages.h"

namespace alembert::internal {

namespace {

/// Constraints among which a smallest conflict is searched: each of them costs a solution without it.
constexpr std::size_t largest_conflict_search = 60;
/// In larger systems those constraints are named whose residual is not small against the largest. A compromise between
/// constraints that contradict each other leaves residuals of one size, all others vanish to rounding.
constexpr double named_residual = 1e-3;

/// A smallest set of constraints that cannot hold together: each is left out in turn, and stays out when the others
/// still have no solution.
std::vector<int> smallest_conflict(const NearestPoint& nearest, NearestPoint::Request request) {
  std::vector<int> conflict = request.active;
  for (std::size_t k = 0; k < conflict.size() && conflict.size() > 1;) {
    request.active = conflict;
    request.active.erase(request.active.begin() + static_cast<std::ptrdiff_t>(k));
    if (nearest.solve(request).converged) ++k;
    else conflict = request.active;
  }
  return conflict;
}

/// The constraints that do not vanish in the end.
std::vector<int> not_fulfilled(const std::vector<int>& active, const std::vector<double>& residual) {
  const double most = max_abs(residual);
  std::vector<int> conflict;
  for (const int i : active) {
    if (!(std::abs(residual[i]) <= named_residual * most)) conflict.push_back(i);
  }
  return conflict.empty() ? active : conflict;
}

std::vector<int> conflict_of(const NearestPoint& nearest, const NearestPoint::Request& request,
                             const NearestPoint::Result& failed) {
  return request.active.size() <= largest_conflict_search ? smallest_conflict(nearest, request)
                                                          : not_fulfilled(request.active, failed.residual);
}

/// The pinned unknowns on which these constraints depend.
std::vector<std::string> pinned_in(const NearestPoint& nearest, const NearestPoint::Request& request,
                                   const std::vector<int>& constraints, const Level& level) {
  const SparseExprs& jacobian = nearest.constraints().derivative_expressions();
  std::vector<bool> concerned(request.fixed.size(), false);
  for (const int i : constraints) {
    for (int k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) concerned[jacobian.column[k]] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < concerned.size(); ++i) {
    if (request.fixed[i] && concerned[i]) names.push_back(level.unknown_names[i]);
  }
  return names;
}

/// "rod1 still misses by 0.5", of the worst in the conflict.
std::string worst_residual(const std::vector<int>& conflict, const std::vector<double>& residual, const Level& level) {
  std::string text;
  double worst = 0;
  for (const int i : conflict) {
    if (std::abs(residual[i]) < worst) continue;
    worst = std::abs(residual[i]);
    text = level.names[i] + " still misses by " + to_text(residual[i]);
  }
  return text;
}

[[noreturn]] void refuse_contradiction(const Model& model, const Level& level, const std::vector<int>& conflict,
                                       const std::vector<double>& residual) {
  const std::string near = std::string("no ") + level.values + " near the given ones satisfy ";
  refuse(model, level.places[conflict.front()],
         conflict.size() == 1
             ? "the constraint " + level.names[conflict[0]] + " cannot hold: " + near + "it"
             : "the constraints " + listed(chosen(level.names, conflict)) + " contradict each other: " + near + "them",
         "at the nearest ones found, " + worst_residual(conflict, residual, level));
}

[[noreturn]] void refuse_pins(const Model& model, const Level& level, const std::vector<int>& conflict,
                              const std::vector<std::string>& pinned, bool set) {
  if (set)
    refuse(model, level.places[conflict.front()],
           "no " + std::string(level.values) + " satisfy " + listed(chosen(level.names, conflict)) +
               (pinned.size() == 1 ? " with this value of " : " with these values of ") + listed(pinned),
           "set fewer values at once, or others: without them there is a solution");
  refuse(model, level.places[conflict.front()],
         "the pinned " + listed(pinned) + (pinned.size() == 1 ? " leaves" : " leave") + " no " + level.values +
             " that satisfy " + listed(chosen(level.names, conflict)),
         "pin fewer values, or others: without pins there is a solution");
}

/// What is wrong with one constraint at the given values.
class ConstraintCheck {
 public:
  ConstraintCheck(const Model& model, const Level& level, const NearestPoint& nearest,
                  const NearestPoint::Request& request, const double* parameters)
      : model_(model),
        level_(level),
        in_(joined<double>(request.inputs, request.given)),
        values_(nearest.constraints().values(in_, rounding_)),
        jacobian_(nearest.constraints().derivative(in_)),
        parameters_(parameters) {}

  std::optional<Diagnostic> operator()(int i) const {
    const auto begin = jacobian_.value.begin() + jacobian_.row_start[i];
    const auto end = jacobian_.value.begin() + jacobian_.row_start[i + 1];
    const bool finite = std::all_of(begin, end, [](double slope) { return std::isfinite(slope); });
    const bool moves = std::any_of(begin, end, [](double slope) { return slope != 0; });
    if (!std::isfinite(values_[i])) return not_finite(i);
    if (!finite) return no_derivative(i);
    if (!moves && std::abs(values_[i]) > rounding_allowance * rounding_[i]) return stuck(i, begin == end);
    return {};
  }

 private:
  Diagnostic said(int i, const std::string& what, std::string hint) const {
    return {model_.source, level_.places[i], "the constraint " + level_.names[i] + what, std::move(hint)};
  }
  Diagnostic not_finite(int i) const {
    return said(i, std::string(" is not finite at the given ") + level_.values + " (" + to_text(values_[i]) + ")",
                first_not_finite(level_.constraints[i], level_.symbols(), in_, parameters_));
  }
  Diagnostic no_derivative(int i) const {
    return said(i, std::string(" has no derivative at the given ") + level_.values,
                "give other initial values (what is not given is 0), or write it without roots: norm2(a - b) = l^2");
  }
  Diagnostic stuck(int i, bool depends_on_nothing) const {
    const std::string values = level_.values;
    if (depends_on_nothing)
      return said(i, " does not hold, and no " + values + " can change it",
                  "left minus right side is " + to_text(values_[i]));
    return said(i, " does not hold at the given " + values + ", and its gradient vanishes there",
                "give initial values near the wanted ones: what is not given is 0");
  }

  const Model& model_;
  const Level& level_;
  std::vector<double> in_, rounding_, values_;
  SparseRows jacobian_;
  const double* parameters_;
};

}  // namespace

void check_constraints(const Model& model, const Level& level, const NearestPoint& nearest,
                       const NearestPoint::Request& request, const double* parameters) {
  const ConstraintCheck check(model, level, nearest, request, parameters);
  std::vector<Diagnostic> diagnostics;
  for (const int i : request.active)
    if (std::optional<Diagnostic> wrong = check(i)) diagnostics.push_back(std::move(*wrong));
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

void explain_conflict(const Model& model, const Level& level, const NearestPoint& nearest,
                      const NearestPoint::Request& request, const NearestPoint::Result& failed, bool set) {
  if (std::find(request.fixed.begin(), request.fixed.end(), true) == request.fixed.end())
    refuse_contradiction(model, level, conflict_of(nearest, request, failed), failed.residual);
  NearestPoint::Request without_pins = request;
  without_pins.fixed.assign(request.fixed.size(), false);
  const NearestPoint::Result last = nearest.solve(without_pins);
  if (!last.converged) refuse_contradiction(model, level, conflict_of(nearest, without_pins, last), last.residual);
  const std::vector<int> conflict = conflict_of(nearest, request, failed);
  refuse_pins(model, level, conflict, pinned_in(nearest, request, conflict, level), set);
}

}  // namespace alembert::internal
