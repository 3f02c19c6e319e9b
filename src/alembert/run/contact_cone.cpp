#include "alembert/run/contact_cone.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alembert/base/decompositions.h"

namespace alembert::internal {

namespace {

// Sweeps of Gauss and Seidel: what they find is which contacts act and slip, the values come from linear systems.
constexpr int most_sweeps = 5000;
// What is 0 but for rounding, against the largest entries.
constexpr double rounding = 1e-11;
// What sweeps alone leave, against the largest entries; taken where nothing better is found.
constexpr double swept_only = 1e-9;
// A force on the border of the cone is inside.
constexpr double border = 1e-10;
// Ways for contacts to be that are tried one by one where the sweeps find none.
constexpr double most_ways = 20000;
// Of directions of slip: each is found from the one before.
constexpr int most_turns = 1000;
// And those that differ by less are the same.
constexpr double same_direction = 1e-13;

using Direction = std::array<double, 2>;

double length(const Eigen::VectorXd& v, int first, int size) { return v.segment(first, size).norm(); }

Direction direction_of(const Eigen::VectorXd& v, int first, int size) {
  const double norm = length(v, first, size);
  if (norm == 0) return {1, 0};
  return {v[first] / norm, size > 1 ? v[first + 1] / norm : 0};
}

/// The conditions and where they are tried.
class Cone {
 public:
  explicit Cone(const ConeProblem& problem) : problem_(problem) {
    scale_w_ = problem.b.cwiseAbs().maxCoeff();
    double diagonal = 0;
    for (const auto& contact : problem.contacts)
      diagonal = std::max(diagonal, std::abs(problem.D(contact.normal, contact.normal)));
    scale_p_ = diagonal > 0 ? scale_w_ / diagonal : 0;
    for (const auto& contact : problem.contacts) scale_p_ = std::max(scale_p_, contact.offset);
  }

  std::optional<ConeSolution> swept() {
    swept_ = sweep();
    // Redundant contacts share, by the shortest solution; where that is outside of the cones, by the one next to where
    // the sweeps ended.
    ConeSolution guess = swept_;
    guess.p.setZero();
    if (settle(guess)) return guess;
    guess = swept_;
    if (settle(guess)) return guess;
    return {};
  }

  /// The laws as equations, p_N = max(p_N - r w_N, 0) and p_T = the projection of p_T - r w_T onto the disk of
  /// friction, by Newton's method from where the sweeps ended. Where several contacts that share a load begin to slip
  /// it gets there, by halves at least, while sweeps creep.
  std::optional<ConeSolution> by_newton() const {
    // By halves it takes 50 steps from 1 to rounding; of each, parts down to 1/4096 are tried.
    constexpr int most_steps = 100, most_halvings = 12;
    ConeSolution s = swept_;
    Eigen::MatrixXd J;
    Eigen::VectorXd F = law(s, &J);
    for (int n = 0; n < most_steps && F.norm() > 1e-15 * scale_p_; ++n) {
      const Eigen::VectorXd step = least_squares(J, Eigen::VectorXd(-F));
      if (!step.allFinite()) break;
      ConeSolution next = s;
      double part = 1;
      Eigen::VectorXd G;
      for (int k = 0; k < most_halvings; ++k, part /= 2) {
        next.p = s.p + part * step;
        G = law(next, nullptr);
        if (G.norm() < F.norm()) break;
      }
      if (!(G.norm() < F.norm())) break;
      s = next;
      F = law(s, &J);
    }
    s.w = problem_.D * s.p + problem_.b;
    if (s.w.allFinite() && fulfilled(s)) return s;
    return {};
  }

