#include "alembert/start/initial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/auxiliary.h"
#include "alembert/model/refuse.h"
#include "alembert/start/accelerations.h"
#include "alembert/start/conflicts.h"
#include "alembert/start/dense.h"
#include "alembert/start/finite.h"
#include "alembert/start/kinematics.h"
#include "alembert/start/limit.h"
#include "alembert/start/mass_check.h"
#include "alembert/start/metrics.h"
#include "alembert/start/nearest.h"
#include "alembert/start/redundancy.h"
#include "alembert/start/undetermined.h"

namespace alembert::internal {
namespace {

/// A value counts as moved where it did so by more than this share of itself: below are the roundings of the
/// projection, a few hundred units in the last place.
constexpr double moved_share = 1e-12;
/// And by more than this many units of rounding of the largest value, which the projection mixes with the small ones.
constexpr double moved_units = 4;
/// How far the index is looked at beside the start, as a share of the values; and the size of values that are all 0.
constexpr double beside_share = 0.1;
constexpr double least_size = 1e-3;
/// Far above the rounding of a projection, far below half a turn.
constexpr double same_angle = 1e-6;

void check_sizes(const Model& model, const Equations& e, const StartValues& given) {
  check(given.y.size() == e.y.size() && given.z.size() == e.z.size(), "start values: one per y and z");
  check(given.y_pinned.size() == given.y.size() && given.z_pinned.size() == given.z.size(),
        "start values: pinned or not, one per y and z");
  check(given.multipliers.size() == model.constraints.size(), "start values: one guess or none per constraint");
  check(given.prescribed.size() == model.prescribed.size(), "start values: one or none per prescribed value");
}

void record_changes(const std::vector<double>& from, const std::vector<double>& to,
                    const std::vector<std::string>& names, InitialValues& result) {
  // Behind a kink at t = 0 velocities are those of a time next to 0: smaller than any that was meant.
  constexpr double nothing = 1e-250;
  const double floor =
      moved_units * std::numeric_limits<double>::epsilon() * std::max(max_abs(from), max_abs(to)) + nothing;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double moved = std::abs(to[i] - from[i]);
    if (moved > floor && moved > moved_share * std::max(std::abs(from[i]), std::abs(to[i])))
      result.changes.push_back({names[i], from[i], to[i]});
  }
}

/// Initial guesses of lambda and psi, NaN where there is none.
std::vector<double> multiplier_guesses(const Equations& e, const StartValues& given) {
  std::vector<double> guess;
  for (const int i : joined<int>(e.g_constraint, e.psi_constraint))
    guess.push_back(given.multipliers[i].value_or(std::numeric_limits<double>::quiet_NaN()));
  return guess;
}

}  // namespace

struct ConsistentStart::Body {
  Body(const Model& model, const Equations& e);
  InitialValues solve(double t0, const StartValues& given) const;
  const AccelerationSystem& accelerations() const { return accelerations_; }
  StartValues given_by_model() const;
  void bind(const double* table);

 private:
  struct Subject {
    Model model;
    Equations equations;
  };

  void report_residuals(const State& given, InitialValues& result) const;
  std::vector<double> project(const Level& level, const NearestPoint& nearest, NearestPoint::Request request,
                              const StartValues& given) const;
  int parts_of_the_way(const State& state, const StartValues& given) const;
  void project_positions(State& state, const StartValues& given, const SparseRows& metric) const;
  void turn_velocities(State& state, const StartValues& given) const;
  void project_velocities(State& state, const StartValues& given, const SparseRows& metric) const;
  void put_closed_forms(State& state, const StartValues& given) const;
  void check_pinned_forms(const State& state, const StartValues& given) const;
  void check_inertia(const State& state) const;
  void find_multipliers(const State& state, const StartValues& given, const SparseRows& metric,
                        InitialValues& result) const;
  void find_index(const State& state, InitialValues& result) const;

