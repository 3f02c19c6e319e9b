#include "alembert/run/observed.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/run/failure.h"

namespace alembert::internal {

namespace {

/// Beyond an end by more than this part of the table's length; rounding brings a motion that ends there a little over.
constexpr double beyond_end = 1e-9;

/// What acts in contacts is no function of the state.
Exprs acting_symbols(const Model& model, const Equations& e) {
  const Exprs used = free_symbols(joined<Expr>(e.observed, e.tables));
  Exprs all;
  for (const Contact& contact : model.contacts)
    for (const Expr s : joined<Expr>(contact.tangential, contact.force, contact.state)) {
      if (!s) continue;
      const std::string& name = s.graph().name(s.id());
      const auto own = std::find_if(used.begin(), used.end(), [&](Expr u) { return u.graph().name(u.id()) == name; });
      all.push_back(own != used.end() ? *own : e.graph->symbol(name));
    }
  return all;
}

}  // namespace

ObservedValues::ObservedValues(const Model& model, const Equations& e, KernelOptions options)
    : model_(model),
      with_multipliers_(depends(joined<Expr>(e.observed, e.tables), joined<Expr>(e.lambda, e.psi))),
      n_z_(e.z.size()),
      kernel_(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, acting_symbols(model, e)),
              joined<Expr>(e.observed, e.tables), options),
      in_(kernel_.inputs()),
      out_(kernel_.outputs()),
      work_(kernel_.work()),
      watched_(e.observed.size()) {}

void ObservedValues::restart() {
  watched_.assign(watched_.size(), {});
  beyond_.clear();
  undefined_ = -1;
  first_ = true;
}

void ObservedValues::act(std::span<const double> acting) {
  std::copy(acting.begin(), acting.end(), in_.end() - static_cast<std::ptrdiff_t>(acting.size()));
}

void ObservedValues::glance(double t, std::span<const double> state, Multipliers& multipliers) {
  if (!any()) return;
  in_[0] = t;
  auto to = std::copy(state.begin(), state.end(), in_.begin() + 1);
  if (with_multipliers_) {
    const std::span<const double> solved = multipliers.at(t, state).subspan(n_z_);
    shared_.assign(solved.begin(), solved.end());
    if (share_) share_(t, state, shared_);
    std::copy(shared_.begin(), shared_.end(), to);
  }
  kernel_(in_.data(), out_.data(), work_.data());
}

void ObservedValues::look(double t, std::span<const double> state, Multipliers& multipliers) {
  if (!any()) return;
  glance(t, state, multipliers);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    ObservedRange& range = watched_[i];
    const double value = out_[i];
    range.final = value;
    if (first_) range.least = range.most = value;
    // A value that is no number stays: nothing hides it.
    if (!(value >= range.least) && !std::isnan(range.least)) range.least = value;
    if (!(value <= range.most) && !std::isnan(range.most)) range.most = value;
  }
  first_ = false;
  for (std::size_t i = 0; i < watched_.size() && undefined_ < 0; ++i)
    if (std::isnan(out_[i])) undefined_ = static_cast<int>(i);
  for (std::size_t i = 0; i < model_.tables.size() && beyond_.empty(); ++i) {
    const TableUse& use = model_.tables[i];
    const double argument = out_[watched_.size() + i];
    const double from = static_cast<double>(use.first), to = static_cast<double>(use.last);
    const double slack = beyond_end * (to - from);
    if (argument >= from - slack && argument <= to + slack) continue;
    beyond_ = "the table '" + use.table + "' is asked at " + time_text(argument) + ", beyond its ends " +
              time_text(from) + " and " + time_text(to) + ", where it holds its last value";
  }
}

}  // namespace alembert::internal
