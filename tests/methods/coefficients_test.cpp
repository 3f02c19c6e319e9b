#include "alembert/methods/shared/coefficients.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace alembert::internal {
namespace {

constexpr double tight = 1e-31;  // 113 bits give 2e-34 an operation
constexpr double broken = 1e-26;

Quad power(Quad x, int n) {
  Quad result = 1;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

double size(Quad x) { return static_cast<double>(fabsq(x)); }

struct Family {
  std::string name;
  Tableau (*make)(int);
  int first_stage;
  int b, c, d;              // B(2s - b), C(s - c), D(s - d) and no more
  bool symmetric, stiffly;  // stiffly: last row of A is b
};

const std::vector<Family> families = {
    {"gauss", gauss, 1, 0, 0, 0, true, false},
    {"radau IA", radau_ia, 1, 1, 1, 0, false, false},
    {"radau IIA", radau_iia, 1, 1, 0, 1, false, true},
    {"lobatto IIIA", lobatto_iiia, 2, 2, 0, 2, true, true},
    {"lobatto IIIB", lobatto_iiib, 2, 2, 2, 0, true, false},
    {"lobatto IIIC", lobatto_iiic, 2, 2, 1, 1, false, true},
    {"lobatto IIIC*", lobatto_iiic_star, 2, 2, 1, 1, false, false},
    {"lobatto IIID", lobatto_iiid, 2, 2, 1, 1, true, false},
};

struct Pair {
  std::string name;
  Tableau (*first)(int);
  Tableau (*second)(int);
};

const std::vector<Pair> pairs = {
    {"gauss, gauss", gauss, gauss},
    {"IIIA, IIIB", lobatto_iiia, lobatto_iiib},
    {"IIIC, IIIC*", lobatto_iiic, lobatto_iiic_star},
    {"IIID, IIID", lobatto_iiid, lobatto_iiid},
};

std::vector<int> stages(int first) {
  std::vector<int> all;
  for (int s = first; s <= 10; ++s) all.push_back(s);
  all.push_back(20);
  return all;
}

double quadrature_defect(const Tableau& t, int k) {  // one condition of B
  Quad sum = 0;
  for (std::size_t i = 0; i < t.b.size(); ++i) sum += t.b[i] * power(t.c[i], k - 1);
  return size(sum - 1 / Quad(k));
}

double stage_defect(const Tableau& t, int k) {  // one condition of C
  double worst = 0;
  for (std::size_t i = 0; i < t.b.size(); ++i) {
    Quad sum = 0;
    for (std::size_t j = 0; j < t.b.size(); ++j) sum += t.A[i][j] * power(t.c[j], k - 1);
    worst = std::max(worst, size(sum - power(t.c[i], k) / k));
  }
  return worst;
}

double adjoint_defect(const Tableau& t, int k) {  // one condition of D
  double worst = 0;
  for (std::size_t j = 0; j < t.b.size(); ++j) {
    Quad sum = 0;
    for (std::size_t i = 0; i < t.b.size(); ++i) sum += t.b[i] * power(t.c[i], k - 1) * t.A[i][j];
    worst = std::max(worst, size(sum - t.b[j] * (1 - power(t.c[j], k)) / k));
  }
  return worst;
}

double symplectic_defect(const Tableau& t, const Tableau& hat) {
  double worst = 0;
  for (std::size_t i = 0; i < t.b.size(); ++i)
    for (std::size_t j = 0; j < t.b.size(); ++j)
      worst = std::max(worst, size(t.b[i] * hat.A[i][j] + hat.b[j] * t.A[j][i] - t.b[i] * hat.b[j]));
  return worst;
}

double symmetry_defect(const Tableau& t) {
  const std::size_t s = t.b.size();
  double worst = 0;
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < s; ++j) {
      worst = std::max(worst, size(t.A[s - 1 - i][s - 1 - j] + t.A[i][j] - t.b[j]));
      worst = std::max(worst, size(t.b[j] - t.b[s - 1 - j]));
    }
  return worst;
}

double row_sum_defect(const Tableau& t) { return stage_defect(t, 1); }

void expect_matrix(const QuadMatrix& actual, const QuadMatrix& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].size(), expected[i].size());
    for (std::size_t j = 0; j < actual[i].size(); ++j)
      EXPECT_LT(size(actual[i][j] - expected[i][j]), 1e-33) << "entry " << i + 1 << "," << j + 1;
  }
}

