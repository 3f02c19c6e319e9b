#include "alembert/run/zero_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/epsilon.h"
#include "alembert/base/lists.h"
#include "alembert/newton/rounding.h"
#include "alembert/run/chebyshev.h"
#include "alembert/run/sides.h"

namespace alembert::internal {

namespace {

// What the trapezoidal rule misses of a step is, for an oscillation, at least a twelfth of what a cubic may miss.
constexpr double unseen = 8;
// Of each table these places are watched: two on either side of the argument, so that the one next to it is among them
// also where a motion begins in a place.
constexpr std::size_t next_places = 4;
// A table of which a step passes more places than these is taken as it is: measured data, much closer than the steps.
constexpr long most_places = 50;

Exprs all_functions(const Kinks& kinks, const Exprs& places) {
  Exprs functions = kinks.functions;
  for (std::size_t i = 0; i < places.size(); ++i)
    functions.push_back(kinks.tables[i / next_places].argument - places[i]);
  return functions;
}

std::size_t first_function(const ZeroSearch::Values& values, std::size_t tables, std::size_t table) {
  return values.values.size() - next_places * (tables - table);
}

/// Of a table, and what is rounding in it; `functions` is the first of its functions.
std::pair<double, double> argument_of(const ZeroSearch::Values& values, std::size_t functions, std::size_t table) {
  std::pair<double, double> found(0, 0);
  for (std::size_t j = 0; j < next_places; ++j) {
    const double place = values.places[next_places * table + j];
    if (std::isfinite(place)) found = {values.values[functions + j] + place, values.noise[functions + j]};
  }
  return found;
}

bool passes_many(const std::vector<double>& places, double from, double to) {
  const auto behind = [&](double argument) { return std::upper_bound(places.begin(), places.end(), argument); };
  return std::abs(behind(to) - behind(from)) > most_places;
}

}  // namespace

ZeroSearch::ZeroSearch(const Equations& e, const Exprs& functions, DenseOutput& dense, Multipliers& multipliers,
                       KernelOptions options)
    : ZeroSearch(e, Kinks{functions, {}, {}}, dense, multipliers, options) {}

ZeroSearch::ZeroSearch(const Equations& e, const Kinks& kinks, DenseOutput& dense, Multipliers& multipliers,
                       KernelOptions options)
    : ZeroSearch(e, kinks, e.graph->symbols("place", static_cast<int>(next_places * kinks.tables.size())), dense,
                 multipliers, options) {}

ZeroSearch::ZeroSearch(const Equations& e, const Kinks& kinks, const Exprs& places, DenseOutput& dense,
                       Multipliers& multipliers, KernelOptions options)
    : ZeroSearch(e, all_functions(kinks, places), places, dense, multipliers, options) {
  for (const KinkedTable& table : kinks.tables) tables_.push_back(table.places);
  crowded_.assign(tables_.size(), false);
}

ZeroSearch::ZeroSearch(const Equations& e, const Exprs& functions, const Exprs& places, DenseOutput& dense,
                       Multipliers& multipliers, KernelOptions options)
    : n_y_(e.y.size()),
      n_z_(e.z.size()),
      dense_(dense),
      multipliers_(multipliers),
      needs_multipliers_(depends(functions, e.lambda) || depends(functions, e.psi)),
      kernel_(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, places), functions, options),
      velocity_(joined<Expr>(e.t, e.y, e.z), e.v, options),
      pattern_(jacobian(functions, joined<Expr>(e.y, e.z, e.lambda, e.psi))),
      noise_(functions.size()),
      slack_(functions.size()),
      sizes_(3, 0.0),
      in_(1 + n_y_ + n_z_ + e.lambda.size() + e.psi.size() + places.size(), 0.0),
      values_(functions.size()),
      scan_(parts + 1, std::vector<double>(functions.size())),
      boxes_(kernel_.tape(), n_y_ + n_z_),
      margin_(n_y_ + n_z_) {
  for (const Expr function : functions) enclosed_.push_back(!depends(Exprs{function}, joined<Expr>(e.lambda, e.psi)));
  slopes_ = Kernel<double>(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, places), pattern_.value,
                           {Backend::interpreter, false});
  pattern_.value.clear();
  slope_.resize(pattern_.column.size());
  work_.resize(std::max({kernel_.work(), velocity_.work(), slopes_.work()}));
}

