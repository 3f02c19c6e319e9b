#include "alembert/run/jumps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"

namespace alembert::internal {

namespace {

constexpr const char* words =
    " jumps there, and the motion can go on with neither of its values: it sticks, as with dry friction, which a sign "
    "or a condition cannot say; write `contact NAME load NORMAL friction mu along VELOCITY`, or `joint ... friction "
    "mu` where a joint rubs, which stick and slip; or friction(mu, normal, velocity), which creeps, or tanh(x/small) "
    "for sign(x)";

constexpr const char* without_direction =
    " has no direction there, where it is 0: so dry friction in a plane sticks, which a division by a speed cannot "
    "say; "
    "write `contact ... friction mu along VELOCITY, VELOCITY`, which sticks and slips, or friction(mu, normal, "
    "velocity), which creeps";

/// The signs and conditions in rates and forces that are functions of t, y and z, and the speeds that they are divided
/// by.
std::vector<Node> jumps_in(const Equations& e) {
  std::vector<Node> found;
  const Exprs all = joined<Expr>(e.v, e.f, e.N, e.r);
  if (all.empty() || e.port) return found;
  const Exprs state = joined<Expr>(e.y, e.z), others = joined<Expr>(e.lambda, e.psi, e.z_dot);
  for (const std::uint32_t id : reachable(all)) {
    const Node node = e.graph->node(id);
    const Expr argument(e.graph.get(), node.op == Op::divide ? node.b : node.a);
    if (node.op == Op::divide && e.graph->node(node.b).op == Op::sqrt && depends(argument, e.z) &&
        !depends(argument, others))
      found.push_back(node);
    if ((node.op != Op::sign && node.op != Op::positive) || !depends(argument, state)) continue;
    if (!depends(argument, others)) found.push_back(node);
  }
  return found;
}

/// As the user would write it: with the names that parts of it have, "h.rate", and cut where it is still long.
std::string written(Expr argument, const std::vector<std::pair<std::string, std::string>>& named) {
  constexpr std::size_t longest = 80;  // characters: a line of a terminal; quaternions make thousands
  std::string text = to_infix(argument);
  for (const auto& [formula, name] : named)
    for (std::size_t at = text.find(formula); at != std::string::npos; at = text.find(formula, at + name.size()))
      text.replace(at, formula.size(), name);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// Formulas with their names, the longest first: parts of them have names too.
std::vector<std::pair<std::string, std::string>> formulas(const Equations& e, const std::vector<Prescribed>& named) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < named.size() && i < e.prescribed.size(); ++i) {
    const Op op = e.graph->node(e.prescribed[i].id()).op;
    if (op != Op::symbol && op != Op::constant) all.emplace_back(to_infix(e.prescribed[i]), named[i].name);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return all;
}

}  // namespace

struct Jumps::Values {
  std::span<const double> arguments, by_t, slopes, v;
  std::vector<double> all;
};

Jumps::Jumps(const Equations& e, const std::vector<Prescribed>& named) : n_y_(e.y.size()) {
  const std::vector<Node> nodes = jumps_in(e);
  if (nodes.empty()) return;
  const auto known = formulas(e, named);
  Exprs arguments;
  for (const Node& node : nodes) {
    const bool divides = node.op == Op::divide;
    arguments.emplace_back(e.graph.get(), divides ? node.b : node.a);
    const std::string text = written(arguments.back(), known);
    names_.push_back(divides ? text : node.op == Op::sign ? "sign(" + text + ")" : "if(" + text + " > 0, ...)");
    divides_.push_back(divides);
  }
  const SparseExprs by_t = jacobian(arguments, Exprs{e.t});
  Exprs in_time(arguments.size(), e.graph->constant(0));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (int k = by_t.row_start[i]; k < by_t.row_start[i + 1]; ++k)
      in_time[i] = by_t.value[static_cast<std::size_t>(k)];
  pattern_ = jacobian(arguments, joined<Expr>(e.y, e.z));
  kernel_ =
      Kernel<double>(joined<Expr>(e.t, e.y, e.z), joined<Expr>(arguments, in_time, pattern_.value, e.v), interpreted);
  pattern_.value.clear();
}

Jumps::Values Jumps::values_at(double t, std::span<const double> state) const {
  std::vector<double> in{t}, work(kernel_.work());
  in.insert(in.end(), state.begin(), state.end());
  Values at;
  at.all.resize(kernel_.outputs());
  kernel_(in.data(), at.all.data(), work.data());
  const std::span<const double> all = at.all;
  const std::size_t count = names_.size(), slopes = pattern_.column.size();
  at.arguments = all.subspan(0, count);
  at.by_t = all.subspan(count, count);
  at.slopes = all.subspan(2 * count, slopes);
  at.v = all.subspan(2 * count + slopes);
  return at;
}

std::string Jumps::explain(double t, std::span<const double> state, double moves) const {
  if (names_.empty()) return "";
  constexpr double rounding = 1e-6;  // of what the state could make of the argument
  constexpr double arrived = 1e-3;   // of what a step does: where the motion ends in 0 the state itself is no measure
  double largest = arrived / rounding * moves;
  for (const double x : state) largest = std::max(largest, std::abs(x));
  const Values at = values_at(t, state);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    double slope = 0;
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
      slope += std::abs(at.slopes[static_cast<std::size_t>(k)]);
    // A speed need not come near 0 in the step before it would pass it.
    if (divides_[i] && std::abs(at.arguments[i]) <= slope * moves) return names_[i] + without_direction;
    if (!divides_[i] && std::abs(at.arguments[i]) <= rounding * slope * largest) return names_[i] + words;
  }
  return "";
}

