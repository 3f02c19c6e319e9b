#include "alembert/start/initial.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "alembert/derive/massless.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/rank.h"
#include "alembert/start/accelerations.h"
#include "alembert/start/finite.h"
#include "alembert/start/kinematics.h"
#include "alembert/start/limit.h"
#include "alembert/start/nearest.h"

namespace alembert::internal {
namespace {

constexpr std::size_t largest_conflict_search = 60;  // constraints; each costs a solution without it
constexpr std::size_t most_names = 12;               // in one message

std::vector<double> to_double(const std::vector<Quad>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const Quad v : values) result.push_back(static_cast<double>(v));
  return result;
}

/// "rod1, rod2 and 7 more".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == most_names && names.size() > most_names + 1) {
      return text + " and " + std::to_string(names.size() - i) + " more";
    }
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}

std::vector<int> all_of_them(std::size_t n) {
  std::vector<int> result(n);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

bool is_large(const Equations& e) {
  return static_cast<int>(e.z.size() + e.lambda.size() + e.psi.size()) > largest_dense;
}

Exprs with_time(const Equations& e, const Exprs& a, const Exprs& b = {}) {
  Exprs result = {e.t};
  result.insert(result.end(), a.begin(), a.end());
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

/// t, y, z and z', in which the mass matrix is the derivative of Equations::inertial.
Exprs with_rates(const Equations& e) {
  Exprs result = with_time(e, e.y, e.z);
  result.insert(result.end(), e.z_dot.begin(), e.z_dot.end());
  return result;
}

Exprs velocity_constraints(const Equations& e) {
  Exprs result = e.g_dot;
  result.insert(result.end(), e.k.begin(), e.k.end());
  return result;
}

/// One of the two projections with what is needed to speak about it.
struct Level {
  const char* values;                    // "positions"
  std::vector<std::string> constraints;  // names
  std::vector<Place> places;             // of the constraints
  std::vector<int> numbers;              // in Model::constraints
  const std::vector<std::string>* unknowns;
};

/// The constraints of both levels with those that vanishing masses add: an algebraic row of positions alone counts on
/// both levels, one with velocities on theirs, where multipliers are unknowns too.
struct Hidden {
  explicit Hidden(const Equations& e) : masses(massless(e)), positions(e.g), velocities(e.g_dot), unknowns(e.z) {
    Exprs multipliers = e.lambda, moving, others;
    multipliers.insert(multipliers.end(), e.psi.begin(), e.psi.end());
    velocities.insert(velocities.end(), e.k.begin(), e.k.end());
    for (std::size_t i = 0; i < masses.rows.size(); ++i) {
      const Expr row = masses.rows[i];
      if (!depends(row, e.z) && !depends(row, multipliers)) {
        positions.push_back(row);
        position_names.push_back(masses.names[i]);
        moving.push_back(row);
        velocity_names.push_back("derivative of the " + masses.names[i]);
      } else {
        others.push_back(row);
      }
    }
    Exprs x = {e.t}, d = {e.graph->constant(1)};
    x.insert(x.end(), e.y.begin(), e.y.end()), d.insert(d.end(), e.v.begin(), e.v.end());
    for (const Expr row : directional(moving, x, d)) velocities.push_back(row);
    if (!depends(others, e.z)) return;
    for (std::size_t i = 0; i < masses.rows.size(); ++i)
      if (std::find(moving.begin(), moving.end(), masses.rows[i]) == moving.end())
        velocity_names.push_back(masses.names[i]);
    velocities.insert(velocities.end(), others.begin(), others.end());
    unknowns.insert(unknowns.end(), multipliers.begin(), multipliers.end());
  }
  Massless masses;
  Exprs positions, velocities, unknowns;
  std::vector<std::string> position_names, velocity_names;
};

class InitialSearch {
 public:
  InitialSearch(const Model& model, const Equations& e, double t0)
      : model_(model),
        e_(e),
        hidden_(e),
        positions_({e.t}, e.y, hidden_.positions),
        velocities_(with_time(e, e.y), hidden_.unknowns, hidden_.velocities),
        accelerations_(e),
        mass_(with_rates(e), e.inertial, e.z_dot),
        mobility_(with_time(e, e.y, e.z), e.v, e.z),
        rows_(with_time(e, e.y, e.z), velocity_constraints(e), e.z) {
    state_.t = t0;
    state_.y = to_double(model.q0);
    state_.z = to_double(model.z0);
  }

  InitialValues run() {
    check_given_values(model_, e_);
    report_given_residuals();
    choose_metrics();
    const State given = state_;

    Level level{"positions", e_.g_names, {}, e_.g_constraint, &e_.y_names};
    for (const int i : e_.g_constraint) level.places.push_back(model_.constraints[i].place);
    try {
      state_.y = project(positions_, {state_.t}, state_.y, model_.q_pinned, position_metric_,
                         with_hidden(level, hidden_.position_names));
    } catch (const InputError&) {
      check_contact_points(model_, e_, state_);  // where that is the reason, it is said
      throw;
    }
    check_contact_points(model_, e_, state_);
    check_kinematics(model_, e_, state_);

    level.values = "velocities";
    level.constraints.insert(level.constraints.end(), e_.k_names.begin(), e_.k_names.end());
    for (const int i : e_.k_constraint) level.places.push_back(model_.constraints[i].place);
    level.numbers.insert(level.numbers.end(), e_.k_constraint.begin(), e_.k_constraint.end());
    level.unknowns = &e_.z_names;
    std::vector<double> inputs = {state_.t};
    inputs.insert(inputs.end(), state_.y.begin(), state_.y.end());
    std::vector<double> given_z = state_.z;
    std::vector<bool> pinned_z = model_.z_pinned;
    given_z.resize(hidden_.unknowns.size(), 0.0), pinned_z.resize(hidden_.unknowns.size(), false);
    given_z =
        project(velocities_, inputs, given_z, pinned_z, velocity_metric_, with_hidden(level, hidden_.velocity_names));
    std::copy_n(given_z.begin(), state_.z.size(), state_.z.begin());

    check_finite(model_, e_, state_);
    if (hidden_.masses.empty()) check_mass();
    find_multipliers(level);
    if (!hidden_.masses.empty()) check_limit();
    record(given.y, state_.y, e_.y_names);
    record(given.z, state_.z, e_.z_names);
    if (e_.port) record_algebraic();
    result_.y = state_.y;
    result_.z = state_.z;
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(Place place, std::string message, std::string hint) const {
    throw InputError(std::vector<Diagnostic>{{model_.source, place, std::move(message), std::move(hint)}});
  }

  void report_given_residuals() {
    std::vector<double> in = {state_.t};
    in.insert(in.end(), state_.y.begin(), state_.y.end());
    result_.position_residual = largest(positions_.constraints().values(in));
    in.insert(in.end(), state_.z.begin(), state_.z.end());
    in.resize(1 + e_.y.size() + hidden_.unknowns.size(), 0.0);
    const std::vector<double> c = velocities_.constraints().values(in);
    const auto middle = c.begin() + static_cast<std::ptrdiff_t>(e_.g.size());
    result_.velocity_residual = largest({c.begin(), middle});
    result_.nonholonomic_residual = largest({middle, middle + static_cast<std::ptrdiff_t>(e_.k.size())});
  }

  /// Lagrangian: M = p_z for both levels. Hamiltonian: H_pp^{-1} for positions, H_pp for momenta. General: p_z where z
  /// are the velocities themselves. Where that is not a metric (at the given, perhaps odd, values): the identity.
  void choose_metrics() {
    const int n = static_cast<int>(e_.y.size());
    const int nz = static_cast<int>(e_.z.size());
    const std::vector<double> in = flat(state_);
    if (e_.form == Form::hamiltonian) {
      const SparseRows H_pp = mobility_.derivative(in);
      position_metric_ = metric_from(H_pp, true);
      velocity_metric_ = metric_from(H_pp, false);
    } else if (e_.form == Form::lagrangian || e_.v == e_.z) {
      position_metric_ = velocity_metric_ = metric_from(mass_.derivative(at_rest(in)), false);
    }
    if (!hidden_.masses.empty() && n == nz) {
      // What has no mass moves first; multipliers are free.
      const SparseRows mass = mass_.derivative(at_rest(in));
      position_metric_ = metric_from(with_light_diagonal(mass, n), false);
      velocity_metric_ = metric_from(with_light_diagonal(mass, static_cast<int>(hidden_.unknowns.size())), false);
    }
    if (position_metric_.rows != n) position_metric_ = identity_rows(n);
    const int unknowns = static_cast<int>(hidden_.unknowns.size());
    if (velocity_metric_.rows != unknowns) velocity_metric_ = identity_rows(unknowns);
  }

  /// The inputs of the mass matrix, which does not depend on z'.
  std::vector<double> at_rest(std::vector<double> in) const {
    in.resize(in.size() + e_.z.size(), 0.0);
    return in;
  }

  /// The matrix, widened to n, with 1e-6 of its largest entry on the diagonal where there is nothing.
  static SparseRows with_light_diagonal(const SparseRows& matrix, int n) {
    const double light = 1e-6 * std::max(largest(matrix.value), 1e-290);
    SparseRows result;
    result.rows = result.columns = n;
    for (int i = 0; i < n; ++i) {
      bool any = false;
      for (int k = i < matrix.rows ? matrix.row_start[i] : 0; i < matrix.rows && k < matrix.row_start[i + 1]; ++k) {
        result.column.push_back(matrix.column[k]);
        result.value.push_back(matrix.value[k]);
        any = any || matrix.value[k] != 0;
      }
      if (!any) {
        result.column.push_back(i);
        result.value.push_back(light);
      }
      result.row_start.push_back(static_cast<int>(result.column.size()));
    }
    return result;
  }

  /// The level with the names of what vanishing masses add to it.
  Level with_hidden(Level level, const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      level.constraints.push_back("the " + name);
      level.places.push_back({});
      level.numbers.push_back(-1);
    }
    return level;
  }

  std::vector<double> project(const NearestPoint& nearest, const std::vector<double>& inputs,
                              const std::vector<double>& given, const std::vector<bool>& pinned,
                              const SparseRows& metric, const Level& level) {
    NearestPoint::Request request{inputs, given, pinned, metric, all_of_them(level.constraints.size())};
    request.fixed.resize(given.size(), false);
    if (request.active.empty()) return given;
    check_start(nearest, request, level);
    NearestPoint::Result found = nearest.solve(request);
    if (!found.converged) explain(nearest, request, found, level);
    return found.x;
  }

  /// A constraint must be finite at the given values, and must be able to change there.
  void check_start(const NearestPoint& nearest, const NearestPoint::Request& request, const Level& level) const {
    std::vector<double> in = request.inputs;
    in.insert(in.end(), request.given.begin(), request.given.end());
    std::vector<double> levels;
    const std::vector<double> c = nearest.constraints().values(in, levels);
    const SparseRows jacobian = nearest.constraints().derivative(in);
    std::vector<Diagnostic> diagnostics;
    for (int i = 0; i < jacobian.rows; ++i) {
      bool finite = true;
      bool moves = false;
      for (int k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) {
        finite = finite && std::isfinite(jacobian.value[k]);
        moves = moves || jacobian.value[k] != 0;
      }
      const std::string what = "the constraint " + level.constraints[i];
      const std::string values = level.values;
      if (!std::isfinite(c[i])) {
        diagnostics.push_back({model_.source, level.places[i],
                               what + " is not finite at the given " + values + " (" + to_text(c[i]) + ")",
                               blame(nearest, i, in)});
      } else if (!finite) {
        diagnostics.push_back(
            {model_.source, level.places[i], what + " has no derivative at the given " + values,
             "give other initial values (what is not given is 0), or write it without roots: norm2(a - b) = l^2"});
      } else if (!moves && std::abs(c[i]) > rounding_allowance * levels[i]) {
        const bool never = jacobian.row_start[i] == jacobian.row_start[i + 1];
        diagnostics.push_back(
            {model_.source, level.places[i],
             what + (never ? " does not hold, and no " + values + " can change it"
                           : " does not hold at the given " + values + ", and its gradient vanishes there"),
             never ? "left minus right side is " + to_text(c[i])
                   : "give initial values near the wanted ones: what is not given is 0"});
      }
    }
    if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
  }

  std::string blame(const NearestPoint& nearest, int i, const std::vector<double>& in) const {
    const bool position = &nearest == &positions_;
    const Exprs symbols = position ? with_time(e_, e_.y) : with_time(e_, e_.y, e_.z);
    const Expr c = position ? hidden_.positions[i] : hidden_.velocities[i];
    Exprs known = symbols;
    if (!position)
      known.insert(known.end(), hidden_.unknowns.begin() + static_cast<long>(e_.z.size()), hidden_.unknowns.end());
    return first_not_finite(c, known, in);
  }

  /// Says why no consistent values were found: pinned ones, or constraints that contradict each other.
  [[noreturn]] void explain(const NearestPoint& nearest, NearestPoint::Request request,
                            const NearestPoint::Result& failed, const Level& level) const {
    const bool any_pinned = std::find(request.fixed.begin(), request.fixed.end(), true) != request.fixed.end();
    if (any_pinned) {
      NearestPoint::Request free = request;
      free.fixed.assign(free.fixed.size(), false);
      if (nearest.solve(free).converged) {
        const std::vector<int> conflict = conflict_of(nearest, request, failed);
        const std::vector<std::string> pinned = pinned_in(nearest, request, conflict, level);
        refuse(level.places[conflict.front()],
               "the pinned " + listed(pinned) + (pinned.size() == 1 ? " leaves" : " leave") + " no " + level.values +
                   " that satisfy " + listed(names_of(conflict, level)),
               "pin fewer values, or others: without pins there is a solution");
      }
      request.fixed.assign(request.fixed.size(), false);
    }
    const NearestPoint::Result last = any_pinned ? nearest.solve(request) : failed;
    const std::vector<int> conflict = conflict_of(nearest, request, last);
    std::string left;
    double worst = 0;
    for (const int i : conflict) {
      if (std::abs(last.residual[i]) < worst) continue;
      worst = std::abs(last.residual[i]);
      left = level.constraints[i] + " still misses by " + to_text(last.residual[i]);
    }
    const std::string near = std::string("no ") + level.values + " near the given ones satisfy ";
    refuse(level.places[conflict.front()],
           conflict.size() == 1
               ? "the constraint " + level.constraints[conflict[0]] + " cannot hold: " + near + "it"
               : "the constraints " + listed(names_of(conflict, level)) + " contradict each other: " + near + "them",
           "at the nearest ones found, " + left);
  }

  static std::vector<std::string> names_of(const std::vector<int>& constraints, const Level& level) {
    std::vector<std::string> names;
    for (const int i : constraints) names.push_back(level.constraints[i]);
    return names;
  }

  /// A smallest set of constraints that cannot hold together: each is left out in turn, and stays out when the others
  /// still have no solution. For large systems those that do not vanish in the end.
  static std::vector<int> conflict_of(const NearestPoint& nearest, NearestPoint::Request request,
                                      const NearestPoint::Result& failed) {
    if (request.active.size() <= largest_conflict_search) {
      std::vector<int> conflict = request.active;
      for (std::size_t k = 0; k < conflict.size() && conflict.size() > 1;) {
        request.active = conflict;
        request.active.erase(request.active.begin() + static_cast<std::ptrdiff_t>(k));
        if (nearest.solve(request).converged) {
          ++k;
        } else {
          conflict = request.active;
        }
      }
      return conflict;
    }
    const double most = largest(failed.residual);
    std::vector<int> conflict;
    for (const int i : request.active) {
      if (!(std::abs(failed.residual[i]) <= 1e-3 * most)) conflict.push_back(i);
    }
    return conflict.empty() ? request.active : conflict;
  }

  /// The pinned unknowns on which these constraints depend.
  static std::vector<std::string> pinned_in(const NearestPoint& nearest, const NearestPoint::Request& request,
                                            const std::vector<int>& constraints, const Level& level) {
    const SparseExprs& jacobian = nearest.constraints().derivative_expressions();
    std::vector<bool> concerned(request.fixed.size(), false);
    for (const int i : constraints) {
      for (int k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) concerned[jacobian.column[k]] = true;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < concerned.size(); ++i) {
      if (request.fixed[i] && concerned[i]) names.push_back((*level.unknowns)[i]);
    }
    return names;
  }

  /// d/dz of the quantity that is differentiated must be regular; says which velocity has no kinetic energy.
  void check_mass() const {
    if (e_.z.empty()) return;
    if (e_.form == Form::hamiltonian) return check_mobility();
    const SparseRows mass = mass_.derivative(at_rest(flat(state_)));
    const int n = mass.rows;
    const auto place = [&](int i) {
      return place_of(e_.form == Form::lagrangian ? model_.coordinates : model_.momenta, i);
    };
    const bool lagrangian = e_.form == Form::lagrangian;
    std::vector<bool> row(n, false);
    std::vector<bool> column(n, false);
    for (int i = 0; i < n; ++i) {
      for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
        if (!std::isfinite(mass.value[k])) {
          refuse(place(i),
                 "the mass of " + e_.z_names[i] + " is not finite at the start (" + to_text(mass.value[k]) + ")",
                 "give other initial values or parameters");
        }
        if (mass.value[k] != 0) row[i] = column[mass.column[k]] = true;
      }
    }
    std::vector<Diagnostic> diagnostics;
    for (int i = 0; i < n; ++i) {
      if (row[i] && column[i]) continue;
      const bool vanishes = mass.row_start[i] != mass.row_start[i + 1];  // an expression is there, but it is 0 now
      const char* hint = vanishes     ? "it vanishes at the start: give other parameters or initial values"
                         : lagrangian ? "give it a mass, or remove the coordinate"
                                      : "each z needs its own rate";
      diagnostics.push_back({model_.source, place(i),
                             lagrangian
                                 ? "there is no kinetic energy in " + e_.z_names[i] + ": the mass matrix is singular"
                                 : "the differentiated quantities do not determine " + e_.z_names[i],
                             hint});
    }
    if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
    if (n > largest_dense) {
      SparseLu lu(n, mass.row_start, mass.column);
      if (!lu.factor(mass.value.data())) {
        const int i = std::max(0, lu.singular_column());
        refuse(place(i), "the mass matrix is singular at the start, seen at " + e_.z_names[i],
               "each velocity needs kinetic energy of its own");
      }
      return;
    }
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) a(i, mass.column[k]) += mass.value[k];
    }
    // Light and heavy bodies are judged alike: sqrt of the largest entries as units of rows and columns.
    const Eigen::VectorXd unit = a.cwiseAbs().rowwise().maxCoeff().cwiseSqrt().cwiseInverse();
    a = unit.asDiagonal() * a * unit.asDiagonal();
    Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
    lu.setThreshold(1e-14);
    if (lu.isInvertible()) return;
    const Eigen::VectorXd kernel = unit.cwiseProduct(lu.kernel().col(0));
    std::vector<std::string> names;
    int first = -1;
    for (int i = 0; i < n; ++i) {
      if (std::abs(kernel[i]) < 1e-8 * kernel.cwiseAbs().maxCoeff()) continue;
      if (first < 0) first = i;
      names.push_back(e_.z_names[i]);
    }
    refuse(place(first),
           "the mass matrix is singular at the start: " + listed(names) + " can change together without kinetic energy",
           "each velocity needs kinetic energy of its own");
  }

  /// Hamiltonian form: a reaction on q_i keeps a constraint only by way of H_pp.
  void check_mobility() const {
    const SparseRows H_pp = mobility_.derivative(flat(state_));
    const SparseExprs& g_y = positions_.constraints().derivative_expressions();
    std::vector<bool> constrained(e_.y.size(), false);
    for (const int j : g_y.column) constrained[j] = true;
    std::vector<Diagnostic> diagnostics;
    for (int i = 0; i < H_pp.rows; ++i) {
      const auto begin = H_pp.value.begin() + H_pp.row_start[i];
      const auto end = H_pp.value.begin() + H_pp.row_start[i + 1];
      if (!constrained[i] || std::any_of(begin, end, [](double v) { return v != 0; })) continue;
      diagnostics.push_back(
          {model_.source, place_of(model_.momenta, i), "there is no kinetic energy in " + e_.z_names[i],
           "a constraint on " + e_.y_names[i] + " needs a hamiltonian that is curved in this momentum"});
    }
    if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
  }

  /// d(g_dot, k)/dz at a state.
  SparseRows constraint_rows(const State& state) const { return rows_.derivative(flat(state)); }

  /// Vanishing masses are taken where what is left determines the motion.
  void check_limit() {
    result_.hidden = hidden_.masses.names;
    std::vector<double> multipliers = result_.lambda;
    multipliers.insert(multipliers.end(), result_.psi.begin(), result_.psi.end());
    result_.index = differentiation_index(e_, state_, multipliers);
    // The start may be a singular position: then its neighbours tell. Multipliers stay: where they ought to vanish,
    // others would determine what nothing determines.
    State nearby = state_;
    std::uint64_t random = 88172645463325252u;
    for (std::vector<double>* list : {&nearby.y, &nearby.z}) {
      const double size = std::max(largest(*list), 1e-3);
      for (double& value : *list) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        value += 0.1 * size * (static_cast<double>(random >> 11) / 9007199254740992.0 - 0.5);
      }
    }
    const std::optional<int> usual = differentiation_index(e_, nearby, multipliers);
    if (usual) result_.index = usual;
    if (result_.index) return;
    const auto& blocks = e_.form == Form::lagrangian ? model_.coordinates : model_.momenta;
    refuse(place_of(blocks, hidden_.masses.z.front()), hidden_.masses.reason + ": the mass matrix is singular",
           "nothing else determines it either: give it a mass or damping, or remove the coordinate");
  }

  /// Whether the constraints have more rank at a consistent position nearby: the start is then a singular position, and
  /// no constraint is superfluous.
  bool more_rank_nearby(int rank) const {
    if (e_.y.size() > static_cast<std::size_t>(largest_dense)) return false;
    const double size = std::max(largest(state_.y), 1e-3);
    std::uint64_t random = 88172645463325252u;  // the same directions on every machine
    NearestPoint::Request request{
        {state_.t}, state_.y, std::vector<bool>(state_.y.size(), false), position_metric_, all_of_them(e_.g.size())};
    for (double& y : request.given) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      y += 1e-2 * size * (static_cast<double>(random >> 11) / 9007199254740992.0 - 0.5);
    }
    State nearby = state_;
    if (!e_.g.empty()) {
      const NearestPoint::Result moved = positions_.solve(request);
      if (!moved.converged) return false;
      nearby.y = moved.x;
    }
    return analyse_rows(constraint_rows(nearby), 1e-7).rank > rank;
  }

  void describe(const RankReport& report, const Level& level) {
    if (report.dependent_rows.empty()) return;
    const bool singular = result_.singular_position = more_rank_nearby(report.rank);
    for (std::size_t k = 0; k < report.dependent_rows.size(); ++k) {
      const std::vector<std::string> from = names_of(report.follows_from[k], level);
      std::string text = level.constraints[report.dependent_rows[k]];
      text += from.empty() ? " does not restrict the velocities" : " follows from " + listed(from);
      if (singular) {
        text += std::string(" at the start (a singular position: nearby it does") + (from.empty() ? ")" : " not)");
      }
      result_.redundant.push_back(std::move(text));
      result_.redundant_constraints.push_back(level.numbers[report.dependent_rows[k]]);
      if (from.empty()) result_.powerless.push_back(level.numbers[report.dependent_rows[k]]);
    }
  }

  void find_multipliers(const Level& level) {
    const bool large = is_large(e_);
    bool redundant = false;
    std::optional<RankReport> report;
    if (!level.constraints.empty() && !large) {
      report = analyse_rows(constraint_rows(state_), 1e-10);
      redundant = !report->dependent_rows.empty();
    }
    std::vector<double> guess;
    const auto add_guess = [&](const std::vector<int>& constraints) {
      for (const int i : constraints) {
        const bool given = i < static_cast<int>(model_.multiplier0.size()) && model_.multiplier0[i];
        guess.push_back(given ? static_cast<double>(*model_.multiplier0[i]) : std::numeric_limits<double>::quiet_NaN());
      }
    };
    add_guess(e_.g_constraint);
    add_guess(e_.psi_constraint);

    Accelerations solution = accelerations_.solve(state_, guess, redundant);
    // Without masses some accelerations are not determined by this system: the smallest ones are a start.
    if (!hidden_.masses.empty() && !solution.solved && !large) solution = accelerations_.solve(state_, guess, true);
    if (large && !level.constraints.empty() && (solution.doubtful || !solution.solved)) {
      report = analyse_rows(constraint_rows(state_), 1e-10);
      redundant = !report->dependent_rows.empty();
      if (redundant) solution = accelerations_.solve(state_, guess, true);
    }
    if (!solution.solved && hidden_.masses.empty()) explain_accelerations(solution, level, redundant);
    if (solution.z_dot.empty()) solution.z_dot.assign(e_.z.size(), 0.0);
    if (solution.multipliers.empty()) solution.multipliers.assign(e_.lambda.size() + e_.psi.size(), 0.0);
    if (report) describe(*report, level);
    const auto middle = solution.multipliers.begin() + static_cast<std::ptrdiff_t>(e_.lambda.size());
    result_.z_dot = solution.z_dot;
    result_.lambda.assign(solution.multipliers.begin(), middle);
    result_.psi.assign(middle, solution.multipliers.end());
  }

  [[noreturn]] void explain_accelerations(const Accelerations& solution, const Level& level, bool redundant) const {
    if (e_.port) explain_states(solution);
    const Place place = level.places.empty() ? Place{} : level.places.front();
    if (accelerations_.linear() && solution.not_finite) {
      refuse(place, "the accelerations are not finite at the start", "give other initial values or parameters");
    }
    if (solution.singular) {
      refuse(place, "the accelerations and reactions are not determined at the start: their matrix is singular",
             level.constraints.empty() ? "each coordinate needs kinetic energy of its own"
                                       : "the reactions must be able to keep " + listed(level.constraints));
    }
    if (accelerations_.linear() && redundant) {
      refuse(place,
             "the constraints " + listed(level.constraints) +
                 " depend on each other at the start, and no reactions keep all of them",
             "the start is a singular position, or two constraints move differently in time");
    }
    refuse(place, "no multipliers found that keep " + listed(level.constraints) + " at the start",
           "give starting values: multiplier NAME = VALUE");
  }

  /// Port-Hamiltonian form.
  [[noreturn]] void explain_states(const Accelerations& solution) const {
    const PortSystem& port = e_.port->system;
    if (!port.loops.empty())
      refuse(flat_place(port.inputs, port.loops[0]),
             "the algebraic loop of the input '" + flat_name(port.inputs, port.loops[0]) +
                 "' has no solution at the start",
             "its value depends on itself, through the feedthrough and the outputs");
    const Place place = flat_place(port.states, port.algebraic.empty() ? 0 : port.algebraic[0]);
    if (e_.psi.empty() || solution.not_finite)
      refuse(place, "the rates of the states are not determined at the start",
             "E must be regular, and all values finite");
    refuse(place, "the algebraic states " + listed(e_.psi_names) + " are not determined at the start",
           solution.singular ? "their rows, or the derivatives of these, must contain them: the index is above 2"
                             : "give starting values: state NAME = VALUE");
  }

  void record(const std::vector<double>& from, const std::vector<double>& to, const std::vector<std::string>& names) {
    // Where a value is small against the others, only what is beyond their rounding counts as moved.
    const double floor = 4 * std::numeric_limits<double>::epsilon() * std::max(largest(from), largest(to));
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double moved = std::abs(to[i] - from[i]);
      if (moved > floor && moved > 1e-12 * std::max(std::abs(from[i]), std::abs(to[i]))) {
        result_.changes.push_back({names[i], from[i], to[i]});
      }
    }
  }

  /// Algebraic states that the user gave and that the others determine otherwise.
  void record_algebraic() {
    std::vector<double> from = result_.psi;
    for (std::size_t i = 0; i < from.size(); ++i)
      if (const auto& given = model_.multiplier0[e_.psi_constraint[i]]) from[i] = static_cast<double>(*given);
    record(from, result_.psi, e_.psi_names);
  }

  const Model& model_;
  const Equations& e_;
  Hidden hidden_;
  NearestPoint positions_, velocities_;
  AccelerationSystem accelerations_;
  DifferentiableList mass_, mobility_, rows_;  // M, v_z, d(g_dot, k)/dz
  SparseRows position_metric_, velocity_metric_;
  State state_;
  InitialValues result_;
};

}  // namespace

InitialValues make_consistent(const Model& model, const Equations& equations, InitialOptions options) {
  return InitialSearch(model, equations, options.t0).run();
}

}  // namespace alembert::internal