ZeroSearch::ZeroSearch(const ZeroSearch& other, DenseOutput& dense, Multipliers& multipliers)
    : n_y_(other.n_y_),
      n_z_(other.n_z_),
      dense_(dense),
      multipliers_(multipliers),
      needs_multipliers_(other.needs_multipliers_),
      tables_(other.tables_),
      kernel_(other.kernel_),
      velocity_(other.velocity_),
      slopes_(other.slopes_),
      parameters_(other.parameters_),
      pattern_(other.pattern_),
      noise_(other.noise_.size()),
      slack_(other.slack_.size()),
      sizes_(3, 0.0),
      in_(other.in_.size(), 0.0),
      values_(other.values_.size()),
      slope_(other.slope_.size()),
      work_(other.work_.size()),
      scan_(other.scan_),
      boxes_(kernel_.tape(), n_y_ + n_z_),
      enclosed_(other.enclosed_),
      margin_(n_y_ + n_z_),
      crowded_(other.crowded_.size(), false) {}

int ZeroSearch::sign(double value, double noise) {
  if (!(std::abs(value) > allowance * noise)) return 0;  // also what is no number
  return value > 0 ? 1 : -1;
}

void ZeroSearch::bind(const double* parameters) noexcept {
  kernel_.bind(parameters);
  velocity_.bind(parameters);
  slopes_.bind(parameters);
  parameters_ = parameters;
}

// Rounding of the expression itself, and of the state, whose entries are as exact as the largest of their kind.
void ZeroSearch::measure_noise() {
  rounding_levels(kernel_.tape(), in_.data(), values_.data(), noise_.data(), parameters_);
  slopes_(in_.data(), slope_.data(), work_.data());
  for (int i = 0; i < pattern_.rows; ++i)
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k) {
      const std::size_t j = pattern_.column[k];
      const double size = sizes_[j < n_y_ ? 0 : j < n_y_ + n_z_ ? 1 : 2];
      noise_[i] += epsilon * size * std::abs(slope_[k]);
    }
}

void ZeroSearch::evaluate(double t, std::span<const double> state, double* values) {
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  if (needs_multipliers_) {
    const std::span<const double> rates = multipliers_.at(t, state);
    std::copy(rates.begin() + static_cast<long>(n_z_), rates.end(), in_.begin() + 1 + static_cast<long>(n_y_ + n_z_));
  }
  kernel_(in_.data(), values, work_.data());
}

// Place number k of a table belongs to function k modulo 4 of it. Where there is none it is infinite, and so is its
// function, which is then left out of all searches.
void ZeroSearch::watch_tables(Values& values) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::vector<double>& all = *tables_[i];
    const std::size_t functions = first_function(values, tables_.size(), i);
    const auto [argument, noise] = argument_of(values, functions, i);
    const long behind = std::upper_bound(all.begin(), all.end(), argument) - all.begin();
    for (long k = behind - 2; k < behind + 2; ++k) {
      const std::size_t j = static_cast<std::size_t>(k + 4) % next_places;
      const bool there = k >= 0 && k < static_cast<long>(all.size());
      const double place = there ? all[k] : k < 0 ? -INFINITY : INFINITY;
      if (values.places[next_places * i + j] == place) continue;
      values.places[next_places * i + j] = place;
      values.values[functions + j] = argument - place;
      values.signs[functions + j] = sign(argument - place, noise);
      values.sides[functions + j] = values.signs[functions + j];
    }
  }
}

void ZeroSearch::let_go(std::span<double> sides) const {
  const std::size_t own = noise_.size() - next_places * tables_.size();
  std::fill_n(sides.begin(), own, Sides::both);
  for (std::size_t i = own; i < sides.size(); ++i)
    sides[i] = (i - own) % 2 == 0 ? -Sides::everywhere : Sides::everywhere;
}

bool ZeroSearch::turn(const std::vector<Zero>& found, double share, Values& before) {
  bool turned = std::exchange(turns_, false);
  for (const Zero& zero : found) {
    int& side = before.sides[static_cast<std::size_t>(zero.function)];
    if (zero.share > share || zero.side == 0 || zero.side == side) continue;
    side = zero.side;
    turned = true;
  }
  return turned;
}

void ZeroSearch::hold(Values& at, std::span<double> sides) {
  watch_tables(at);
  let_go(sides);
  const std::size_t own = noise_.size() - next_places * tables_.size();
  for (std::size_t i = 0; i < own; ++i) sides[i] = at.sides[i];
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    double low = -Sides::everywhere, high = Sides::everywhere;
    for (std::size_t j = 0; j < next_places; ++j) {
      const double place = at.places[next_places * i + j];
      const int side = at.sides[first_function(at, tables_.size(), i) + j];
      if (!std::isfinite(place) || crowded_[i]) continue;
      // In a place itself the piece behind it counts.
      if (side >= 0) low = std::max(low, place);
      if (side <= 0) high = std::min(high, std::nextafter(place, -INFINITY));
    }
    if (low >= high) continue;  // in a place
    sides[own + 2 * i] = low;
    sides[own + 2 * i + 1] = high;
  }
}

