#include "alembert/methods/shared/coefficients.h"

#include <quadmath.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "alembert/error.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {
namespace {

const Quad epsilon = 0x1p-112;

/// P_n'(x) for -1 < x < 1.
Quad legendre_slope(int n, Quad x, const Legendre& at) { return n * (at.before - x * at.p) / ((1 - x) * (1 + x)); }

/// The only zero in (low, high), by Newton kept inside its bracket. `function(x, slope)` gives the value.
template <class Function>
Quad zero_between(Quad low, Quad high, Function function) {
  Quad slope;
  const bool rising = function(high, slope) > 0;
  Quad x = (low + high) / 2;
  for (int iteration = 0; iteration < 200; ++iteration) {
    Quad value = function(x, slope);
    if (value == 0) return x;
    ((value > 0) == rising ? high : low) = x;
    Quad next = x - value / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    Quad change = fabsq(next - x);
    x = next;
    if (change <= 2 * epsilon * fmaxq(fabsq(x), Quad(0.125))) break;
  }
  return x;
}

/// Zeros of P_n in [-1, 1], ascending; those below 0 are the exact negatives of those above.
QuadVector legendre_zeros(int n) {
  QuadVector x(n, 0);
  for (int i = 0; i < n / 2; ++i) {
    Quad z = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));  // Tricomi: nearer to its zero than to any other
    for (int iteration = 0; iteration < 50; ++iteration) {
      Legendre at = legendre(n, z);
      Quad change = at.p / legendre_slope(n, z, at);
      z -= change;
      if (fabsq(change) <= epsilon) break;
    }
    x[n - 1 - i] = z;
    x[i] = -z;
  }
  for (int i = 1; i < n; ++i) check(x[i - 1] < x[i], "zeros of a Legendre polynomial are distinct");
  return x;
}

/// From [-1, 1] to [0, 1], for rules that are symmetric: c_i + c_{s+1-i} = 1 without any rounding.
QuadVector to_unit_interval(const QuadVector& x) {
  const int s = static_cast<int>(x.size());
  QuadVector c(s, Quad(0.5));
  for (int i = 0; i < s / 2; ++i) {
    c[s - 1 - i] = (1 + x[s - 1 - i]) / 2;
    c[i] = 1 - c[s - 1 - i];
  }
  return c;
}

QuadMatrix zeros(int s) { return QuadMatrix(s, QuadVector(s, 0)); }

/// a_ij = int_0^{c_i} l_j; the row of a node at 1 is b itself, that of a node at 0 is zero.
Tableau collocation(Quadrature rule) {
  QuadMatrix a = integrate_lagrange(rule.c, rule.c);
  if (rule.c.back() == 1) a.back() = rule.b;
  return {std::move(a), std::move(rule.b), std::move(rule.c)};
}

/// The other half of a symplectic pair: b_i ahat_ij + b_j a_ji = b_i b_j. A zero row 1 of `a` becomes a column 1 of
/// b_1, a row s equal to b becomes a zero column s, a column 1 of b_1 becomes a zero row 1; all of them exactly.
Tableau symplectic_partner(Tableau method) {
  const int s = static_cast<int>(method.b.size());
  QuadMatrix a = zeros(s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) a[i][j] = method.b[j] * (1 - method.A[j][i] / method.b[i]);
  method.A = std::move(a);
  return method;
}

/// From collocation (C(s)) to a_i1 = b_1 and C(s-1). That leaves one freedom a row, a multiple of b_j P_{s-1}(2c_j-1),
/// and by the formulas of the weights this is +- (-1)^j sqrt(b_1 b_j), for Radau +- (-1)^j sqrt(b_1 b_j (1-c_j)).
Tableau with_constant_first_column(Tableau method, bool radau) {
  const QuadVector &b = method.b, &c = method.c;
  for (QuadVector& row : method.A) {
    const Quad missing = 1 - row[0] / b[0];  // exactly 0 where the row is b
    row[0] = b[0];
    for (std::size_t j = 1; j < b.size(); ++j)
      row[j] += (j % 2 == 0 ? missing : -missing) * sqrtq(b[0] * b[j] * (radau ? 1 - c[j] : Quad(1)));
  }
  return method;
}

}  // namespace

Legendre legendre(int n, Quad x) {
  Quad before = 0, p = 1;
  for (int k = 0; k < n; ++k) {
    Quad next = ((2 * k + 1) * x * p - k * before) / (k + 1);
    before = p;
    p = next;
  }
  return {p, before};
}

Quadrature gauss_nodes(int s) {
  check(s >= 1, "Gauss has at least 1 stage");
  const QuadVector x = legendre_zeros(s);
  QuadVector b(s);
  for (int i = 0; i < s; ++i) {
    const Quad slope = legendre_slope(s, x[i], legendre(s, x[i]));
    b[i] = 1 / ((1 - x[i]) * (1 + x[i]) * slope * slope);
  }
  for (int i = 0; i < s / 2; ++i) b[i] = b[s - 1 - i];
  return {to_unit_interval(x), b};
}

