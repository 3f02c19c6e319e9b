#pragma once

// Steps as one would write them by hand for one system and one method, knowing both: what generated steps are measured
// against. Nothing is watched, and nothing can go wrong but the numbers.

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace alembert::bench {

/// Two rods of length 1 in the plane, with masses at their ends.
struct DoublePendulum {
  double m1 = 3, m2 = 1, gravity = 9.81;
  std::array<double, 4> q{1, 0, 2, 0}, v{};  // x1, y1, x2, y2

  /// At rest, with these angles from the downward vertical.
  static DoublePendulum at_angles(double m1, double m2, double gravity, double first, double second) {
    DoublePendulum p{m1, m2, gravity, {}, {}};
    p.q[0] = std::sin(first);
    p.q[1] = -std::cos(first);
    p.q[2] = p.q[0] + std::sin(second);
    p.q[3] = p.q[1] - std::cos(second);
    return p;
  }

  double constraint() const {
    const double dx = q[2] - q[0], dy = q[3] - q[1];
    return std::max(std::abs(q[0] * q[0] + q[1] * q[1] - 1), std::abs(dx * dx + dy * dy - 1));
  }

  /// Takes from v what leads away from the constraints at q.
  void project_velocities() {
    const double ax = q[0], ay = q[1], bx = q[2] - q[0], by = q[3] - q[1];
    const double r1 = ax * v[0] + ay * v[1], r2 = bx * (v[2] - v[0]) + by * (v[3] - v[1]);
    const double a11 = (ax * ax + ay * ay) / m1, a12 = -(ax * bx + ay * by) / m1;
    const double a22 = (bx * bx + by * by) * (1 / m1 + 1 / m2);
    const double determinant = a11 * a22 - a12 * a12;
    const double d1 = (r1 * a22 - r2 * a12) / determinant, d2 = (r2 * a11 - r1 * a12) / determinant;
    v[0] -= (ax * d1 - bx * d2) / m1;
    v[1] -= (ay * d1 - by * d2) / m1;
    v[2] -= bx * d2 / m2;
    v[3] -= by * d2 / m2;
  }
};

/// RATTLE: Newton for two multipliers, which are extrapolated from the last three steps.
class HandRattle {
 public:
  HandRattle(const DoublePendulum& start, double h) : p_(start), h_(h) {}
  void step();
  const DoublePendulum& pendulum() const { return p_; }

 private:
  void half(const double* l, double g1x, double g1y, double g2x, double g2y);

  DoublePendulum p_;
  double h_;
  double half_[4] = {}, last_[3][2] = {};
};

/// Solves in place without pivoting: the matrices below are near to identities, or to symmetric definite ones.
template <int n>
class SmallMatrix {
 public:
  double& operator()(int i, int j) { return a_[i][j]; }
  void factor() {
    for (int k = 0; k < n; ++k) {
      inverse_[k] = 1 / a_[k][k];
      for (int i = k + 1; i < n; ++i) {
        a_[i][k] *= inverse_[k];
        for (int j = k + 1; j < n; ++j) a_[i][j] -= a_[i][k] * a_[k][j];
      }
    }
  }
  void solve(double* x) const {
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < i; ++k) x[i] -= a_[i][k] * x[k];
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) x[i] -= a_[i][k] * x[k];
      x[i] *= inverse_[i];
    }
  }

 private:
  double a_[n][n], inverse_[n];
};

/// Lobatto IIIA-IIIB with s stages, order 2 s - 2. What only one who knows the model can use: the gradients are linear
/// in the positions, x and y do not mix, so that the inner positions follow from the multipliers by one small linear
/// system, and Newton is for the 2 (s - 1) multipliers alone, with one matrix a step.
template <int s>
class HandLobatto {
 public:
  HandLobatto(const DoublePendulum& start, double h);
  void step();
  const DoublePendulum& pendulum() const { return p_; }

 private:
  static constexpr int inner = s - 2, free = s - 1;
  void positions();
  void residuals(double* r) const;
  void matrix();

  DoublePendulum p_;
  double h_;
  std::array<double, s> c_{}, b_{};
  double alpha_[s][s] = {};       // h^2 A A^, what a force in stage j does to the position of stage i
  double q_[s][4] = {};           // x1, x2, y1, y2 of the stages
  double l_[free][2] = {};        // multipliers
  double last_[3][free][2] = {};  // of the last three steps
  SmallMatrix<2 * free> newton_;
};

extern template class HandLobatto<3>;
extern template class HandLobatto<4>;

/// RATTLE for N masses in space on N rods, as models/chain.alm: Newton's matrix is tridiagonal.
class HandChain {
 public:
  HandChain(int rods, double mass, double length, double gravity, double push, double h);
  void step();
  double constraint() const;

 private:
  using Vector = std::array<double, 3>;
  void rods(const std::vector<Vector>& at, std::vector<Vector>& along) const;
  void solve();  // the tridiagonal system, without pivoting

  double m_, l2_, gravity_, h_;
  std::vector<Vector> q_, v_, half_, next_, before_, after_;
  std::vector<double> lambda_, last_[3], lower_, middle_, upper_, right_;
};

}  // namespace alembert::bench