void expect_vector(const QuadVector& actual, const QuadVector& expected) { expect_matrix({actual}, {expected}); }

Quad ratio(int a, int b) { return Quad(a) / b; }

TEST(Coefficients, gauss_has_its_closed_forms) {
  expect_matrix(gauss(1).A, {{ratio(1, 2)}});
  const Quad r3 = sqrtq(3), r15 = sqrtq(15);
  const Tableau two = gauss(2), three = gauss(3);
  expect_vector(two.c, {ratio(1, 2) - r3 / 6, ratio(1, 2) + r3 / 6});
  expect_vector(two.b, {ratio(1, 2), ratio(1, 2)});
  expect_matrix(two.A, {{ratio(1, 4), ratio(1, 4) - r3 / 6}, {ratio(1, 4) + r3 / 6, ratio(1, 4)}});
  expect_vector(three.c, {ratio(1, 2) - r15 / 10, ratio(1, 2), ratio(1, 2) + r15 / 10});
  expect_vector(three.b, {ratio(5, 18), ratio(4, 9), ratio(5, 18)});
  expect_matrix(three.A, {{ratio(5, 36), ratio(2, 9) - r15 / 15, ratio(5, 36) - r15 / 30},
                          {ratio(5, 36) + r15 / 24, ratio(2, 9), ratio(5, 36) - r15 / 24},
                          {ratio(5, 36) + r15 / 30, ratio(2, 9) + r15 / 15, ratio(5, 36)}});
}

