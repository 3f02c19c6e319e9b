// Sweeps of Gauss and Seidel over the contacts of a block.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/nth.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// Sweeps over the contacts in one go.
constexpr int most_sweeps = 500;

/// Rates as linear functions of the forces of the contacts that take part: w = D p + b.
struct Condensed {
  std::vector<std::vector<std::pair<int, double>>> rows;  // of D
  std::vector<double> diagonal, b, p;
  double at(int row) const {
    double sum = b[static_cast<std::size_t>(row)];
    for (const auto& [j, d] : rows[static_cast<std::size_t>(row)]) sum += d * p[static_cast<std::size_t>(j)];
    return sum;
  }
  double own(int row) const { return diagonal[static_cast<std::size_t>(row)]; }
  void take_diagonal() {
    diagonal.assign(rows.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& [j, d] : rows[i])
        if (j == static_cast<int>(i)) diagonal[i] += d;
  }
};

/// One contact after the other, all others as they are. offset: what is in the bounds beside p. Whether it came to
/// rest.
struct SweptContact {
  int normal = 0;  // rows
  double offset = 0;
  struct Tangent {
    int first = 0, size = 1;
    double coefficient = 0;
    double offset[2] = {0, 0};
  };
  std::vector<Tangent> tangents;
};

double sweep_once(Condensed& c, const std::vector<SweptContact>& contacts, double part) {
  double change = 0;
  for (const SweptContact& one : contacts) {
    const double own = c.own(one.normal);
    double& p = c.p[static_cast<std::size_t>(one.normal)];
    if (own > 0) {
      const double now = std::max(0.0, p + one.offset - c.at(one.normal) / own) - one.offset;
      change = std::max(change, std::abs(now - p));
      p = now;
    }
    for (const auto& t : one.tangents) {
      double step = 0, wanted[2] = {0, 0}, length = 0;
      for (int j = 0; j < t.size; ++j) step = std::max(step, c.own(t.first + j));
      if (!(step > 0)) continue;
      for (int j = 0; j < t.size; ++j) wanted[j] = c.p[nth(t.first + j)] + t.offset[j] - c.at(t.first + j) / step;
      for (int j = 0; j < t.size; ++j) length = std::hypot(length, wanted[j]);
      const double bound = t.coefficient * std::max(0.0, p + one.offset);
      const double share = length > bound ? bound / length : 1;
      for (int j = 0; j < t.size; ++j) {
        double& force = c.p[nth(t.first + j)];
        const double now = (1 - part) * force + part * (share * wanted[j] - t.offset[j]);
        change = std::max(change, std::abs(now - force));
        force = now;
      }
    }
  }
  return change;
}

}  // namespace