  /// Where all may stay as it is, and the load can be shared in more than one way: the forces in their cones, or as
  /// near to them as possible. That is convex; on the border of several cones at once sweeps and Newton's method creep.
  std::optional<ConeSolution> held() const {
    constexpr int most_steps = 200;  // Newton on a convex function with kinks: it ends long before, or creeps
    ConeSolution s = empty();
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) s.contacts[i].active = !problem_.contacts[i].open;
    const Forces f = forces(s);
    if (f.rows.empty()) return {};
    const Eigen::Index size = f.A.cols();
    const std::vector<double> kernel =
        null_space(f.A, std::numeric_limits<double>::epsilon() * static_cast<double>(size));
    if (kernel.empty()) return {};
    const Eigen::Map<const Eigen::MatrixXd> basis(kernel.data(), size, static_cast<Eigen::Index>(kernel.size()) / size);
    const Eigen::MatrixXd free = f.E * basis.colwise().normalized();
    s.p = f.fixed + f.E * least_squares(f.A, f.right);
    Eigen::VectorXd slope;
    Eigen::MatrixXd curvature;
    double outside = beyond(s.p, free, slope, curvature);
    for (int n = 0; n < most_steps && outside > 0; ++n) {
      const double small = 1e-14 * std::max(curvature.cwiseAbs().maxCoeff(), 1e-300);
      curvature.diagonal().array() += small;
      const Eigen::VectorXd step = free * least_squares(curvature, Eigen::VectorXd(-slope));
      double part = 1;
      ConeSolution next = s;
      double left = outside;
      for (int k = 0; k < 30; ++k, part /= 2) {
        next.p = s.p + part * step;
        left = beyond(next.p, free, slope, curvature);
        if (left < outside) break;
      }
      if (!(left < outside)) break;
      s.p = next.p;
      outside = left;
    }
    s.w = problem_.D * s.p + problem_.b;
    if (s.w.allFinite() && fulfilled(s)) return s;
    return {};
  }

  /// What the sweeps left, where that is nearly a solution.
  std::optional<ConeSolution> nearly() {
    swept_.w = problem_.D * swept_.p + problem_.b;
    if (fulfilled(swept_, swept_only)) return swept_;
    return {};
  }

  /// Every way in turn, those with most contacts first.
  std::optional<ConeSolution> tried() {
    double ways = 1;
    for (const auto& contact : problem_.contacts) ways *= contact.open ? 1 : count(contact);
    if (ways > most_ways) return {};
    for (long way = 0; way < static_cast<long>(ways); ++way) {
      ConeSolution guess = empty();
      long rest = way;
      for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
        const auto& contact = problem_.contacts[i];
        if (contact.open) continue;
        const long number = static_cast<long>(count(contact));
        choose(contact, rest % number, guess.contacts[i]);
        rest /= number;
      }
      if (settle(guess)) return guess;
    }
    return {};
  }

 private:
  /// Sticking, and slipping in so many directions to begin with.
  static long states(const ConeProblem::Tangent& tangent) { return tangent.slips ? 1 : tangent.size == 1 ? 3 : 5; }

  static double count(const ConeProblem::Contact& contact) {
    double ways = 1;
    for (const auto& tangent : contact.tangents) ways *= static_cast<double>(states(tangent));
    return ways + 1;
  }

  static void choose(const ConeProblem::Contact& contact, long way, ConeSolution::Contact& to) {
    static constexpr Direction directions[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const long open = static_cast<long>(count(contact)) - 1;
    to.active = way != open;
    for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
      const long number = states(contact.tangents[k]);
      const long state = way % number;
      way /= number;
      if (contact.tangents[k].slips || state == 0) continue;
      to.tangents[k] = {true, directions[state - 1]};
    }
  }

  ConeSolution empty() const {
    ConeSolution result;
    result.p = Eigen::VectorXd::Zero(problem_.b.size());
    for (const auto& contact : problem_.contacts) {
      ConeSolution::Contact one;
      for (const auto& tangent : contact.tangents) one.tangents.push_back({tangent.slips, tangent.direction});
      result.contacts.push_back(std::move(one));
    }
    return result;
  }

