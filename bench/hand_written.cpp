#include "hand_written.h"

#include <algorithm>

namespace alembert::bench {

namespace {

constexpr int most_iterations = 20;
// Corrections of positions, relative to a rod, behind which the next one is below rounding: by Newton's method it is
// about the square, with a matrix that is kept a thousandth or less.
constexpr double last_of_newton = 1e-9, last_of_kept = 1e-13;

}  // namespace

void HandRattle::half(const double* l, double g1x, double g1y, double g2x, double g2y) {
  const double k = h_ / 2;
  half_[0] = p_.v[0] - k * (l[0] * g1x - l[1] * g2x) / p_.m1;
  half_[1] = p_.v[1] - k * (p_.gravity + (l[0] * g1y - l[1] * g2y) / p_.m1);
  half_[2] = p_.v[2] - k * l[1] * g2x / p_.m2;
  half_[3] = p_.v[3] - k * (p_.gravity + l[1] * g2y / p_.m2);
}

void HandRattle::step() {
  double next[2];
  for (int i = 0; i < 2; ++i) next[i] = 3 * (last_[0][i] - last_[1][i]) + last_[2][i];
  auto& x = p_.q;
  const double m1 = p_.m1, m2 = p_.m2;
  const double g1x = 2 * x[0], g1y = 2 * x[1], g2x = 2 * (x[2] - x[0]), g2y = 2 * (x[3] - x[1]);
  double q[4];
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    half(next, g1x, g1y, g2x, g2y);
    for (int i = 0; i < 4; ++i) q[i] = x[i] + h_ * half_[i];
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
    if ((std::abs(d1) + std::abs(d2)) * h_ * h_ <= last_of_newton) break;
  }
  half(next, g1x, g1y, g2x, g2y);
  for (int i = 0; i < 4; ++i) x[i] += h_ * half_[i];
  p_.v = {half_[0], half_[1] - h_ / 2 * p_.gravity, half_[2], half_[3] - h_ / 2 * p_.gravity};
  p_.project_velocities();
  for (int i = 0; i < 2; ++i) {
    last_[2][i] = last_[1][i];
    last_[1][i] = last_[0][i];
    last_[0][i] = next[i];
  }
}

template <int s>
HandLobatto<s>::HandLobatto(const DoublePendulum& start, double h) : p_(start), h_(h) {
  static_assert(s == 3 || s == 4);
  if constexpr (s == 3) {
    c_ = {0, 0.5, 1};
    b_ = {1.0 / 6, 2.0 / 3, 1.0 / 6};
  } else {
    const double root = std::sqrt(5.0);
    c_ = {0, (5 - root) / 10, (5 + root) / 10, 1};
    b_ = {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12};
  }
  // A by the condition that powers below s are integrated exactly; A^ by b_i a^_ij + b_j a_ji = b_i b_j.
  double a[s][s];
  for (int i = 0; i < s; ++i) {
    double vandermonde[s][s + 1];
    for (int k = 0; k < s; ++k) {
      for (int j = 0; j < s; ++j) vandermonde[k][j] = std::pow(c_[j], k);
      vandermonde[k][s] = std::pow(c_[i], k + 1) / (k + 1);
    }
    for (int k = 0; k < s; ++k) {
      int pivot = k;
      for (int row = k; row < s; ++row)
        if (std::abs(vandermonde[row][k]) > std::abs(vandermonde[pivot][k])) pivot = row;
      for (int j = 0; j <= s; ++j) std::swap(vandermonde[k][j], vandermonde[pivot][j]);
      for (int row = 0; row < s; ++row) {
        if (row == k) continue;
        const double factor = vandermonde[row][k] / vandermonde[k][k];
        for (int j = k; j <= s; ++j) vandermonde[row][j] -= factor * vandermonde[k][j];
      }
    }
    for (int j = 0; j < s; ++j) a[i][j] = vandermonde[j][s] / vandermonde[j][j];
  }
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < s; ++k)
      for (int j = 0; j < s; ++j) alpha_[i][k] += h * h * a[i][j] * b_[k] * (1 - a[k][j] / b_[j]);
}

