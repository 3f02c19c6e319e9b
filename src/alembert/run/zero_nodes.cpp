// The zeros of one function inside a step: looked at on the dense output as finely as the function itself needs.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/epsilon.h"
#include "alembert/run/chebyshev.h"
#include "alembert/run/zero_search.h"

namespace alembert::internal {

namespace {

// A series with more terms than this is that of a function with jumps.
constexpr std::size_t most_terms = 64;
// The last terms of a series that is long enough, as a part of its largest.
constexpr double short_tail = 1e-5;
// Minima of the series this near to zero, as a part of how much it varies, are looked at exactly.
constexpr double near = 0.02;
// Golden sections: 0.618^40 = 4e-9 of a part, and a minimum is not known better than to the root of rounding.
constexpr int refinements = 40;
// Zeros in a step that are seen one by one, however wide the bounds are.
constexpr int few = 8;
constexpr double golden = 0.6180339887498949;  // (sqrt(5) - 1)/2

}  // namespace

bool ZeroSearch::exact(int function, double share, Node& node) {
  if (!dense_.at(share, middle_)) return false;
  evaluate(dense_.time(share), middle_, values_.data());
  measure_noise();
  node = {share, values_[function], sign(values_[function], noise_[function])};
  return true;
}

// Values of the function over the step, at twice as many places until a series through them says all.
bool ZeroSearch::sample(int function, const Values& before, const Values& after) {
  nodes_.clear();
  nodes_.push_back({0, before.values[function], before.signs[function]});
  nodes_.push_back({1, after.values[function], after.signs[function]});
  for (std::size_t n = parts; n <= most_terms; n *= 2) {
    const bool first = n == parts;
    more_.clear();
    for (std::size_t j = 0; j <= n; ++j) {
      const bool end = j == 0 || j == n;
      const bool known = end || (!first && j % 2 == 0);
      if (known) {
        more_.push_back(end ? nodes_[j == 0 ? 0 : nodes_.size() - 1] : nodes_[j / 2]);
        continue;
      }
      Node node;
      if (!exact(function, chebyshev_place(j, n), node)) return false;
      more_.push_back(node);
    }
    std::swap(nodes_, more_);
    samples_.clear();
    for (const Node& node : nodes_) samples_.push_back(node.value);
    chebyshev_series(samples_, series_);
    tail_ = chebyshev_tail(series_);
    if (tail_ <= short_tail * chebyshev_variation(series_) + allowance * noise_[function]) return true;
  }
  return true;
}

// Looks for a value of the other sign by golden section.
bool ZeroSearch::dip(int function, double left, double right, int side) {
  for (int i = 0; i < refinements && right - left > 1e-9; ++i) {
    Node one;
    Node two;
    if (!exact(function, right - golden * (right - left), one)) return false;
    if (!exact(function, left + golden * (right - left), two)) return false;
    for (const Node& node : {one, two})
      if (node.sign * side < 0) {
        more_.push_back(node);
        return true;
      }
    const bool first = std::abs(one.value) < std::abs(two.value);
    (first ? right : left) = first ? two.share : one.share;
  }
  return true;
}

// The extreme of the series between two places, and the function there where that may matter.
bool ZeroSearch::add_extreme(int function, double left, double right) {
  const double from = left;
  const double to = right;
  const int side = chebyshev_sum(series_, from) > 0 ? 1 : -1;
  const double before = side * chebyshev_sum(series_, (from + to) / 2);
  const bool lowest = before <= side * chebyshev_sum(series_, from);
  while (right - left > 1e-6 * (to - from)) {
    const double one = right - golden * (right - left);
    const double two = left + golden * (right - left);
    const bool first = (chebyshev_sum(series_, one) * side < chebyshev_sum(series_, two) * side) == lowest;
    (first ? right : left) = first ? two : one;
  }
  const double share = (left + right) / 2;
  const double value = side * chebyshev_sum(series_, share);
  if (lowest ? value > near * chebyshev_variation(series_) + 10 * tail_ : value < 0) return true;
  Node node;
  if (!exact(function, share, node)) return false;
  more_.push_back(node);
  // Two zeros may be closer than the series can tell.
  if (node.sign * side > 0 && side * node.value <= 10 * tail_) return dip(function, from, to, side);
  return true;
}

// Between the nodes and these the function is monotonous, so that signs tell all zeros.
bool ZeroSearch::add_extremes(int function) {
  more_.clear();
  const std::size_t fine = 8 * (nodes_.size() - 1);
  double one = chebyshev_sum(series_, 0);
  double two = chebyshev_sum(series_, chebyshev_place(1, fine));
  for (std::size_t j = 2; j <= fine; ++j) {
    const double three = chebyshev_sum(series_, chebyshev_place(j, fine));
    const bool turns = (two - one) * (three - two) <= 0 && one != three;
    if (turns && !add_extreme(function, chebyshev_place(j - 2, fine), chebyshev_place(j, fine))) return false;
    one = two;
    two = three;
  }
  nodes_.insert(nodes_.end(), more_.begin(), more_.end());
  std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.share < b.share; });
  return true;
}