Quadrature radau_left_nodes(int s) {
  check(s >= 1, "Radau has at least 1 stage");
  // The zeros of P_s + P_{s-1} are -1 and one between any two zeros of P_s, since P_{s-1} alternates on those.
  const QuadVector bracket = legendre_zeros(s);
  QuadVector c(s, 0), b(s, 1 / (Quad(s) * s));
  for (int i = 1; i < s; ++i) {
    const Quad x = zero_between(bracket[i - 1], bracket[i], [s](Quad x, Quad& slope) {
      const Legendre at = legendre(s, x), lower = legendre(s - 1, x);
      slope = legendre_slope(s, x, at) + legendre_slope(s - 1, x, lower);
      return at.p + at.before;
    });
    const Quad slope = legendre_slope(s - 1, x, legendre(s - 1, x));  // as a weight less sensitive to x than P_{s-1}
    c[i] = (1 + x) / 2;
    b[i] = 1 / (2 * (1 - x) * slope * slope);
  }
  return {c, b};
}

Quadrature radau_right_nodes(int s) {
  const Quadrature left = radau_left_nodes(s);
  Quadrature right = left;
  for (int i = 0; i < s; ++i) {
    right.c[i] = 1 - left.c[s - 1 - i];
    right.b[i] = left.b[s - 1 - i];
  }
  return right;
}

Quadrature lobatto_nodes(int s) {
  check(s >= 2, "Lobatto has at least 2 stages");
  // Inside, the zeros of P_n', n = s-1: one between any two zeros of P_n.
  const int n = s - 1;
  const QuadVector bracket = legendre_zeros(n);
  QuadVector x(s, 0), b(s);
  x[s - 1] = 1;
  x[0] = -1;
  for (int i = s - 2; 2 * i > s - 1; --i) {
    x[i] = zero_between(bracket[i - 1], bracket[i], [n](Quad x, Quad& slope) {
      const Legendre at = legendre(n, x);
      slope = -(n + 1) * at.p;  // ((1-x^2) P_n')' = -n (n+1) P_n
      return at.before - x * at.p;
    });
    x[s - 1 - i] = -x[i];
  }
  for (int i = 0; i < s; ++i) {
    const Quad p = i == 0 || i == s - 1 ? Quad(1) : legendre(n, x[i]).p;
    b[i] = 1 / (Quad(s) * n * p * p);
  }
  for (int i = 0; i < s / 2; ++i) b[i] = b[s - 1 - i];
  return {to_unit_interval(x), b};
}

Tableau gauss(int s) { return collocation(gauss_nodes(s)); }

Tableau radau_ia(int s) { return with_constant_first_column(collocation(radau_left_nodes(s)), true); }

Tableau radau_iia(int s) { return collocation(radau_right_nodes(s)); }

Tableau lobatto_iiia(int s) { return collocation(lobatto_nodes(s)); }

Tableau lobatto_iiib(int s) { return symplectic_partner(lobatto_iiia(s)); }

Tableau lobatto_iiic(int s) { return with_constant_first_column(lobatto_iiia(s), false); }

Tableau lobatto_iiic_star(int s) { return symplectic_partner(lobatto_iiic(s)); }

Tableau lobatto_iiid(int s) {
  Tableau method = lobatto_iiic(s);
  const Tableau star = lobatto_iiic_star(s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) method.A[i][j] = (method.A[i][j] + star.A[i][j]) / 2;
  return method;
}

QuadMatrix integrate_lagrange(const QuadVector& c, const QuadVector& x) {
  const int s = static_cast<int>(c.size());
  const Quadrature rule = gauss_nodes((s + 1) / 2);  // exact for the degree s-1 of l_j
  QuadMatrix integral(x.size(), QuadVector(s, 0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    for (std::size_t k = 0; k < rule.c.size(); ++k) {
      const QuadVector l = lagrange(c, x[i] * rule.c[k]);
      for (int j = 0; j < s; ++j) integral[i][j] += rule.b[k] * l[j];
    }
    for (int j = 0; j < s; ++j) integral[i][j] *= x[i];
  }
  return integral;
}

QuadVector lagrange(const QuadVector& c, Quad x) {
  const int s = static_cast<int>(c.size());
  QuadVector l(s, 1);
  for (int j = 0; j < s; ++j)
    for (int k = 0; k < s; ++k)
      if (k != j) l[j] *= (x - c[k]) / (c[j] - c[k]);
  return l;
}

QuadMatrix solve(const QuadMatrix& A, QuadMatrix B) {
  const int n = static_cast<int>(A.size());
  check(B.size() == A.size(), "A X = B: A and B have the same number of rows");
  QuadVector entries, column(n);
  entries.reserve(A.size() * A.size());
  for (const QuadVector& row : A) {
    check(row.size() == A.size(), "A X = B: A is square");
    entries.insert(entries.end(), row.begin(), row.end());
  }
  DenseLu<Quad> lu(n);
  check(lu.factor(entries.data()), "A X = B: A is regular");
  for (std::size_t j = 0; n > 0 && j < B[0].size(); ++j) {
    for (int i = 0; i < n; ++i) column[i] = B[i].at(j);
    lu.solve(column.data());
    for (int i = 0; i < n; ++i) B[i][j] = column[i];
  }
  return B;
}

}  // namespace alembert::internal