/// The positions of the stages for these multipliers: (1 + h^2 A A^ W) Q = what is known, W = M^-1 K(lambda).
template <int s>
void HandLobatto<s>::positions() {
  double w[free][2][2];
  for (int k = 0; k < free; ++k) {
    const double first = 2 * l_[k][0], second = 2 * l_[k][1];
    w[k][0][0] = (first + second) / p_.m1;
    w[k][0][1] = -second / p_.m1;
    w[k][1][0] = -second / p_.m2;
    w[k][1][1] = second / p_.m2;
  }
  SmallMatrix<2 * inner> system;
  for (int i = 0; i < inner; ++i)
    for (int k = 0; k < inner; ++k)
      for (int d = 0; d < 2; ++d)
        for (int e = 0; e < 2; ++e)
          system(2 * i + d, 2 * k + e) = (i == k && d == e ? 1.0 : 0.0) + alpha_[i + 1][k + 1] * w[k + 1][d][e];
  system.factor();
  for (int direction = 0; direction < 2; ++direction) {  // x, y
    const int from = 2 * direction;
    const double start[2] = {p_.q[direction], p_.q[2 + direction]};
    const double speed[2] = {p_.v[direction], p_.v[2 + direction]};
    const double fall = direction == 1 ? p_.gravity : 0;
    const auto known = [&](int i, int d) {
      return start[d] + h_ * c_[i] * speed[d] - h_ * h_ * c_[i] * c_[i] / 2 * fall -
             alpha_[i][0] * (w[0][d][0] * start[0] + w[0][d][1] * start[1]);
    };
    double x[2 * inner];
    for (int i = 0; i < inner; ++i)
      for (int d = 0; d < 2; ++d) x[2 * i + d] = known(i + 1, d);
    system.solve(x);
    for (int d = 0; d < 2; ++d) {
      q_[0][from + d] = start[d];
      double last = known(s - 1, d);
      for (int k = 0; k < inner; ++k) {
        q_[k + 1][from + d] = x[2 * k + d];
        last -= alpha_[s - 1][k + 1] * (w[k + 1][d][0] * x[2 * k] + w[k + 1][d][1] * x[2 * k + 1]);
      }
      q_[s - 1][from + d] = last;
    }
  }
}

template <int s>
void HandLobatto<s>::residuals(double* r) const {
  for (int i = 0; i < free; ++i) {
    const double* q = q_[i + 1];
    const double dx = q[1] - q[0], dy = q[3] - q[2];
    r[2 * i] = q[0] * q[0] + q[2] * q[2] - 1;
    r[2 * i + 1] = dx * dx + dy * dy - 1;
  }
}

/// How the constraints of the stages change with the multipliers, but for what positions do to gradients.
template <int s>
void HandLobatto<s>::matrix() {
  const double both = 1 / p_.m1 + 1 / p_.m2;
  for (int i = 0; i < free; ++i)
    for (int k = 0; k < free; ++k) {
      const double *a = q_[i + 1], *b = q_[k];
      const double ax = a[1] - a[0], ay = a[3] - a[2], bx = b[1] - b[0], by = b[3] - b[2];
      const double factor = -4 * alpha_[i + 1][k];
      newton_(2 * i, 2 * k) = factor * (a[0] * b[0] + a[2] * b[2]) / p_.m1;
      newton_(2 * i, 2 * k + 1) = -factor * (a[0] * bx + a[2] * by) / p_.m1;
      newton_(2 * i + 1, 2 * k) = -factor * (ax * b[0] + ay * b[2]) / p_.m1;
      newton_(2 * i + 1, 2 * k + 1) = factor * (ax * bx + ay * by) * both;
    }
  newton_.factor();
}

template <int s>
void HandLobatto<s>::step() {
  for (int k = 0; k < free; ++k)
    for (int e = 0; e < 2; ++e) l_[k][e] = 3 * (last_[0][k][e] - last_[1][k][e]) + last_[2][k][e];
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    positions();
    if (iteration == 0) matrix();
    double r[2 * free];
    residuals(r);
    newton_.solve(r);
    double change = 0;
    for (int k = 0; k < free; ++k)
      for (int e = 0; e < 2; ++e) {
        l_[k][e] -= r[2 * k + e];
        change += std::abs(r[2 * k + e]);
      }
    if (change * h_ * h_ <= last_of_kept) break;
  }
  positions();
  for (int d = 0; d < 2; ++d) {
    double first = 0, second = 0;
    for (int k = 0; k < free; ++k) {
      const double rod = l_[k][1] * (q_[k][2 * d + 1] - q_[k][2 * d]);
      first += b_[k] * 2 * (l_[k][0] * q_[k][2 * d] - rod);
      second += b_[k] * 2 * rod;
    }
    p_.v[d] -= h_ * (first / p_.m1 + (d == 1 ? p_.gravity : 0));
    p_.v[2 + d] -= h_ * (second / p_.m2 + (d == 1 ? p_.gravity : 0));
    p_.q[d] = q_[s - 1][2 * d];
    p_.q[2 + d] = q_[s - 1][2 * d + 1];
  }
  p_.project_velocities();
  for (int k = 0; k < free; ++k)
    for (int e = 0; e < 2; ++e) {
      last_[2][k][e] = last_[1][k][e];
      last_[1][k][e] = last_[0][k][e];
      last_[0][k][e] = l_[k][e];
    }
}

