#include "alembert/newton/fewer_equations.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"

namespace alembert::internal {

namespace {

/// Appends the places first, first + 1, ... of blocks of so many entries, without those that are left out in each.
void append_blocks(std::vector<int>& place, int first, int blocks, int size, const std::vector<int>& left_out) {
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < size; ++i)
      if (!std::binary_search(left_out.begin(), left_out.end(), i)) place.push_back(first + b * size + i);
}

/// Places of the fewer unknowns among all; empty where groups do not match.
std::vector<int> match_unknowns(const StepEquations& all, const StepEquations& fewer, const Redundant& r) {
  if (all.groups.size() != fewer.groups.size()) return {};
  std::vector<int> place;
  for (std::size_t k = 0; k < all.groups.size(); ++k) {
    const UnknownGroup &one = all.groups[k], &other = fewer.groups[k];
    // Whether it consists of blocks of this size, from each of which some are left out.
    const auto blocks_of = [&](int size, const std::vector<int>& left_out) {
      const int kept = size - static_cast<int>(left_out.size());
      return size > 0 && one.count % size == 0 && other.count == one.count / size * kept;
    };
    if (one.count == other.count) append_blocks(place, one.first, 1, one.count, {});
    else if (blocks_of(r.holonomic, r.left_out_holonomic))
      append_blocks(place, one.first, one.count / r.holonomic, r.holonomic, r.left_out_holonomic);
    else if (blocks_of(r.nonholonomic, r.left_out_nonholonomic))
      append_blocks(place, one.first, one.count / r.nonholonomic, r.nonholonomic, r.left_out_nonholonomic);
    else return {};
  }
  return place;
}

/// Places of the fewer equations among all, by their labels in order; empty where some are not found.
std::vector<int> match_equations(const StepEquations& all, const StepEquations& fewer) {
  std::vector<int> place;
  std::size_t at = 0;
  for (const std::string& label : fewer.labels) {
    while (at < all.labels.size() && all.labels[at] != label) ++at;
    if (at == all.labels.size()) return {};
    place.push_back(static_cast<int>(at++));
  }
  return place;
}

std::vector<double> values_of(const StepEquations& e, const std::vector<double>& x) {
  const Kernel<double> kernel(joined<Expr>(e.t0, e.h, e.state, e.unknowns), e.equations, interpreted);
  std::vector<double> values(kernel.outputs()), work(kernel.work());
  kernel(x.data(), values.data(), work.data());
  return values;
}

}  // namespace

std::shared_ptr<const FewerEquations> match_fewer(const StepEquations& all, const StepEquations& fewer,
                                                  const Redundant& redundant, const std::vector<double>& inputs) {
  const std::vector<int> unknowns = match_unknowns(all, fewer, redundant);
  const std::vector<int> equations = match_equations(all, fewer);
  if (unknowns.empty() || unknowns.size() != fewer.unknowns.size()) return nullptr;
  if (equations.size() != fewer.equations.size() || all.labels.size() != all.equations.size()) return nullptr;
  // Unknowns of any size tell whether the equations are the same.
  std::vector<double> x = inputs, fewer_x = inputs;
  x.resize(inputs.size() + all.unknowns.size(), 0.0);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    fewer_x.push_back(0.01 * std::sin(1.0 + static_cast<double>(k)));
    x[inputs.size() + unknowns[k]] = fewer_x.back();
  }
  const std::vector<double> one = values_of(all, x), other = values_of(fewer, fewer_x);
  // Of equations that are the same but written with fewer unknowns; others differ by their own size.
  constexpr double rounding = 1e-10;
  for (std::size_t k = 0; k < equations.size(); ++k)
    if (!(std::abs(one[equations[k]] - other[k]) <= rounding * (1 + std::abs(other[k])))) return nullptr;
  FewerEquations result{step_system(fewer), unknowns, {}};
  for (int i = 0; i < static_cast<int>(all.equations.size()); ++i)
    if (!std::binary_search(equations.begin(), equations.end(), i)) result.spare_equations.push_back(i);
  return std::make_shared<const FewerEquations>(std::move(result));
}

}  // namespace alembert::internal