  std::shared_ptr<const Subject> subject_;
  const Model& model_;
  const Equations& e_;
  Massless masses_;
  Level position_level_, velocity_level_;
  NearestPoint positions_, velocities_;
  // Where the model sets what follows from its states.
  std::optional<Level> set_position_level_, set_velocity_level_;
  std::optional<NearestPoint> set_positions_, set_velocities_;
  AccelerationSystem accelerations_;
  MassMetric mass_;
  Redundancy redundancy_;
  KinematicsCheck kinematics_;
  FiniteCheck finite_;
  std::optional<DifferentiationIndex> index_;  // where masses vanish
  Kernel<double> given_;                       // y, z as functions of the open parameters
  Kernel<double> closed_;                      // the auxiliary variables that have a closed form, near their values
  const double* parameters_ = nullptr;
};

ConsistentStart::Body::Body(const Model& model, const Equations& e)
    : subject_(std::make_shared<const Subject>(Subject{model, e})),
      model_(subject_->model),
      e_(subject_->equations),
      masses_(massless(e)),
      position_level_(position_level(model, e, masses_)),
      velocity_level_(velocity_level(model, e, masses_)),
      positions_(position_level_.inputs, position_level_.unknowns, position_level_.constraints),
      velocities_(velocity_level_.inputs, velocity_level_.unknowns, velocity_level_.constraints),
      accelerations_(e),
      mass_(e, !masses_.empty(), velocity_level_.unknowns.size()),
      redundancy_(e, velocity_level_),
      kinematics_(model, e),
      finite_(model, e) {
  if (!masses_.empty()) index_.emplace(e);
  const auto prescribe = [&](const Level& level, bool moves, std::optional<Level>& wider,
                             std::optional<NearestPoint>& nearest) {
    wider = with_prescribed(level, model_, e_, moves);
    if (!wider->prescribed.empty()) nearest.emplace(wider->inputs, wider->unknowns, wider->constraints);
  };
  if (!model.prescribed.empty()) {
    prescribe(position_level_, false, set_position_level_, set_positions_);
    prescribe(velocity_level_, true, set_velocity_level_, set_velocities_);
  }
  given_ = Kernel<double>(Exprs{}, joined<Expr>(e.y_start, e.z_start, e.prescribed_start), interpreted);
  const Exprs near(e.y.end() - static_cast<long>(closed_count(e)), e.y.end());
  closed_ = Kernel<double>(joined<Expr>(e.t, e.y), closed_forms(e, e.t, e.y, near), interpreted);
}

StartValues ConsistentStart::Body::given_by_model() const {
  StartValues given = start_values(model_);
  const std::vector<double> values = evaluated(given_, {});
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(given.y.size());
  const auto last = middle + static_cast<std::ptrdiff_t>(given.z.size());
  given.y.assign(values.begin(), middle);
  given.z.assign(middle, last);
  for (std::size_t i = 0; i < given.prescribed.size(); ++i)
    if (given.prescribed[i]) given.prescribed[i] = last[static_cast<std::ptrdiff_t>(i)];
  return given;
}

void ConsistentStart::Body::bind(const double* table) {
  parameters_ = table;
  positions_.bind(table);
  velocities_.bind(table);
  if (set_positions_) set_positions_->bind(table);
  if (set_velocities_) set_velocities_->bind(table);
  accelerations_.bind(table);
  mass_.bind(table);
  redundancy_.bind(table);
  kinematics_.bind(table);
  finite_.bind(table);
  if (index_) index_->bind(table);
  given_.bind(table);
  closed_.bind(table);
}