template class HandLobatto<3>;
template class HandLobatto<4>;

HandChain::HandChain(int rods, double mass, double length, double gravity, double push, double h)
    : m_(mass), l2_(length * length), gravity_(gravity), h_(h) {
  const auto count = static_cast<std::size_t>(rods);
  for (auto* list : {&q_, &v_, &half_, &next_, &before_, &after_}) list->assign(count, Vector{});
  for (auto* list : {&lambda_, &last_[0], &last_[1], &last_[2], &lower_, &middle_, &upper_, &right_})
    list->assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) q_[i][0] = static_cast<double>(i + 1) * length;
  v_.back()[1] = push;
}

void HandChain::rods(const std::vector<Vector>& at, std::vector<Vector>& along) const {
  along[0] = at[0];
  for (std::size_t i = 1; i < at.size(); ++i)
    for (int d = 0; d < 3; ++d) along[i][d] = at[i][d] - at[i - 1][d];
}

void HandChain::solve() {
  const std::size_t n = right_.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = lower_[i] / middle_[i - 1];
    middle_[i] -= factor * upper_[i - 1];
    right_[i] -= factor * right_[i - 1];
  }
  right_[n - 1] /= middle_[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) right_[i] = (right_[i] - upper_[i] * right_[i + 1]) / middle_[i];
}

double HandChain::constraint() const {
  double worst = 0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    double sum = -l2_;
    for (int d = 0; d < 3; ++d) {
      const double part = q_[i][d] - (i > 0 ? q_[i - 1][d] : 0);
      sum += part * part;
    }
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

void HandChain::step() {
  const std::size_t n = q_.size();
  const double k = h_ / (2 * m_) * 2;  // of a velocity by lambda times a rod: gradients are twice the rods
  const auto dot = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  rods(q_, before_);
  for (std::size_t i = 0; i < n; ++i) lambda_[i] = 3 * (last_[0][i] - last_[1][i]) + last_[2][i];
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    for (std::size_t i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d) {
        const double other = i + 1 < n ? lambda_[i + 1] * before_[i + 1][d] : 0;
        half_[i][d] = v_[i][d] - k * (lambda_[i] * before_[i][d] - other) - (d == 2 ? h_ / 2 * gravity_ : 0);
        next_[i][d] = q_[i][d] + h_ * half_[i][d];
      }
    rods(next_, after_);
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = -2 * h_ * k;
      right_[i] = dot(after_[i], after_[i]) - l2_;
      middle_[i] = factor * (i > 0 ? 2 : 1) * dot(after_[i], before_[i]);
      if (i > 0) lower_[i] = -factor * dot(after_[i], before_[i - 1]);
      if (i + 1 < n) upper_[i] = -factor * dot(after_[i], before_[i + 1]);
    }
    solve();
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      lambda_[i] -= right_[i];
      change = std::max(change, std::abs(right_[i]));
    }
    if (change * h_ * k <= last_of_newton) break;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) {
      const double other = i + 1 < n ? lambda_[i + 1] * before_[i + 1][d] : 0;
      half_[i][d] = v_[i][d] - k * (lambda_[i] * before_[i][d] - other) - (d == 2 ? h_ / 2 * gravity_ : 0);
      q_[i][d] += h_ * half_[i][d];
      v_[i][d] = half_[i][d] - (d == 2 ? h_ / 2 * gravity_ : 0);
    }
  rods(q_, after_);
  for (std::size_t i = 0; i < n; ++i) {
    right_[i] = dot(after_[i], v_[i]) - (i > 0 ? dot(after_[i], v_[i - 1]) : 0);
    middle_[i] = (i > 0 ? 2 : 1) * dot(after_[i], after_[i]);
    if (i > 0) lower_[i] = -dot(after_[i], after_[i - 1]);
    if (i + 1 < n) upper_[i] = -dot(after_[i], after_[i + 1]);
  }
  solve();
  for (std::size_t i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d)
      v_[i][d] -= right_[i] * after_[i][d] - (i + 1 < n ? right_[i + 1] * after_[i + 1][d] : 0);
  std::swap(last_[2], last_[1]);
  std::swap(last_[1], last_[0]);
  last_[0] = lambda_;
}

}  // namespace alembert::bench