  ConeSolution sweep() const {
    ConeSolution s = empty();
    Eigen::VectorXd& p = s.p;
    const Eigen::MatrixXd& D = problem_.D;
    for (int n = 0; n < most_sweeps; ++n) {
      double change = 0;
      for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
        const auto& contact = problem_.contacts[i];
        if (contact.open) continue;
        const int k = contact.normal;
        // What slips follows the normal force.
        double slope = D(k, k);
        for (const auto& t : contact.tangents)
          for (int j = 0; t.slips && j < t.size; ++j) slope -= D(k, t.first + j) * t.mu * t.direction[j];
        if (!contact.given && !(slope > 0)) continue;
        if (!contact.given) {
          const double before = p[k];
          p[k] = std::max(0.0, p[k] - (D.row(k).dot(p) + problem_.b[k]) / slope);
          change = std::max(change, std::abs(p[k] - before));
        }
        s.contacts[i].active = p[k] > 0;
        for (std::size_t m = 0; m < contact.tangents.size(); ++m)
          change = std::max(change, slide(contact, contact.tangents[m], s.contacts[i].tangents[m], p));
      }
      if (change <= 1e-15 * scale_p_) break;
    }
    return s;
  }

  /// The tangential force of a contact where all others stay; how much it changes.
  double slide(const ConeProblem::Contact& contact, const ConeProblem::Tangent& t, ConeSolution::Tangent& state,
               Eigen::VectorXd& p) const {
    const double normal = p[contact.normal] + contact.offset;
    const Eigen::VectorXd before = p.segment(t.first, t.size);
    if (t.slips) {
      for (int j = 0; j < t.size; ++j) p[t.first + j] = -t.mu * normal * t.direction[j];
      return (p.segment(t.first, t.size) - before).cwiseAbs().maxCoeff();
    }
    const double step = problem_.D.block(t.first, t.first, t.size, t.size).trace();
    if (!(step > 0)) return 0;
    const Eigen::VectorXd w = problem_.D.middleRows(t.first, t.size) * p + problem_.b.segment(t.first, t.size);
    const Eigen::VectorXd wanted = before - w / step;
    const double size = wanted.norm();
    state.slips = size > t.at_rest * normal * (1 + border);
    Eigen::VectorXd now = wanted;
    if (state.slips) {
      now *= t.mu * normal / size;
      state.direction = {-wanted[0] / size, t.size > 1 ? -wanted[1] / size : 0};
    }
    p.segment(t.first, t.size) = now;
    return (now - before).cwiseAbs().maxCoeff();
  }

  /// Half the squares of how far forces are outside of their cones, with slope and curvature along some directions.
  double beyond(const Eigen::VectorXd& p, const Eigen::MatrixXd& along, Eigen::VectorXd& slope,
                Eigen::MatrixXd& curvature) const {
    double sum = 0;
    slope = Eigen::VectorXd::Zero(along.cols());
    curvature = Eigen::MatrixXd::Zero(along.cols(), along.cols());
    const auto add = [&](double by, const Eigen::VectorXd& gradient) {
      sum += by * by / 2;
      slope += by * gradient;
      curvature += gradient * gradient.transpose();
    };
    for (const auto& contact : problem_.contacts) {
      if (contact.open) continue;
      const Eigen::VectorXd normal = along.row(contact.normal);
      if (!contact.given && p[contact.normal] < 0) add(-p[contact.normal], -normal);
      for (const auto& t : contact.tangents) {
        const double force = length(p, t.first, t.size);
        const double by = force - t.at_rest * (p[contact.normal] + contact.offset);
        if (t.slips || !(by > 0) || force == 0) continue;
        const Eigen::VectorXd z = p.segment(t.first, t.size) / force;
        const Eigen::MatrixXd own = along.middleRows(t.first, t.size);
        add(by, own.transpose() * z - t.at_rest * normal);
        curvature +=
            by / force * own.transpose() * (Eigen::MatrixXd::Identity(t.size, t.size) - z * z.transpose()) * own;
      }
    }
    return sum;
  }

  /// What the equations of the laws leave, and their derivative; which contacts act and slip there.
  Eigen::VectorXd law(ConeSolution& s, Eigen::MatrixXd* J) const {
    constexpr double on_border = 1e-7;  // what is as near to the border of its cone begins to slip
    const Eigen::VectorXd w = problem_.D * s.p + problem_.b;
    Eigen::VectorXd F = s.p;
    if (J) J->setIdentity(w.size(), w.size());
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      const auto& contact = problem_.contacts[i];
      const int k = contact.normal;
      if (contact.open) continue;
      const double own = problem_.D(k, k), r = own > 0 ? 1 / own : 1;
      const bool acts = !contact.given && s.p[k] - r * w[k] > 0;
      s.contacts[i].active = acts;
      if (acts) F[k] = r * w[k];
      if (acts && J) J->row(k) = r * problem_.D.row(k);
      for (std::size_t m = 0; m < contact.tangents.size(); ++m) {
        const auto& t = contact.tangents[m];
        auto& state = s.contacts[i].tangents[m];
        const double normal = std::max(0.0, s.p[k]) + contact.offset;
        const double trace = problem_.D.block(t.first, t.first, t.size, t.size).trace(),
                     rho = trace > 0 ? 1 / trace : 1;
        Eigen::VectorXd z = s.p.segment(t.first, t.size) - rho * w.segment(t.first, t.size);
        const double size = z.norm();
        if (!t.slips) state.slips = size > t.at_rest * normal * (1 - on_border);
        if (!t.slips && size <= t.at_rest * normal) {
          F.segment(t.first, t.size) = rho * w.segment(t.first, t.size);
          if (J) J->middleRows(t.first, t.size) = rho * problem_.D.middleRows(t.first, t.size);
          if (state.slips && size > 0) state.direction = {-z[0] / size, t.size > 1 ? -z[1] / size : 0};
          continue;
        }
        if (t.slips)
          for (int j = 0; j < t.size; ++j) z[j] = -t.direction[j];
        else if (size > 0) z /= size;
        if (!t.slips && size > 0) state.direction = {-z[0], t.size > 1 ? -z[1] : 0};
        F.segment(t.first, t.size) -= t.mu * normal * z;
        if (!J) continue;
        if (acts) J->block(t.first, k, t.size, 1) -= t.mu * z;
        if (t.slips || !(size > 0)) continue;
        const Eigen::MatrixXd turn =
            t.mu * normal / size * (Eigen::MatrixXd::Identity(t.size, t.size) - z * z.transpose());
        J->block(t.first, t.first, t.size, t.size) -= turn;
        J->middleRows(t.first, t.size) += rho * turn * problem_.D.middleRows(t.first, t.size);
      }
    }
    return F;
  }

  /// Values for a way to be; whether it fulfils all conditions. Directions of slip in space turn until they fit: by
  /// less at a time where they would swing to and fro.
  bool settle(ConeSolution& s) const {
    constexpr double least_part = 1.0 / 64, shrinks = 0.7;  // of the way; what counts as coming nearer
    double part = 1, before = HUGE_VAL;
    for (int turn = 0; turn < most_turns; ++turn) {
      if (!linear(s)) return false;
      const double off = turn_directions(s, 0);
      if (off <= same_direction) return fulfilled(s);
      if (off > shrinks * before) part = std::max(part / 2, least_part);
      before = off;
      turn_directions(s, part);
    }
    return false;
  }

  /// Directions of slip go that part of the way to those of w; how far they are from them at most.
  double turn_directions(ConeSolution& s, double part) const {
    double off = 0;
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      if (!s.contacts[i].active) continue;
      for (std::size_t k = 0; k < s.contacts[i].tangents.size(); ++k) {
        const auto& t = problem_.contacts[i].tangents[k];
        auto& state = s.contacts[i].tangents[k];
        if (t.slips || !state.slips || t.size == 1) continue;
        if (length(s.w, t.first, t.size) <= rounding * scale_w_) continue;
        const Direction now = direction_of(s.w, t.first, t.size);
        off = std::max(off, std::hypot(now[0] - state.direction[0], now[1] - state.direction[1]));
        const Direction to = {state.direction[0] + part * (now[0] - state.direction[0]),
                              state.direction[1] + part * (now[1] - state.direction[1])};
        const double norm = std::hypot(to[0], to[1]);
        if (norm > 0) state.direction = {to[0] / norm, to[1] / norm};
      }
    }
    return off;
  }

  /// p = E x + fixed with x the normal forces of what acts and the tangential ones of what sticks; A x = right where
  /// w = 0 in their rows.
  struct Forces {
    std::vector<int> rows;
    Eigen::MatrixXd E, A;
    Eigen::VectorXd fixed, right;
  };

  Forces forces(const ConeSolution& s) const {
    Forces f;
    std::vector<int>& rows = f.rows;
    std::vector<Eigen::VectorXd> columns;
    const Eigen::Index n = problem_.b.size();
    Eigen::VectorXd& fixed = f.fixed;
    fixed = Eigen::VectorXd::Zero(n);
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      const auto& contact = problem_.contacts[i];
      const bool active = s.contacts[i].active && !contact.given;
      Eigen::VectorXd normal = Eigen::VectorXd::Unit(n, contact.normal);
      for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
        const auto& t = contact.tangents[k];
        const auto& state = s.contacts[i].tangents[k];
        for (int j = 0; j < t.size; ++j) {
          if (t.slips || state.slips) {
            const double part = -t.mu * (t.slips ? t.direction : state.direction)[j];
            normal[t.first + j] = part;
            fixed[t.first + j] = part * contact.offset;
          } else if (active || contact.offset > 0) {
            rows.push_back(t.first + j);
            columns.push_back(Eigen::VectorXd::Unit(n, t.first + j));
          }
        }
      }
      if (!active) continue;
      rows.push_back(contact.normal);
      columns.push_back(normal);
    }
    f.E.resize(n, static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) f.E.col(static_cast<Eigen::Index>(i)) = columns[i];
    const Eigen::VectorXd b = problem_.b + problem_.D * fixed;
    f.A = (problem_.D * f.E)(rows, Eigen::all);
    f.right = -b(rows);
    return f;
  }

  bool linear(ConeSolution& s) const {
    const Forces f = forces(s);
    Eigen::VectorXd p = f.fixed;
    if (!f.rows.empty()) {
      // The shortest way from where p is.
      Eigen::VectorXd x = s.p(f.rows);
      x += least_squares(f.A, Eigen::VectorXd(f.right - f.A * x));
      if (!x.allFinite()) return false;
      p += f.E * x;
    }
    s.p = p;
    s.w = problem_.D * s.p + problem_.b;
    return s.w.allFinite();
  }

  bool fulfilled(const ConeSolution& s, double part = rounding) const {
    const double size = std::max(scale_p_, s.p.cwiseAbs().maxCoeff());
    const double small_p = part * size, small_w = part * std::max(scale_w_, s.w.cwiseAbs().maxCoeff());
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      const auto& contact = problem_.contacts[i];
      const double p = s.p[contact.normal], w = s.w[contact.normal];
      if (contact.open) continue;
      if (p < -small_p || w < -small_w || (s.contacts[i].active && std::abs(w) > small_w)) return false;
      const double normal = p + contact.offset;
      for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
        const auto& t = contact.tangents[k];
        const auto& state = s.contacts[i].tangents[k];
        if (t.slips || normal <= small_p) continue;
        const double force = length(s.p, t.first, t.size), slip = length(s.w, t.first, t.size);
        if (!state.slips && (force > t.at_rest * normal * (1 + border) + small_p || slip > small_w)) return false;
        if (!state.slips) continue;
        double along = 0;
        for (int j = 0; j < t.size; ++j) along += s.w[t.first + j] * state.direction[j];
        if (along < -small_w || slip - along > small_w) return false;
      }
    }
    return true;
  }

  const ConeProblem& problem_;
  ConeSolution swept_;
  double scale_w_ = 0, scale_p_ = 0;
};

}  // namespace

std::optional<ConeSolution> solve(const ConeProblem& problem) {
  Cone cone(problem);
  if (problem.contacts.empty()) return ConeSolution{{}, problem.b, {}};
  if (std::optional<ConeSolution> found = cone.swept()) return found;
  if (std::optional<ConeSolution> found = cone.held()) return found;
  if (std::optional<ConeSolution> found = cone.by_newton()) return found;
  if (std::optional<ConeSolution> found = cone.tried()) return found;
  return cone.nearly();
}

}  // namespace alembert::internal