InitialValues ConsistentStart::Body::solve(double t0, const StartValues& given) const {
  check_sizes(model_, e_, given);
  check_given_values(model_, e_, given);
  InitialValues result;
  State state{t0, given.y, given.z};
  put_closed_forms(state, given);
  report_residuals(state, result);
  const Metrics metrics = mass_.at(state);
  project_positions(state, given, metrics.positions);
  put_closed_forms(state, given);
  check_pinned_forms(state, given);
  turn_velocities(state, given);
  // Least in kinetic energy where the bodies stand now, which may not be where they were put.
  project_velocities(state, given, state.y == given.y ? metrics.velocities : mass_.at(state).velocities);
  finite_.check(model_, e_, state);
  check_inertia(state);
  find_multipliers(state, given, metrics.positions, result);
  if (index_) find_index(state, result);

  // What has a closed form is no initial value that could be moved, unless the model gives one.
  std::vector<double> own = state.y;
  for (std::size_t i = own.size() - closed_count(e_); i < own.size(); ++i)
    if (!model_.q_given[i]) own[i] = given.y[i];
  record_changes(given.y, own, e_.y_names, result);
  record_changes(given.z, state.z, e_.z_names, result);
  if (e_.port) {
    // Algebraic states that the user gave and that the others determine otherwise.
    std::vector<double> from = result.psi;
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = given.multipliers[e_.psi_constraint[i]].value_or(from[i]);
    record_changes(from, result.psi, e_.psi_names, result);
  }
  result.y = std::move(state.y);
  result.z = std::move(state.z);
  return result;
}

/// Auxiliary variables that have a closed form get it; the values that were given say on which branch. What is pinned
/// stays: then the coordinates move.
void ConsistentStart::Body::put_closed_forms(State& state, const StartValues& given) const {
  const std::vector<double> values = evaluated(closed_, joined<double>(state.t, state.y));
  const std::size_t first = state.y.size() - values.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!given.y_pinned[first + i]) state.y[first + i] = values[i];
}

/// The equation of an angle holds half a turn away too.
void ConsistentStart::Body::check_pinned_forms(const State& state, const StartValues& given) const {
  const std::vector<double> values = evaluated(closed_, joined<double>(state.t, state.y));
  const std::size_t first = state.y.size() - values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = state.y[first + i];
    if (!given.y_pinned[first + i] || std::abs(values[i] - wanted) <= same_angle) continue;
    refuse(model_, e_.auxiliary[e_.auxiliary.size() - values.size() + i].place,
           "no position near the start has " + e_.y_names[first + i] + " = " + to_text(wanted),
           "start within a quarter of a turn of it");
  }
}

void ConsistentStart::Body::report_residuals(const State& given, InitialValues& result) const {
  result.position_residual = max_abs(positions_.constraints().values(joined<double>(given.t, given.y)));
  std::vector<double> in = flat(given);
  in.resize(1 + given.y.size() + velocity_level_.unknowns.size(), 0.0);
  const std::vector<double> c = velocities_.constraints().values(in);
  const auto middle = c.begin() + static_cast<std::ptrdiff_t>(e_.g.size());
  result.velocity_residual = max_abs({c.begin(), middle});
  result.nonholonomic_residual = max_abs({middle, middle + static_cast<std::ptrdiff_t>(e_.k.size())});
}

/// All constraints of the level are active, and what is set.
std::vector<double> ConsistentStart::Body::project(const Level& level, const NearestPoint& nearest,
                                                   NearestPoint::Request request, const StartValues& given) const {
  const std::size_t always = level.constraints.size() - level.prescribed.size();
  request.active.resize(always);
  std::iota(request.active.begin(), request.active.end(), 0);
  for (std::size_t k = 0; k < level.prescribed.size(); ++k) {
    const std::optional<double> value = given.prescribed[static_cast<std::size_t>(level.prescribed[k])];
    if (value) request.active.push_back(static_cast<int>(always + k));
    request.inputs.push_back(value.value_or(0));
  }
  if (request.active.empty()) return std::move(request.given);
  check_constraints(model_, level, nearest, request, parameters_);
  NearestPoint::Result found = nearest.solve(request);
  if (!found.converged) explain_conflict(model_, level, nearest, request, found, given.set);
  return std::move(found.x);
}

