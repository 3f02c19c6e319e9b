#pragma once

// The double pendulum of models/double_pendulum.alm as one would write it by hand for speed: RATTLE, and the Lobatto
// IIIA-IIIB pairs of three and four stages. Nothing is watched, nothing can go wrong.

#include <array>
#include <cmath>
#include <cstddef>

namespace alembert::hand_written {

inline constexpr double m1 = 3, m2 = 1, gravity = 9.81;

/// Velocities that satisfy the constraints at x: those given, moved the shortest way in the mass metric.
inline void end_velocities(const double* x, const double* v, double* out) {
  const double ax = x[0], ay = x[1], bx = x[2] - x[0], by = x[3] - x[1];
  const double r1 = ax * v[0] + ay * v[1], r2 = bx * (v[2] - v[0]) + by * (v[3] - v[1]);
  const double a11 = (ax * ax + ay * ay) / m1, a12 = -(ax * bx + ay * by) / m1;
  const double a22 = (bx * bx + by * by) * (1 / m1 + 1 / m2);
  const double determinant = a11 * a22 - a12 * a12;
  const double d1 = (r1 * a22 - r2 * a12) / determinant, d2 = (r2 * a11 - r1 * a12) / determinant;
  out[0] = v[0] - (ax * d1 - bx * d2) / m1;
  out[1] = v[1] - (ay * d1 - by * d2) / m1;
  out[2] = v[2] - bx * d2 / m2;
  out[3] = v[3] - by * d2 / m2;
}

/// Newton for two multipliers, which are extrapolated from the last three steps.
class Rattle {
 public:
  explicit Rattle(double h) : h_(h) {}

  void step() {
    double next[2];
    for (int i = 0; i < 2; ++i) next[i] = 3 * (last_[0][i] - last_[1][i]) + last_[2][i];
    const double g1x = 2 * x_[0], g1y = 2 * x_[1], g2x = 2 * (x_[2] - x_[0]), g2y = 2 * (x_[3] - x_[1]);
    double q[4];
    for (int iteration = 0; iteration < 20; ++iteration) {
      half(next, g1x, g1y, g2x, g2y);
      for (int i = 0; i < 4; ++i) q[i] = x_[i] + h_ * half_[i];
      const double dx = q[2] - q[0], dy = q[3] - q[1];
      const double r1 = q[0] * q[0] + q[1] * q[1] - 1, r2 = dx * dx + dy * dy - 1;
      const double c = -h_ * h_ / 2;
      const double a11 = c * 2 * (q[0] * g1x + q[1] * g1y) / m1, a12 = -c * 2 * (q[0] * g2x + q[1] * g2y) / m1;
      const double a21 = -c * 2 * (dx * g1x + dy * g1y) / m1;
      const double a22 = c * 2 * (dx * g2x + dy * g2y) * (1 / m1 + 1 / m2);
      const double determinant = a11 * a22 - a12 * a21;
      const double d1 = (r1 * a22 - r2 * a12) / determinant, d2 = (r2 * a11 - r1 * a21) / determinant;
      next[0] -= d1;
      next[1] -= d2;
      if (std::abs(d1) + std::abs(d2) <= 1e-11 * (std::abs(next[0]) + std::abs(next[1]) + 1)) break;
    }
    half(next, g1x, g1y, g2x, g2y);
    for (int i = 0; i < 4; ++i) x_[i] += h_ * half_[i];
    const double v[4] = {half_[0], half_[1] - h_ / 2 * gravity, half_[2], half_[3] - h_ / 2 * gravity};
    end_velocities(x_, v, v_);
    for (int i = 0; i < 2; ++i) {
      last_[2][i] = last_[1][i];
      last_[1][i] = last_[0][i];
      last_[0][i] = next[i];
    }
  }

  double constraint() const { return x_[0] * x_[0] + x_[1] * x_[1] - 1; }
  const double* position() const { return x_; }

 private:
  void half(const double* l, double g1x, double g1y, double g2x, double g2y) {
    half_[0] = v_[0] - h_ / 2 * (l[0] * g1x - l[1] * g2x) / m1;
    half_[1] = v_[1] - h_ / 2 * (gravity + (l[0] * g1y - l[1] * g2y) / m1);
    half_[2] = v_[2] - h_ / 2 * l[1] * g2x / m2;
    half_[3] = v_[3] - h_ / 2 * (gravity + l[1] * g2y / m2);
  }