TEST(Coefficients, radau_has_its_closed_forms) {
  expect_matrix(radau_ia(1).A, {{1}});
  expect_vector(radau_ia(1).c, {0});
  expect_matrix(radau_iia(1).A, {{1}});
  expect_vector(radau_iia(1).c, {1});
  expect_matrix(radau_ia(2).A, {{ratio(1, 4), ratio(-1, 4)}, {ratio(1, 4), ratio(5, 12)}});
  expect_vector(radau_ia(2).c, {0, ratio(2, 3)});
  expect_vector(radau_ia(2).b, {ratio(1, 4), ratio(3, 4)});
  expect_matrix(radau_iia(2).A, {{ratio(5, 12), ratio(-1, 12)}, {ratio(3, 4), ratio(1, 4)}});
  expect_vector(radau_iia(2).c, {ratio(1, 3), 1});
  const Quad r = sqrtq(6);
  const Tableau ia = radau_ia(3), iia = radau_iia(3);
  expect_vector(iia.c, {(4 - r) / 10, (4 + r) / 10, 1});
  expect_vector(iia.b, {(16 - r) / 36, (16 + r) / 36, ratio(1, 9)});
  expect_matrix(iia.A, {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                        {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                        {(16 - r) / 36, (16 + r) / 36, ratio(1, 9)}});
  expect_vector(ia.c, {0, (6 - r) / 10, (6 + r) / 10});
  expect_matrix(ia.A, {{ratio(1, 9), (-1 - r) / 18, (-1 + r) / 18},
                       {ratio(1, 9), (88 + 7 * r) / 360, (88 - 43 * r) / 360},
                       {ratio(1, 9), (88 + 43 * r) / 360, (88 - 7 * r) / 360}});
}

TEST(Coefficients, lobatto_has_its_closed_forms) {
  const Quad half = ratio(1, 2);
  expect_matrix(lobatto_iiia(2).A, {{0, 0}, {half, half}});
  expect_matrix(lobatto_iiib(2).A, {{half, 0}, {half, 0}});
  expect_matrix(lobatto_iiic(2).A, {{half, -half}, {half, half}});
  expect_matrix(lobatto_iiic_star(2).A, {{0, 0}, {1, 0}});
  expect_matrix(lobatto_iiid(2).A, {{ratio(1, 4), ratio(-1, 4)}, {ratio(3, 4), ratio(1, 4)}});

  const Quad sixth = ratio(1, 6);
  expect_vector(lobatto_iiia(3).b, {sixth, ratio(2, 3), sixth});
  expect_matrix(lobatto_iiia(3).A,
                {{0, 0, 0}, {ratio(5, 24), ratio(1, 3), ratio(-1, 24)}, {sixth, ratio(2, 3), sixth}});
  expect_matrix(lobatto_iiib(3).A, {{sixth, -sixth, 0}, {sixth, ratio(1, 3), 0}, {sixth, ratio(5, 6), 0}});
  expect_matrix(lobatto_iiic(3).A,
                {{sixth, ratio(-1, 3), sixth}, {sixth, ratio(5, 12), ratio(-1, 12)}, {sixth, ratio(2, 3), sixth}});
  expect_matrix(lobatto_iiic_star(3).A, {{0, 0, 0}, {ratio(1, 4), ratio(1, 4), 0}, {0, 1, 0}});

  const Quad r = sqrtq(5);
  const Tableau iiia = lobatto_iiia(4), iiib = lobatto_iiib(4), iiic = lobatto_iiic(4);
  expect_vector(iiia.c, {0, (5 - r) / 10, (5 + r) / 10, 1});
  expect_vector(iiia.b, {ratio(1, 12), ratio(5, 12), ratio(5, 12), ratio(1, 12)});
  expect_matrix(iiia.A, {{0, 0, 0, 0},
                         {(11 + r) / 120, (25 - r) / 120, (25 - 13 * r) / 120, (-1 + r) / 120},
                         {(11 - r) / 120, (25 + 13 * r) / 120, (25 + r) / 120, (-1 - r) / 120},
                         {ratio(1, 12), ratio(5, 12), ratio(5, 12), ratio(1, 12)}});
  expect_matrix(iiib.A, {{ratio(1, 12), (-1 - r) / 24, (-1 + r) / 24, 0},
                         {ratio(1, 12), (25 + r) / 120, (25 - 13 * r) / 120, 0},
                         {ratio(1, 12), (25 + 13 * r) / 120, (25 - r) / 120, 0},
                         {ratio(1, 12), (11 - r) / 24, (11 + r) / 24, 0}});
  expect_matrix(iiic.A, {{ratio(1, 12), -r / 12, r / 12, ratio(-1, 12)},
                         {ratio(1, 12), ratio(1, 4), (10 - 7 * r) / 60, r / 60},
                         {ratio(1, 12), (10 + 7 * r) / 60, ratio(1, 4), -r / 60},
                         {ratio(1, 12), ratio(5, 12), ratio(5, 12), ratio(1, 12)}});
}

TEST(Coefficients, simplifying_assumptions_hold_as_far_as_they_should_and_no_further) {
  for (const Family& family : families)
    for (int s : stages(family.first_stage)) {
      SCOPED_TRACE(family.name + " s=" + std::to_string(s));
      const Tableau t = family.make(s);
      const int b = 2 * s - family.b, c = s - family.c, d = s - family.d;
      for (int k = 1; k <= b; ++k) EXPECT_LT(quadrature_defect(t, k), tight) << "B(" << k << ")";
      for (int k = 1; k <= c; ++k) EXPECT_LT(stage_defect(t, k), tight) << "C(" << k << ")";
      for (int k = 1; k <= d; ++k) EXPECT_LT(adjoint_defect(t, k), tight) << "D(" << k << ")";
      EXPECT_GT(quadrature_defect(t, b + 1), broken);
      EXPECT_GT(stage_defect(t, c + 1), broken);
      EXPECT_GT(adjoint_defect(t, d + 1), broken);
    }
}

TEST(Coefficients, pairs_are_symplectic_and_others_are_not) {
  for (const Pair& pair : pairs)
    for (int s : stages(2)) {
      SCOPED_TRACE(pair.name + " s=" + std::to_string(s));
      EXPECT_LT(symplectic_defect(pair.first(s), pair.second(s)), tight);
      EXPECT_LT(symplectic_defect(pair.second(s), pair.first(s)), tight);
    }
  for (int s : stages(2)) {
    EXPECT_GT(symplectic_defect(lobatto_iiia(s), lobatto_iiia(s)), 1e-6);
    EXPECT_GT(symplectic_defect(lobatto_iiic(s), lobatto_iiic(s)), 1e-6);
    EXPECT_GT(symplectic_defect(radau_iia(s), radau_iia(s)), 1e-6);
  }
}

TEST(Coefficients, symmetry_row_sums_and_stiff_accuracy) {
  for (const Family& family : families)
    for (int s : stages(2)) {
      SCOPED_TRACE(family.name + " s=" + std::to_string(s));
      const Tableau t = family.make(s);
      EXPECT_EQ(symmetry_defect(t) < tight, family.symmetric) << symmetry_defect(t);
      EXPECT_EQ(row_sum_defect(t) < tight, s - family.c >= 1) << row_sum_defect(t);
      EXPECT_EQ(t.A.back() == t.b, family.stiffly);
    }
}

TEST(Coefficients, nodes_ascend_and_are_symmetric_without_rounding) {
  for (int s = 1; s <= 30; ++s) {
    std::vector<Quadrature> rules = {gauss_nodes(s), radau_left_nodes(s), radau_right_nodes(s)};
    if (s >= 2) rules.push_back(lobatto_nodes(s));
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      const QuadVector& c = rules[rule].c;
      const QuadVector& b = rules[rule].b;
      EXPECT_TRUE(c.front() >= 0 && c.back() <= 1);
      for (int i = 1; i < s; ++i) EXPECT_TRUE(c[i - 1] < c[i]) << "s=" << s;
      for (int i = 0; i < s; ++i) EXPECT_TRUE(b[i] > 0);
      if (rule == 0 || rule == 3)
        for (int i = 0; i < s; ++i) {
          EXPECT_TRUE(c[i] + c[s - 1 - i] == 1) << "s=" << s;
          EXPECT_TRUE(b[i] == b[s - 1 - i]);
        }
    }
    EXPECT_TRUE(rules[1].c.front() == 0);
    EXPECT_TRUE(rules[2].c.back() == 1);
    EXPECT_TRUE(s < 2 || (rules[3].c.front() == 0 && rules[3].c.back() == 1));
  }
}