/// Bodies that are turned far to an angle that is set go there in parts: the equation of an angle holds half a turn
/// away too.
int ConsistentStart::Body::parts_of_the_way(const State& state, const StartValues& given) const {
  constexpr double longest_part = 0.5;  // radians
  const std::vector<double> from = evaluated(closed_, joined<double>(state.t, state.y));
  const std::size_t first = state.y.size() - from.size();
  double way = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (given.y_pinned[first + i] && std::isfinite(from[i]))
      way = std::max(way, std::abs(given.y[first + i] - from[i]));
  return std::max(1, static_cast<int>(std::ceil(way / longest_part)));
}

void ConsistentStart::Body::project_positions(State& state, const StartValues& given, const SparseRows& metric) const {
  const int parts = parts_of_the_way(state, given);
  const std::vector<double> from = evaluated(closed_, joined<double>(state.t, state.y));
  const std::size_t first = state.y.size() - from.size();
  try {
    for (int part = 1; part <= parts; ++part) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        const double wanted = given.y[first + i];
        if (given.y_pinned[first + i])
          state.y[first + i] = part == parts ? wanted : from[i] + (wanted - from[i]) * part / parts;
      }
      NearestPoint::Request request{{state.t}, state.y, given.y_pinned, metric, {}};
      state.y = set_positions_ ? project(*set_position_level_, *set_positions_, std::move(request), given)
                               : project(position_level_, positions_, std::move(request), given);
    }
  } catch (const InputError&) {
    kinematics_.check_contact_points(model_, state);  // where that is the reason, it is said
    throw;
  }
  kinematics_.check_contact_points(model_, state);
  kinematics_.check_rank(model_, e_, state);
}

/// A body that was turned keeps its spin, conj(e) e': its given velocity e' belongs to the orientation it was given
/// with.
void ConsistentStart::Body::turn_velocities(State& state, const StartValues& given) const {
  if (e_.form != Form::lagrangian) return;
  const auto times = [](const std::array<double, 4>& a, const std::array<double, 4>& b) {
    return std::array<double, 4>{
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3], a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
  };
  std::set<int> turned;  // a body may have several joints
  for (const Joint& joint : model_.joints) {
    if (joint.turns != 4 || !turned.insert(joint.orientation).second) continue;
    const auto part = [&](const std::vector<double>& list) {
      const double* const e = list.data() + joint.orientation;
      return std::array<double, 4>{e[0], e[1], e[2], e[3]};
    };
    const std::array<double, 4> before = part(given.y), after = part(state.y);
    const bool pinned = std::any_of(given.z_pinned.begin() + joint.orientation,
                                    given.z_pinned.begin() + joint.orientation + 4, [](bool b) { return b; });
    if (before == after || pinned) continue;
    const double size = before[0] * before[0] + before[1] * before[1] + before[2] * before[2] + before[3] * before[3];
    const auto turn = times(after, {before[0] / size, -before[1] / size, -before[2] / size, -before[3] / size});
    const auto rate = times(turn, part(given.z));
    std::copy(rate.begin(), rate.end(), state.z.begin() + joint.orientation);
  }
}

/// Multipliers that are unknowns of the level start at 0, and what is found for them is not used.
void ConsistentStart::Body::project_velocities(State& state, const StartValues& given, const SparseRows& metric) const {
  const std::size_t unknowns = velocity_level_.unknowns.size();
  NearestPoint::Request request{joined<double>(state.t, state.y), state.z, given.z_pinned, metric, {}};
  request.given.resize(unknowns, 0.0);
  request.fixed.resize(unknowns, false);
  const std::vector<double> found = set_velocities_
                                        ? project(*set_velocity_level_, *set_velocities_, std::move(request), given)
                                        : project(velocity_level_, velocities_, std::move(request), given);
  std::copy_n(found.begin(), state.z.size(), state.z.begin());
}

void ConsistentStart::Body::check_inertia(const State& state) const {
  if (!masses_.empty()) return;  // find_index says what that means
  if (e_.form == Form::hamiltonian)
    check_mobility(model_, e_, mass_.mobility(state), positions_.constraints().derivative_expressions());
  else check_mass(model_, e_, mass_.mass(state));
}