  double h_;
  double x_[4] = {1, 0, 2, 0}, v_[4] = {}, half_[4] = {}, last_[3][2] = {};
};

template <int S>
struct LobattoPair;
template <>
struct LobattoPair<3> {
  static constexpr double A[3][3] = {{0, 0, 0}, {5.0 / 24, 1.0 / 3, -1.0 / 24}, {1.0 / 6, 2.0 / 3, 1.0 / 6}};
  static constexpr double B[3][3] = {{1.0 / 6, -1.0 / 6, 0}, {1.0 / 6, 1.0 / 3, 0}, {1.0 / 6, 5.0 / 6, 0}};
  static constexpr double weight[3] = {1.0 / 6, 2.0 / 3, 1.0 / 6};
};
template <>
struct LobattoPair<4> {
  static constexpr double r = 2.23606797749978969641;  // the root of 5
  static constexpr double A[4][4] = {{0, 0, 0, 0},
                                     {(11 + r) / 120, (25 - r) / 120, (25 - 13 * r) / 120, (-1 + r) / 120},
                                     {(11 - r) / 120, (25 + 13 * r) / 120, (25 + r) / 120, (-1 - r) / 120},
                                     {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12}};
  static constexpr double B[4][4] = {{1.0 / 12, (-1 - r) / 24, (-1 + r) / 24, 0},
                                     {1.0 / 12, (25 + r) / 120, (25 - 13 * r) / 120, 0},
                                     {1.0 / 12, (25 + 13 * r) / 120, (25 - r) / 120, 0},
                                     {1.0 / 12, (11 - r) / 24, (11 + r) / 24, 0}};
  static constexpr double weight[4] = {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12};
};

/// S - 1 pairs of multipliers put the stages behind the first onto the constraints. The matrix of their equations is
/// factorised once a step, where the stages are predicted; multipliers and stages are extrapolated by differences.
template <int S>
class Lobatto {
 public:
  explicit Lobatto(double h) : h_(h) {
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S - 1; ++j) {
        twice_[i][j] = 0;
        for (int k = 0; k < S; ++k) twice_[i][j] += h * h * Pair::A[i][k] * Pair::B[k][j];
      }
    for (auto& unknowns : last_)
      for (int i = 0; i < S - 1; ++i) {
        unknowns[2 * i] = unknowns[2 * i + 1] = 0;
        for (int k = 0; k < 4; ++k) unknowns[stages + 4 * i + k] = 0;
      }
  }

  void step() {
    predict();
    forces();
    place();
    factorise();
    for (iterations_ = 0; iterations_ < 20; ++iterations_) {
      std::array<double, n> d = residuals();
      solve(d);
      double change = 0, size = 1;
      for (int i = 0; i < n; ++i) {
        u_[i] -= d[i];
        change += std::abs(d[i]);
        size += std::abs(u_[i]);
      }
      forces();
      place();
      if (change <= 1e-11 * size) break;
    }
    finish();
    learn();
  }

  double constraint() const { return x_[0] * x_[0] + x_[1] * x_[1] - 1; }
  const double* position() const { return x_; }

 private:
  using Pair = LobattoPair<S>;
  static constexpr int n = 2 * (S - 1);        // multipliers
  static constexpr int stages = n;             // where the displacements of the stages begin
  static constexpr int all = n + 4 * (S - 1);  // that are predicted
  static constexpr int rows = 5;               // of the table of differences

  /// Sums of the differences: the polynomial through the last steps.
  void predict() {
    for (int i = 0; i < all; ++i) {
      double sum = last_[0][i];
      for (int k = 1; k < rows; ++k) sum += last_[k][i];
      u_[i] = sum;
    }
    for (int i = 1; i < S; ++i)
      for (int k = 0; k < 4; ++k) q_[i][k] = x_[k] + u_[stages + 4 * (i - 1) + k];
    for (int k = 0; k < 4; ++k) q_[0][k] = x_[k];
  }