TEST(Coefficients, zeros_are_exact) {
  for (int s : stages(2)) {
    const Tableau iiia = lobatto_iiia(s), iiib = lobatto_iiib(s), iiic = lobatto_iiic(s), star = lobatto_iiic_star(s);
    const Tableau ia = radau_ia(s);
    for (int i = 0; i < s; ++i) {
      EXPECT_TRUE(iiia.A[0][i] == 0);
      EXPECT_TRUE(iiib.A[i][s - 1] == 0);
      EXPECT_TRUE(iiib.A[i][0] == iiib.b[0]);
      EXPECT_TRUE(iiic.A[i][0] == iiic.b[0]);
      EXPECT_TRUE(star.A[0][i] == 0);
      EXPECT_TRUE(star.A[i][s - 1] == 0);
      EXPECT_TRUE(ia.A[i][0] == ia.b[0]);
    }
  }
}

TEST(Coefficients, thirty_stages_keep_their_digits) {
  for (const Family& family : families) {
    SCOPED_TRACE(family.name);
    const Tableau t = family.make(30);
    for (int k = 1; k <= 60 - family.b; ++k) EXPECT_LT(quadrature_defect(t, k), tight);
    for (int k = 1; k <= 30 - family.c; ++k) EXPECT_LT(stage_defect(t, k), tight);
    for (int k = 1; k <= 30 - family.d; ++k) EXPECT_LT(adjoint_defect(t, k), tight);
  }
}