/// Small systems are looked through for redundant constraints always, large ones where the matrix is doubtful.
void ConsistentStart::Body::find_multipliers(const State& state, const StartValues& given, const SparseRows& metric,
                                             InitialValues& result) const {
  const bool large = static_cast<int>(e_.z.size() + e_.lambda.size() + e_.psi.size()) > largest_dense;
  const bool constrained = velocity_level_.written > 0;
  const std::vector<double> guess = multiplier_guesses(e_, given);
  std::optional<RankReport> report;
  const auto redundant = [&] { return report && !report->dependent_rows.empty(); };
  if (constrained && !large) report = redundancy_.at(state, velocities_);

  Accelerations found = accelerations_.solve(state, guess, redundant());
  // Without masses some accelerations are not determined by this system: the smallest ones are a start.
  if (index_ && !found.solved && !large) found = accelerations_.solve(state, guess, true);
  if (constrained && large && (found.doubtful || !found.solved)) {
    report = redundancy_.at(state, velocities_);
    if (redundant()) found = accelerations_.solve(state, guess, true);
  }
  if (!found.solved && !index_)
    explain_undetermined(model_, e_, velocity_level_, found, accelerations_.linear(), redundant());
  if (found.z_dot.empty()) found.z_dot.assign(e_.z.size(), 0.0);
  if (found.multipliers.empty()) found.multipliers.assign(guess.size(), 0.0);
  if (redundant())
    describe_redundant(*report, redundancy_.more_rank_nearby(state, report->rank, positions_, velocities_, metric),
                       velocity_level_, result);
  const auto middle = found.multipliers.begin() + static_cast<std::ptrdiff_t>(e_.lambda.size());
  result.lambda.assign(found.multipliers.begin(), middle);
  result.psi.assign(middle, found.multipliers.end());
  result.z_dot = std::move(found.z_dot);
}

/// Vanishing masses are taken where what is left determines the motion.
void ConsistentStart::Body::find_index(const State& state, InitialValues& result) const {
  result.hidden = masses_.names;
  const std::vector<double> multipliers = joined<double>(result.lambda, result.psi);
  result.index = index_->at(state, multipliers);
  // The start may be a singular position: then its neighbours tell. Multipliers stay: where they ought to vanish,
  // others would determine what nothing determines.
  State beside = state;
  Scatter scatter;
  for (std::vector<double>* list : {&beside.y, &beside.z}) {
    const double size = std::max(max_abs(*list), least_size);
    for (double& value : *list) value += beside_share * size * scatter.next();
  }
  if (const std::optional<int> usual = index_->at(beside, multipliers)) result.index = usual;
  if (result.index) return;
  refuse(model_, place_of(blocks_of_z(model_), masses_.z.front()), masses_.reason + ": the mass matrix is singular",
         "nothing else determines it either: give it a mass or damping, or remove the coordinate");
}

ConsistentStart::ConsistentStart(const Model& model, const Equations& equations)
    : body_(std::make_unique<Body>(model, equations)) {}
ConsistentStart::ConsistentStart(const ConsistentStart& other) : body_(std::make_unique<Body>(*other.body_)) {}
ConsistentStart::ConsistentStart(ConsistentStart&&) noexcept = default;
ConsistentStart& ConsistentStart::operator=(ConsistentStart other) noexcept {
  body_ = std::move(other.body_);
  return *this;
}
ConsistentStart::~ConsistentStart() = default;

InitialValues ConsistentStart::solve(double t0, const StartValues& given) const { return body_->solve(t0, given); }
StartValues ConsistentStart::given_by_model() const { return body_->given_by_model(); }
void ConsistentStart::bind(const double* parameters) { body_->bind(parameters); }
const AccelerationSystem& ConsistentStart::accelerations() const { return body_->accelerations(); }

InitialValues make_consistent(const Model& model, const Equations& equations, InitialOptions options) {
  return ConsistentStart(model, equations).solve(options.t0, start_values(model));
}

}  // namespace alembert::internal
