#include "alembert/run/events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/newton/rounding.h"

namespace alembert::internal {

namespace {

constexpr int parts = 16;  // of a step in which events are told apart without looking closer
// Values up to so many times what rounding can do are zero.
constexpr double allowance = 16;
// A minimum that comes this near to zero, compared with the values beside it, is looked at closely.
constexpr double near_zero = 0.25;
constexpr int refinements = 40;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

Exprs joined(std::initializer_list<const Exprs*> lists, const Exprs& first) {
  Exprs all = first;
  for (const Exprs* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

/// Whether the parabola through three equidistant values of one sign may cross zero between them.
bool dips(double a, double b, double c) {
  const double bend = a - 2 * b + c, slope = (c - a) / 2;
  if (a * b <= 0 || b * c <= 0 || bend * b <= 0 || std::abs(slope) > std::abs(bend)) return false;
  const double lowest = b - slope * slope / (2 * bend);
  return lowest * b <= 0 || std::abs(lowest) <= near_zero * std::min({std::abs(a), std::abs(b), std::abs(c)});
}

int sign(double value, double noise) {
  if (!(std::abs(value) > allowance * noise)) return 0;  // also what is no number
  return value > 0 ? 1 : -1;
}

}  // namespace

EventWatch::EventWatch(const Model& model, const Equations& e, DenseOutput& dense, Multipliers& multipliers,
                       KernelOptions options)
    : model_(model),
      n_y_(e.y.size()),
      n_z_(e.z.size()),
      n_g_(e.g.size()),
      dense_(dense),
      multipliers_(multipliers),
      needs_multipliers_(depends(e.events, e.lambda) || depends(e.events, e.psi)),
      kernel_(joined({&e.y, &e.z, &e.lambda, &e.psi}, {e.t}), e.events, options),
      velocity_(joined({&e.y, &e.z}, {e.t}), e.v, options),
      pattern_(jacobian(e.events, joined({&e.y, &e.z, &e.lambda, &e.psi}, {}))),
      noise_(e.events.size()),
      sizes_(3, 0.0),
      in_(1 + n_y_ + n_z_ + e.lambda.size() + e.psi.size(), 0.0),
      values_(e.events.size()),
      scan_(parts + 1, std::vector<double>(e.events.size())) {
  slopes_ = Kernel<double>(joined({&e.y, &e.z, &e.lambda, &e.psi}, {e.t}), pattern_.value, interpreted);
  pattern_.value.clear();
  slope_.resize(pattern_.column.size());
  work_.resize(std::max({kernel_.work(), velocity_.work(), slopes_.work()}));
}

EventWatch::EventWatch(const EventWatch& other, DenseOutput& dense, Multipliers& multipliers)
    : model_(other.model_),
      n_y_(other.n_y_),
      n_z_(other.n_z_),
      n_g_(other.n_g_),
      dense_(dense),
      multipliers_(multipliers),
      needs_multipliers_(other.needs_multipliers_),
      kernel_(other.kernel_),
      velocity_(other.velocity_),
      slopes_(other.slopes_),
      parameters_(other.parameters_),
      pattern_(other.pattern_),
      noise_(other.noise_.size()),
      sizes_(3, 0.0),
      in_(other.in_.size(), 0.0),
      values_(other.values_.size()),
      slope_(other.slope_.size()),
      work_(other.work_.size()),
      scan_(other.scan_) {}

void EventWatch::bind(const double* parameters) noexcept {
  kernel_.bind(parameters);
  velocity_.bind(parameters);
  slopes_.bind(parameters);
  parameters_ = parameters;
}

// What happens at the start does not count.
void EventWatch::begin(const GridPoint& start) {
  know(start, right_);
  side_ = right_.signs;
}

// Rounding of the expression itself, and of the state, whose entries are as exact as the largest of their kind.
void EventWatch::measure_noise() {
  rounding_levels(kernel_.tape(), in_.data(), values_.data(), noise_.data(), parameters_);
  slopes_(in_.data(), slope_.data(), work_.data());
  for (int i = 0; i < pattern_.rows; ++i)
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k) {
      const std::size_t j = pattern_.column[k];
      const double size = sizes_[j < n_y_ ? 0 : j < n_y_ + n_z_ ? 1 : 2];
      noise_[i] += epsilon * size * std::abs(slope_[k]);
    }
}

void EventWatch::evaluate(double t, std::span<const double> state, double* values) {
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  if (needs_multipliers_) {
    const std::span<const double> rates = multipliers_.at(t, state);
    std::copy(rates.begin() + static_cast<long>(n_z_), rates.end(), in_.begin() + 1 + static_cast<long>(n_y_ + n_z_));
  }
  kernel_(in_.data(), values, work_.data());
}

void EventWatch::know(const GridPoint& point, End& end) {
  end.v.resize(n_y_);
  end.values.resize(values_.size());
  evaluate(point.t, point.state, end.values.data());
  velocity_(in_.data(), end.v.data(), work_.data());
  const std::span<const double> rates = multipliers_.at(point.t, point.state);
  end.rates.assign(rates.begin(), rates.begin() + static_cast<long>(n_z_));
  const auto raise = [](double& size, double value) { size = std::max(size, std::abs(value)); };
  for (std::size_t i = 0; i < point.state.size(); ++i) raise(sizes_[i < n_y_ ? 0 : 1], point.state[i]);
  for (std::size_t i = n_z_; i < rates.size(); ++i) raise(sizes_[2], rates[i]);
  measure_noise();
  end.signs.clear();
  for (std::size_t i = 0; i < end.values.size(); ++i) end.signs.push_back(sign(end.values[i], noise_[i]));
}

// Cubics through both ends and the slopes there; straight lines for z where there are no accelerations.
void EventWatch::between(const GridPoint& from, const GridPoint& to, double s) {
  const double h = to.t - from.t, u = 1 - s;
  const double at_from = u * u * (1 + 2 * s), at_to = s * s * (1 + 2 * u);
  const double leave = h * s * u * u, arrive = -h * s * s * u;
  middle_.resize(from.state.size());
  for (std::size_t i = 0; i < n_y_; ++i)
    middle_[i] = at_from * from.state[i] + at_to * to.state[i] + leave * left_.v[i] + arrive * right_.v[i];
  for (std::size_t i = n_y_, j = 0; i < middle_.size(); ++i, ++j) {
    middle_[i] = at_from * from.state[i] + at_to * to.state[i] + leave * left_.rates[j] + arrive * right_.rates[j];
    if (!std::isfinite(middle_[i])) middle_[i] = u * from.state[i] + s * to.state[i];
  }
}

bool EventWatch::exact(int event, double share, Node& node) {
  if (!dense_.at(share, middle_)) return false;
  evaluate(dense_.time(share), middle_, values_.data());
  measure_noise();
  node = {share, values_[event], sign(values_[event], noise_[event])};
  return true;
}

bool EventWatch::suspicious(int event) const {
  for (int j = 0; j <= parts; ++j)
    if (!(side_[event] * scan_[j][event] > 0)) return true;
  for (int j = 1; j < parts; ++j)
    if (dips(scan_[j - 1][event], scan_[j][event], scan_[j + 1][event])) return true;
  return false;
}

// Looks for a value of the other sign between two nodes of the same sign, by golden section.
bool EventWatch::dip(int event, Node a, Node b, std::vector<Node>& more) {
  constexpr double golden = 0.6180339887498949;
  double left = a.share, right = b.share;
  for (int i = 0; i < refinements && right - left > 1e-9; ++i) {
    Node one, two;
    if (!exact(event, right - golden * (right - left), one) || !exact(event, left + golden * (right - left), two))
      return false;
    for (const Node& node : {one, two})
      if (node.sign * a.sign < 0) {
        more.push_back(node);
        return true;
      }
    const bool first = std::abs(one.value) < std::abs(two.value);
    (first ? right : left) = first ? two.share : one.share;
  }
  return true;
}

// The zero between two nodes of different signs: Brent's way.
bool EventWatch::locate(int event, Node a, Node b, double& share) {
  Node c = a;
  double step = b.share - a.share, before = step;
  for (int i = 0; i < 200; ++i) {
    if (std::abs(c.value) < std::abs(b.value)) {
      a = b;
      std::swap(b, c);
      c = a;
    }
    const double tolerance = 2 * epsilon * std::abs(b.share), half = (c.share - b.share) / 2;
    if (std::abs(half) <= tolerance || b.value == 0) break;
    if (std::abs(before) < tolerance || std::abs(a.value) <= std::abs(b.value)) {
      step = before = half;
    } else {
      const double s = b.value / a.value;
      double p = 2 * half * s, q = 1 - s;
      if (a.share != c.share) {
        const double r = b.value / c.value, w = a.value / c.value;
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
    if (!exact(event, next, b)) return false;
    if ((b.value > 0) == (c.value > 0)) {
      c = a;
      step = before = b.share - a.share;
    }
  }
  share = b.share;
  return true;
}

bool EventWatch::walk(int event, bool last, std::vector<EventRecord>& found) {
  std::vector<Node> nodes, more;
  for (int j = 0; j <= parts; ++j) {
    const End& end = j == 0 ? left_ : right_;
    Node node{static_cast<double>(j) / parts, end.values[event], end.signs[event]};
    if (j > 0 && j < parts && !exact(event, node.share, node)) return false;
    nodes.push_back(node);
  }
  for (int j = 1; j < parts; ++j)
    if (dips(nodes[j - 1].value, nodes[j].value, nodes[j + 1].value) && !dip(event, nodes[j - 1], nodes[j + 1], more))
      return false;
  nodes.insert(nodes.end(), more.begin(), more.end());
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.share < b.share; });

  const auto record = [&](double share) {
    EventRecord record;
    record.event = event;
    record.share = share;
    record.t = dense_.time(share);
    found.push_back(std::move(record));
  };
  int& side = side_[event];
  const Node* before = nullptr;  // the last node that has a sign
  const Node* zero = nullptr;    // the first one after it that has none
  for (const Node& node : nodes) {
    const int here = node.sign;
    if (here == 0) {
      if (!zero) zero = &node;
      continue;
    }
    if (side != 0 && here != side) {
      double share = 0;  // a sign of the step before with nothing here: zero at the left end
      if (zero) share = zero->share;
      else if (before && !locate(event, *before, node, share)) return false;
      record(share);
    }
    side = here;
    before = &node;
    zero = nullptr;
  }
  if (last && zero && side != 0) {
    record(zero->share);
    side = 0;
  }
  return true;
}

bool EventWatch::search(const GridPoint& from, const GridPoint& to, bool last, std::vector<EventRecord>& found) {
  found.clear();
  std::swap(left_, right_);
  know(to, right_);
  for (const double value : right_.values)
    if (!std::isfinite(value)) return true;  // what is wrong is said elsewhere
  scan_[0] = left_.values;
  scan_[parts] = right_.values;
  for (int j = 1; j < parts; ++j) {
    const double share = static_cast<double>(j) / parts;
    between(from, to, share);
    evaluate(from.t + share * (to.t - from.t), middle_, scan_[j].data());
  }
  for (int event = 0; event < static_cast<int>(side_.size()); ++event) {
    if (!suspicious(event)) continue;
    if (!walk(event, last, found)) return false;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.share < b.share; });
  const auto stop =
      std::find_if(found.begin(), found.end(), [&](const EventRecord& r) { return model_.events[r.event].stop; });
  if (stop != found.end())
    std::erase_if(found, [share = stop->share](const EventRecord& record) { return record.share > share; });
  for (EventRecord& record : found) {
    if (record.share == 1) {
      record.state = to.state;
      record.t = to.t;
    } else if (!dense_.at(record.share, record.state)) return false;
    const std::span<const double> rates = multipliers_.at(record.t, record.state);
    record.lambda.assign(rates.begin() + static_cast<long>(n_z_), rates.begin() + static_cast<long>(n_z_ + n_g_));
    record.psi.assign(rates.begin() + static_cast<long>(n_z_ + n_g_), rates.end());
  }
  return true;
}

}  // namespace alembert::internal