// A coefficient wrong in its 20th digit must be seen by every condition that it enters.
TEST(Coefficients, conditions_notice_a_perturbed_coefficient) {
  const Quad slip = 1e-20;
  for (const Family& family : families)
    for (int s : {2, 3, 5}) {
      SCOPED_TRACE(family.name + " s=" + std::to_string(s));
      const Tableau good = family.make(s);
      for (int i = 0; i < s; ++i)
        for (int j = 0; j < s; ++j) {
          Tableau t = good;
          t.A[i][j] += slip;
          EXPECT_TRUE(s - family.c < 1 || stage_defect(t, 1) > 1e-21);
          EXPECT_TRUE(s - family.d < 1 || adjoint_defect(t, 1) > 1e-23);
          EXPECT_TRUE(!family.symmetric || symmetry_defect(t) > 1e-21);
        }
      for (int j = 0; j < s; ++j) {
        Tableau t = good;
        t.b[j] += slip;
        EXPECT_GT(quadrature_defect(t, 1), 1e-21);
        t = good;
        t.c[j] += slip;
        EXPECT_GT(quadrature_defect(t, 2), 1e-23);
      }
    }
  for (const Pair& pair : pairs)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Tableau t = pair.first(3);
        t.A[i][j] += slip;
        EXPECT_GT(symplectic_defect(t, pair.second(3)), 1e-22) << pair.name;
      }
}

// (s, s)-SPARK uses Gauss values at Lobatto points; the integrals of degree < s must be exact there too.
TEST(Coefficients, lagrange_integrals_are_exact_at_other_points) {
  for (int s : {1, 2, 5, 10, 20}) {
    const QuadVector c = gauss_nodes(s).c, x = lobatto_nodes(s + 1).c;
    const QuadMatrix integral = integrate_lagrange(c, x);
    ASSERT_EQ(integral.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 1; k <= s; ++k) {
        Quad sum = 0;
        for (int j = 0; j < s; ++j) sum += integral[i][j] * power(c[j], k - 1);
        EXPECT_LT(size(sum - power(x[i], k) / k), 1e-32);
      }
  }
}

TEST(Coefficients, lagrange_is_one_at_its_node_and_reproduces_polynomials) {
  const QuadVector c = lobatto_nodes(7).c;
  for (int i = 0; i < 7; ++i) {
    const QuadVector l = lagrange(c, c[i]);
    for (int j = 0; j < 7; ++j) EXPECT_TRUE(l[j] == (i == j ? 1 : 0));
  }
  const Quad x = ratio(3, 7);
  const QuadVector l = lagrange(c, x);
  Quad sum = 0;
  for (int j = 0; j < 7; ++j) sum += l[j] * power(c[j], 6);
  EXPECT_LT(size(sum - power(x, 6)), 1e-33);
}

TEST(Coefficients, solve_inverts_tableaux_and_refuses_singular_ones) {
  // Gauss A^{-1} from both sides: A X = A A means X = A.
  const QuadMatrix a = gauss(8).A;
  QuadMatrix square(8, QuadVector(8, 0));
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k) square[i][j] += a[i][k] * a[k][j];
  const QuadMatrix x = solve(a, square);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) EXPECT_LT(size(x[i][j] - a[i][j]), 1e-31);
  EXPECT_THROW(solve(lobatto_iiia(3).A, QuadMatrix(3, QuadVector(1, 1))), std::logic_error);
  EXPECT_THROW(gauss(0), std::logic_error);
  EXPECT_THROW(lobatto_iiia(1), std::logic_error);
}

}  // namespace
}  // namespace alembert::internal