/// The forces by sweeps over the contacts, the other unknowns by them. False where the smooth equations are singular.
// long: the linear system is made, condensed and swept in one place
bool Semismooth::Block::sweep(double* x, double part) {
  double* const u = unknowns(x);
  take(x);
  evaluate(u);
  // The smooth part: rows and columns that belong to no contact.
  std::vector<int> smooth, place(static_cast<std::size_t>(count), -1), start{0}, column;
  std::vector<double> matrix_values;
  for (int i = 0; i < count; ++i)
    if (!of_contact[static_cast<std::size_t>(i)]) {
      place[static_cast<std::size_t>(i)] = static_cast<int>(smooth.size());
      smooth.push_back(i);
    }
  std::vector<int> unknown_of;  // the rows of D
  std::vector<int> slope_row;
  std::vector<int> condensed(static_cast<std::size_t>(count), -1);
  std::vector<SweptContact> swept_contacts;
  Condensed c;
  const auto add = [&](int unknown, int row) {
    condensed[static_cast<std::size_t>(unknown)] = static_cast<int>(unknown_of.size());
    unknown_of.push_back(unknown);
    slope_row.push_back(row);
    c.p.push_back(u[unknown]);
    return static_cast<int>(unknown_of.size()) - 1;
  };
  for (const ContactPlace& one : contacts) {
    if (!one.active) continue;
    SweptContact swept_one;
    swept_one.normal = add(one.normal, one.slope);
    swept_one.offset = pair[static_cast<std::size_t>(one.pair)] - u[one.normal];
    c.b.push_back(pair[static_cast<std::size_t>(one.pair) + 1]);
    for (const TangentPlace& t : one.tangents) {
      SweptContact::Tangent tangent;
      tangent.size = t.size;
      for (int j = 0; j < t.size; ++j) {
        const int row = add(t.first + j, t.slope + j);
        if (j == 0) tangent.first = row;
        tangent.offset[j] = pair[nth(t.pair + j)] - u[t.first + j];
        c.b.push_back(pair[nth(t.pair + t.size + j)]);
      }
      tangent.coefficient = pair[nth(t.pair + 2 * t.size)];
      swept_one.tangents.push_back(tangent);
    }
    swept_contacts.push_back(std::move(swept_one));
  }
  const auto n = smooth.size();
  std::vector<std::vector<std::pair<int, double>>> columns(unknown_of.size());  // of smooth rows
  std::vector<double> free(n);
  for (std::size_t row = 0; row < n; ++row) {
    const int i = smooth[row];
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(places.column[k]);
      double value = entry(static_cast<std::size_t>(k));
      if (condensed[j] >= 0) columns[static_cast<std::size_t>(condensed[j])].emplace_back(static_cast<int>(row), value);
      if (place[j] < 0) continue;
      if (static_cast<int>(j) == i) value += soft[j];
      column.push_back(place[j]);
      matrix_values.push_back(value);
    }
    start.push_back(static_cast<int>(column.size()));
    free[row] = -F[static_cast<std::size_t>(i)];
  }
  SparseLu smooth_lu(static_cast<int>(n), start, column);
  if (!smooth_lu.factor(matrix_values.data())) return false;
  smooth_lu.solve(free.data());
  // Which rates a smooth unknown enters.
  std::vector<std::vector<std::pair<int, double>>> enters(n);
  c.rows.resize(unknown_of.size());
  for (std::size_t r = 0; r < unknown_of.size(); ++r)
    for (int k = slope_pattern.row_start[slope_row[r]]; k < slope_pattern.row_start[slope_row[r] + 1]; ++k) {
      const auto j = static_cast<std::size_t>(slope_pattern.column[k]);
      const double value = slope[static_cast<std::size_t>(k)];
      if (place[j] >= 0) {
        enters[static_cast<std::size_t>(place[j])].emplace_back(static_cast<int>(r), value);
        c.b[r] += value * free[static_cast<std::size_t>(place[j])];
      } else if (condensed[j] >= 0 && value != 0) {
        c.rows[r].emplace_back(condensed[j], value);
      }
    }
  std::vector<std::vector<std::pair<int, double>>> answers(unknown_of.size());
  std::vector<double> answer(n), sum(unknown_of.size());
  for (std::size_t j = 0; j < unknown_of.size(); ++j) {
    std::fill(answer.begin(), answer.end(), 0.0);
    for (const auto& [row, value] : columns[j]) answer[static_cast<std::size_t>(row)] = -value;
    smooth_lu.solve(answer.data());
    std::vector<int> touched;
    for (std::size_t i = 0; i < n; ++i) {
      if (answer[i] == 0) continue;
      answers[j].emplace_back(static_cast<int>(i), answer[i]);
      for (const auto& [r, value] : enters[i]) {
        if (sum[static_cast<std::size_t>(r)] == 0) touched.push_back(r);
        sum[static_cast<std::size_t>(r)] += value * answer[i];
      }
    }
    for (const int r : touched) {
      const double value = std::exchange(sum[static_cast<std::size_t>(r)], 0.0);
      if (value != 0) c.rows[static_cast<std::size_t>(r)].emplace_back(static_cast<int>(j), value);
    }
  }
  c.take_diagonal();
  const std::vector<double> before = c.p;
  for (std::size_t r = 0; r < c.b.size(); ++r)
    for (const auto& [j, d] : c.rows[r]) c.b[r] -= d * before[static_cast<std::size_t>(j)];
  for (int k = 0; k < most_sweeps; ++k) {
    const double change = sweep_once(c, swept_contacts, part);
    double force = 0;
    for (const double p : c.p) force = std::max(force, std::abs(p));
    if (!(change > 1e-15 * force)) break;
  }
  for (std::size_t j = 0; j < unknown_of.size(); ++j) {
    const double moved = c.p[j] - before[j];
    u[unknown_of[j]] = c.p[j];
    for (const auto& [i, value] : answers[j]) free[static_cast<std::size_t>(i)] += value * moved;
  }
  for (std::size_t row = 0; row < n; ++row) u[smooth[row]] += free[row];
  return true;
}

}  // namespace alembert::internal