  /// Accelerations of the stages but the last, with the gradients where the stages are.
  void forces() {
    for (int j = 0; j < S - 1; ++j) {
      const double* const q = q_[j];
      const double l1 = 2 * u_[2 * j], l2 = 2 * u_[2 * j + 1], dx = q[2] - q[0], dy = q[3] - q[1];
      a_[j][0] = -(l1 * q[0] - l2 * dx) / m1;
      a_[j][1] = -(l1 * q[1] - l2 * dy) / m1 - gravity;
      a_[j][2] = -l2 * dx / m2;
      a_[j][3] = -l2 * dy / m2 - gravity;
    }
  }

  void place() {
    for (int i = 1; i < S; ++i) {
      double c = 0;
      for (int j = 0; j < S; ++j) c += Pair::A[i][j];
      for (int k = 0; k < 4; ++k) {
        double sum = h_ * c * v_[k];
        for (int j = 0; j < S - 1; ++j) sum += twice_[i][j] * a_[j][k];
        u_[stages + 4 * (i - 1) + k] = sum;
        q_[i][k] = x_[k] + sum;
      }
    }
  }

  std::array<double, n> residuals() const {
    std::array<double, n> r;
    for (int i = 1; i < S; ++i) {
      const double* const q = q_[i];
      const double dx = q[2] - q[0], dy = q[3] - q[1];
      r[2 * i - 2] = q[0] * q[0] + q[1] * q[1] - 1;
      r[2 * i - 1] = dx * dx + dy * dy - 1;
    }
    return r;
  }

  /// d g(Q_i) / d Lambda_j, without what the stages do to the gradients.
  void factorise() {
    for (int i = 1; i < S; ++i)
      for (int j = 0; j < S - 1; ++j) {
        const double *const q = q_[i], *const p = q_[j];
        const double dx = q[2] - q[0], dy = q[3] - q[1], ex = p[2] - p[0], ey = p[3] - p[1];
        const double c = -4 * twice_[i][j];
        matrix_[2 * i - 2][2 * j] = c * (q[0] * p[0] + q[1] * p[1]) / m1;
        matrix_[2 * i - 2][2 * j + 1] = -c * (q[0] * ex + q[1] * ey) / m1;
        matrix_[2 * i - 1][2 * j] = -c * (dx * p[0] + dy * p[1]) / m1;
        matrix_[2 * i - 1][2 * j + 1] = c * (dx * ex + dy * ey) * (1 / m1 + 1 / m2);
      }
    for (int k = 0; k < n; ++k) {
      inverse_[k] = 1 / matrix_[k][k];
      for (int i = k + 1; i < n; ++i) {
        const double factor = matrix_[i][k] *= inverse_[k];
        for (int j = k + 1; j < n; ++j) matrix_[i][j] -= factor * matrix_[k][j];
      }
    }
  }

  void solve(std::array<double, n>& d) const {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) d[i] -= matrix_[i][j] * d[j];
    for (int i = n - 1; i >= 0; --i) {
      for (int j = i + 1; j < n; ++j) d[i] -= matrix_[i][j] * d[j];
      d[i] *= inverse_[i];
    }
  }

  void finish() {
    double v[4];
    for (int k = 0; k < 4; ++k) {
      double sum = k % 2 == 1 ? -gravity * Pair::weight[S - 1] : 0;
      for (int j = 0; j < S - 1; ++j) sum += Pair::weight[j] * a_[j][k];
      v[k] = v_[k] + h_ * sum;
      x_[k] = q_[S - 1][k];
    }
    end_velocities(x_, v, v_);
  }

  void learn() {
    for (int i = 0; i < all; ++i) {
      double left = u_[i];
      for (int k = 0; k < rows; ++k) {
        const double before = last_[k][i];
        last_[k][i] = left;
        left -= before;
      }
    }
  }

  double h_;
  double twice_[S][S - 1];  // h^2 A B
  double x_[4] = {1, 0, 2, 0}, v_[4] = {}, q_[S][4] = {}, a_[S - 1][4] = {};
  double u_[all] = {}, last_[rows][all] = {};
  double matrix_[n][n] = {}, inverse_[n] = {};
  int iterations_ = 0;
};

}  // namespace alembert::hand_written
