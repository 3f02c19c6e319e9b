#include "alembert/methods/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

// With about this many stages the runs of the gallery need the fewest evaluations at tolerances from 1e-2 to 1e-10:
// from four on they hardly depend on the number, where Newton limits the steps.
int stages_for(const MethodNeeds& needs, std::size_t size) {
  int stages = static_cast<int>(std::lround(3.5 - 0.3 * std::log10(needs.tolerance)));
  // Steps that end at kinks never become as long as high orders want them.
  if (needs.interrupted) stages = std::min(stages, 4);
  // Where matrices are large the work of a step grows faster than the number of its stages.
  if (size > 12) stages = std::min(stages, 5);
  if (size > 24) stages = std::min(stages, 4);
  if (size > 100 || needs.redundant) stages = std::min(stages, 3);
  return std::clamp(stages, 2, 10);
}

int least_order(const Claims& c) { return std::min(c.order_q, c.order_v); }

bool holds_all(const Claims& c, const Equations& e) {
  return (e.g.empty() || (c.position && c.velocity)) && (e.k.empty() || c.nonholonomic);
}

/// Of all families the best member with so many stages that takes the model: first what holds the constraints, then
/// what suits the motion, then the order.
std::optional<Method> best_member(const Equations& e, int stages, bool damping) {
  std::optional<Method> best;
  std::pair<int, int> most{-1, -1};
  for (const MethodFamily& family : all_families()) {
    if (family.composer || family.least_stages == 0 || stages < family.least_stages) continue;
    Method method = find_method(family.name, {static_cast<double>(stages)});
    const Claims& c = method.claims;
    const int suits = (holds_all(c, e) ? 8 : 0) + (c.nonlinear_multiplier || e.ideal ? 4 : 0) +
                      (damping != c.symmetric ? 2 : 0) + (damping == c.symplectic ? 0 : 1);
    const std::pair<int, int> rank{suits, least_order(c)};
    if (rank <= most || !refusal(method, e).empty()) continue;
    most = rank;
    best = std::move(method);
  }
  return best;
}

/// Stiffly accurate, with both levels of the constraints and Newton's own matrix: for what dies away within a step.
std::optional<Method> damping_member(const Equations& e, int stages) {
  Method method = find_method("radau_collocation(" + std::to_string(stages) + (e.g.empty() ? ")" : ", ggl)"));
  if (!refusal(method, e).empty()) return {};
  return method;
}

/// Where no family with stages takes the model: the member of highest order that does.
std::optional<Method> any_member(const Equations& e) {
  std::optional<Method> best;
  for (const MethodFamily& family : all_families())
    for (Method& method : sample_methods(family)) {
      if (best && least_order(method.claims) <= least_order(best->claims)) continue;
      if (refusal(method, e).empty()) best = std::move(method);
    }
  return best;
}

std::string constraints_text(const Equations& e) {
  if (e.port) return "port-Hamiltonian";
  if (!e.k.empty() && !e.g.empty()) return "holonomic and nonholonomic constraints";
  if (!e.k.empty()) return "nonholonomic constraints";
  return e.g.empty() ? "no constraints" : "holonomic constraints";
}

}  // namespace

MethodChoice choose_method(const Equations& e, const MethodNeeds& needs) {
  const int stages = stages_for(needs, e.z.size());
  std::optional<Method> method = needs.decays_fast ? damping_member(e, stages) : std::nullopt;
  if (!method) method = best_member(e, stages, needs.decays_fast);
  if (!method) method = any_member(e);
  if (!method) throw InputError("no method takes this model", "`examine(model)` says why for each");
  const char* motion = needs.decays_fast ? "some motion dies away fast, so that the method damps"
                                         : "no motion dies away fast, so that the method need not damp";
  std::string reason = fmt::format("{}; {}; order {} for tolerance {:.0e}", constraints_text(e), motion,
                                   least_order(method->claims), needs.tolerance);
  if (needs.interrupted) reason += ", no higher since steps end at kinks and events";
  return {std::move(*method), std::move(reason)};
}

}  // namespace alembert::internal