// The zero between two nodes of different signs: Brent's way.
bool ZeroSearch::locate(int function, Node a, Node b, double& share) {
  Node c = a;
  double step = b.share - a.share;
  double before = step;
  for (int i = 0; i < 200; ++i) {
    if (std::abs(c.value) < std::abs(b.value)) {
      a = b;
      std::swap(b, c);
      c = a;
    }
    const double tolerance = 2 * epsilon * std::abs(b.share);
    const double half = (c.share - b.share) / 2;
    if (std::abs(half) <= tolerance || b.value == 0) break;
    if (std::abs(before) < tolerance || std::abs(a.value) <= std::abs(b.value)) {
      step = before = half;
    } else {
      const double s = b.value / a.value;
      double p = 2 * half * s;
      double q = 1 - s;
      if (a.share != c.share) {
        const double r = b.value / c.value;
        const double w = a.value / c.value;
        p = s * (2 * half * w * (w - r) - (b.share - a.share) * (r - 1));
        q = (w - 1) * (r - 1) * (s - 1);
      }
      (p > 0 ? q : p) *= -1;
      const bool good = 2 * p < std::min(3 * half * q - std::abs(tolerance * q), std::abs(before * q));
      before = good ? step : half;
      step = good ? p / q : half;
    }
    a = b;
    const double next = b.share + (std::abs(step) > tolerance ? step : std::copysign(tolerance, half));
    if (!exact(function, next, b)) return false;
    if ((b.value > 0) == (c.value > 0)) {
      c = a;
      step = before = b.share - a.share;
    }
  }
  share = b.share;
  return true;
}

// Nodes where the function may have the other sign.
bool ZeroSearch::add_places(int function, int side) {
  const bool all = boxes_.find(function, side, shares_);
  for (const double share : shares_) {
    Node node;
    if (!exact(function, share, node)) return false;
    nodes_.push_back(node);
  }
  std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.share < b.share; });
  // Bounds may be too wide for a function whose zeros are few: only its own signs tell that they are many.
  if (!all && changes_of_sign() > few) unsure_ = true;
  return true;
}

int ZeroSearch::changes_of_sign() const {
  int changes = 0, last = 0;
  for (const Node& node : nodes_) {
    if (node.sign * last < 0) ++changes;
    if (node.sign != 0) last = node.sign;
  }
  return changes;
}

bool ZeroSearch::walk(int function, bool last, int& side, std::vector<Zero>& found) {
  const Node* before = nullptr;  // the last node that has a sign
  const Node* zero = nullptr;    // the first one after it that has none
  for (const Node& node : nodes_) {
    const int here = node.sign;
    if (here == 0) {
      if (!zero) zero = &node;
      continue;
    }
    if (side != 0 && here != side) {
      double share = 0;  // a sign of the step before with nothing here: zero at the left end
      if (zero && (!before || zero->value == 0)) {
        share = zero->share;
      } else if (zero) {
        // Rounding may hide the sign of a value, but where it changes a slow function is seen far better than that.
        const bool passed = (zero->value > 0) != (before->value > 0);
        if (!locate(function, passed ? *before : *zero, passed ? *zero : node, share)) return false;
      } else if (before && !locate(function, *before, node, share)) {
        return false;
      }
      found.push_back({function, share, here});
    }
    side = here;
    before = &node;
    zero = nullptr;
  }
  if (last && zero && side != 0) {
    found.push_back({function, zero->share, 0});
    side = 0;
  }
  return true;
}

}  // namespace alembert::internal