void ZeroSearch::use_places(const Values& values) {
  std::copy(values.places.begin(), values.places.end(), in_.end() - static_cast<long>(values.places.size()));
}

void ZeroSearch::know(const GridPoint& point, Values& values) {
  if (values.places.empty()) values.places.assign(next_places * tables_.size(), 0.0);
  use_places(values);
  values.v.resize(n_y_);
  values.values.resize(noise_.size());
  values.signs.resize(noise_.size());
  values.sides.resize(noise_.size(), 0);
  evaluate(point.t, point.state, values.values.data());
  velocity_(in_.data(), values.v.data(), work_.data());
  const std::span<const double> rates = multipliers_.at(point.t, point.state);
  values.rates.assign(rates.begin(), rates.begin() + static_cast<long>(n_z_));
  const auto raise = [](double& size, double value) { size = std::max(size, std::abs(value)); };
  for (std::size_t i = 0; i < point.state.size(); ++i) raise(sizes_[i < n_y_ ? 0 : 1], point.state[i]);
  for (std::size_t i = n_z_; i < rates.size(); ++i) raise(sizes_[2], rates[i]);
  measure_noise();
  values.noise = noise_;
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    values.signs[i] = sign(values.values[i], noise_[i]);
    if (values.signs[i] != 0) values.sides[i] = values.signs[i];
  }
}

void ZeroSearch::pass(GridPoint& point, double dt, Values& values, double behind) {
  const std::vector<double> v = values.v, rates = values.rates;
  for (std::size_t i = 0; i < n_y_; ++i) point.state[i] += dt * v[i];
  for (std::size_t j = 0; j < n_z_; ++j)
    if (std::isfinite(rates[j])) point.state[n_y_ + j] += dt * rates[j];
  point.t += dt;
  if (behind > 0) settle(point);
  know(point, values);
  if (behind == 0 || settle_) return;
  // Behind the zero other rates hold.
  for (std::size_t i = 0; i < n_y_; ++i) point.state[i] += behind * dt * (values.v[i] - v[i]);
  for (std::size_t j = 0; j < n_z_; ++j)
    if (std::isfinite(values.rates[j] - rates[j])) point.state[n_y_ + j] += behind * dt * (values.rates[j] - rates[j]);
}

bool ZeroSearch::cross(const GridPoint& from, const Values& before, double longest, GridPoint& to, Values& after) {
  constexpr double probe = 1e-3;  // of the longest way: what slopes are measured by
  constexpr double beyond = 16;   // times what is rounding
  const double short_way = probe * longest;
  to = from;
  after = before;
  pass(to, short_way, after, 0);
  int nearest = -1;
  double way = longest, slope = 0;
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    const double rate = (after.values[i] - before.values[i]) / short_way;
    const double there = -before.values[i] / rate;
    if (before.sides[i] == 0 || !(there / longest >= 0) || !(std::abs(there) <= std::abs(way))) continue;
    nearest = static_cast<int>(i);
    way = there;
    slope = rate;
  }
  if (nearest < 0) return false;
  to = from;
  after = before;
  const double exactly = way;
  way += std::copysign(std::max(short_way / longest * std::abs(way), beyond * before.noise[nearest] / std::abs(slope)),
                       longest);
  const double share = (way - exactly) / way;
  pass(to, way, after, share);
  // On the other side it must go on as it came.
  GridPoint further = to;
  Values there = after;
  pass(further, short_way, there, 0);
  if ((there.values[nearest] - after.values[nearest]) / short_way * slope <= 0) return false;
  after.sides[nearest] = -before.sides[nearest];
  after.signs[nearest] = 0;
  to.before = from.state;
  to.t_before = from.t;
  to.kink = true;
  return true;
}

void ZeroSearch::begin(const GridPoint& start, Values& values) {
  values.sides.clear();
  values.places.clear();
  know(start, values);
  if (tables_.empty()) return;
  // Where the arguments are is known now.
  watch_tables(values);
  values.sides.clear();
  know(start, values);
}