/// The derivative of an argument in time along the motion, and the sum of the sizes of its terms.
double Jumps::rate(std::size_t jump, const Values& at, std::span<const double> z_dot, double* size) const {
  double sum = at.by_t[jump];
  *size = std::abs(sum);
  for (int k = pattern_.row_start[jump]; k < pattern_.row_start[jump + 1]; ++k) {
    const std::size_t j = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
    const double term = at.slopes[static_cast<std::size_t>(k)] * (j < n_y_ ? at.v[j] : z_dot[j - n_y_]);
    sum += term;
    *size += std::abs(term);
  }
  return sum;
}

/// The nearest state at which the argument is `move` larger: of velocities where it has some, else of positions.
std::vector<double> Jumps::beside(std::size_t jump, std::span<const double> state, const Values& at,
                                  double move) const {
  double squares[2] = {0, 0};
  for (int k = pattern_.row_start[jump]; k < pattern_.row_start[jump + 1]; ++k) {
    const double slope = at.slopes[static_cast<std::size_t>(k)];
    squares[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]) >= n_y_] += slope * slope;
  }
  const bool velocities = squares[1] > 0;
  std::vector<double> moved(state.begin(), state.end());
  for (int k = pattern_.row_start[jump]; k < pattern_.row_start[jump + 1]; ++k) {
    const std::size_t j = static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)]);
    if ((j >= n_y_) == velocities) moved[j] += move * at.slopes[static_cast<std::size_t>(k)] / squares[velocities];
  }
  return moved;
}

std::string Jumps::held(double t, std::span<const double> state, double h, bool in_doubt,
                        Multipliers& multipliers) const {
  if (names_.empty()) return "";
  constexpr double at_kink = 1e-8;    // of what the step does: kinks are found much more exactly
  constexpr double near_kink = 1e-4;  // so far the motion is a straight line
  constexpr double rounding = 1e-12;  // of what the argument is made of
  constexpr double clearly = 1e-6;    // of the terms of a rate: what is below has no sign
  const Values here = values_at(t, state);
  const std::span<const double> found = multipliers.at(t, state);
  const std::vector<double> z_dot(found.begin(), found.begin() + static_cast<long>(state.size() - n_y_));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (divides_[i]) continue;
    double sizes = 0, moves = 0, size = 0;
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
      sizes += std::abs(here.slopes[static_cast<std::size_t>(k)] *
                        state[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)])]);
    const double now = rate(i, here, z_dot, &moves);
    const double zero = (in_doubt ? near_kink : at_kink) * std::abs(h) * moves + rounding * sizes;
    if (!(std::abs(here.arguments[i]) <= zero)) continue;
    if (!in_doubt && here.arguments[i] == 0 && std::abs(now) <= clearly * moves) continue;
    bool back = true;
    for (const double side : {1.0, -1.0}) {
      const std::vector<double> there = beside(i, state, here, 2 * side * zero - here.arguments[i]);
      const double turns = rate(i, values_at(t, there), multipliers.at(t, there), &size);
      back = back && side * turns < -clearly * size;
    }
    if (back) return names_[i] + words;
  }
  return "";
}

}  // namespace alembert::internal