// What positions and velocities do in the step beyond what the slopes at its ends say, carried over to the functions.
// The slopes of the functions are those at the end of the step, where measure_noise() left them.
void ZeroSearch::measure_slack(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after) {
  const double h = to.t - from.t;
  middle_.resize(from.state.size());
  for (std::size_t i = n_y_, j = 0; i < middle_.size(); ++i, ++j) {
    const double change = to.state[i] - from.state[i];
    const double missed = change - h * (before.rates[j] + after.rates[j]) / 2;
    middle_[i] = std::abs(std::isfinite(missed) ? missed : change);
  }
  for (std::size_t i = 0; i < n_y_; ++i) {
    middle_[i] = std::abs(to.state[i] - from.state[i] - h * (before.v[i] + after.v[i]) / 2);
    if (n_y_ == n_z_) middle_[i] += std::abs(h) * middle_[n_y_ + i];
  }
  for (int i = 0; i < pattern_.rows; ++i) {
    slack_[i] = 0;
    for (int k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k) {
      const std::size_t j = pattern_.column[k];
      if (j < middle_.size()) slack_[i] += middle_[j] * std::abs(slope_[k]);
    }
  }
}

// Cubics through both ends and the slopes there; straight lines for z where there are no accelerations.
void ZeroSearch::between(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after,
                         double s) {
  const double h = to.t - from.t;
  const double u = 1 - s;
  const double at_from = u * u * (1 + 2 * s);
  const double at_to = s * s * (1 + 2 * u);
  const double leave = h * s * u * u;
  const double arrive = -h * s * s * u;
  middle_.resize(from.state.size());
  for (std::size_t i = 0; i < n_y_; ++i)
    middle_[i] = at_from * from.state[i] + at_to * to.state[i] + leave * before.v[i] + arrive * after.v[i];
  for (std::size_t i = n_y_, j = 0; i < middle_.size(); ++i, ++j) {
    middle_[i] = at_from * from.state[i] + at_to * to.state[i] + leave * before.rates[j] + arrive * after.rates[j];
    if (!std::isfinite(middle_[i])) middle_[i] = u * from.state[i] + s * to.state[i];
  }
}

void ZeroSearch::scan(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after) {
  scan_[0] = before.values;
  scan_[parts] = after.values;
  for (int j = 1; j < parts; ++j) {
    const double share = chebyshev_place(j, parts);
    between(from, before, to, after, share);
    evaluate(from.t + share * (to.t - from.t), middle_, scan_[j].data());
  }
}

// Nothing can be where the function stays on its side, farther from zero than it moves in the step.
bool ZeroSearch::suspicious(int function, int side) const {
  double least = INFINITY;
  double most = 0;
  for (const std::vector<double>& values : scan_) {
    const double value = side * values[function];
    if (!(value > 0)) return true;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return !(least > most - least + unseen * slack_[function]);
}

void ZeroSearch::begin_boxes(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after) {
  const auto end = [this](const GridPoint& point, const Values& values) {
    const std::span<const double> state = point.state;
    return ZeroBoxes::End{point.t, state.first(n_y_), state.subspan(n_y_), values.v, values.rates};
  };
  boxes_.begin(end(from, before), end(to, after), margin_, before.places, parameters_);
}

bool ZeroSearch::search(const GridPoint& from, Values& before, const GridPoint& to, Values& after, bool last,
                        std::vector<Zero>& found) {
  found.clear();
  watch_tables(before);
  after.places = before.places;
  know(to, after);
  after.sides = before.sides;
  unsure_ = false;
  turns_ = false;
  measure_slack(from, before, to, after);
  margin_ = middle_;
  scan(from, before, to, after);
  begin_boxes(from, before, to, after);
  const int own = static_cast<int>(noise_.size() - next_places * tables_.size());  // then those of tables
  for (int i = 0; i < static_cast<int>(noise_.size()); ++i) {
    // One that is no number belongs to a branch that is not taken, or what is wrong is said elsewhere.
    if (!std::isfinite(before.values[i]) || !std::isfinite(after.values[i])) continue;
    if (i >= own) {
      const std::size_t table = static_cast<std::size_t>(i - own) / next_places;
      const std::size_t functions = first_function(before, tables_.size(), table);
      if (passes_many(*tables_[table], argument_of(before, functions, table).first,
                      argument_of(after, functions, table).first)) {
        unsure_ = true;
        turns_ = turns_ || !crowded_[table];
        crowded_[table] = true;
        continue;
      }
    }
    const bool open = enclosed_[i] && boxes_.may_be_zero(i);
    const bool near = suspicious(i, before.sides[i]);
    if (!near && !open) continue;
    nodes_ = {{0, before.values[i], before.signs[i]}, {1, after.values[i], after.signs[i]}};
    if (near && (!sample(i, before, after) || !add_extremes(i))) return false;
    const int side = before.sides[i] != 0 ? before.sides[i] : after.signs[i];
    if (open && side != 0 && !add_places(i, side)) return false;
    if (!walk(i, last, after.sides[i], found)) return false;
  }
  std::stable_sort(found.begin(), found.end(), [](const Zero& a, const Zero& b) { return a.share < b.share; });
  return true;
}

}  // namespace alembert::internal
