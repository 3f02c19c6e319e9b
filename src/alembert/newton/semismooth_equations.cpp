// The equations of a block with contacts, and their matrix near a point: which contacts take part, with which weights.

#include <algorithm>
#include <cmath>

#include "alembert/base/nth.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// Contacts that follow from others make the matrix singular: this part of a contact's own response is added to it. The
// equations stay as they are, so that it costs an iteration at most.
constexpr double regular = 1e-7, regular_constraints = 1e-9;

}  // namespace

/// Which contacts take part.
void Semismooth::Block::choose(double* x) {
  closed(x, closed_values.data(), work.data());
  scales(x, scale.data(), work.data());
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].active = closed_values[i] <= 0;
  number_taken();
  for (int i = 0; i < count; ++i)
    if (number[static_cast<std::size_t>(i)] < 0) unknowns(x)[i] = 0;
}

void Semismooth::Block::number_taken() {
  std::vector<bool> out(static_cast<std::size_t>(count), false);
  for (const ContactPlace& c : contacts) {
    if (c.active) continue;
    out[static_cast<std::size_t>(c.normal)] = true;
    for (const TangentPlace& t : c.tangents)
      for (int j = 0; j < t.size; ++j) out[nth(t.first + j)] = true;
  }
  taken.clear();
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    number[k] = out[k] ? -1 : static_cast<int>(taken.size());
    if (!out[k]) taken.push_back(i);
  }
}

/// Contacts that would be passed through take part. Whether there are some.
bool Semismooth::Block::add_passed(const double* x) {
  take_pairs(x);
  bool any = false;
  for (ContactPlace& c : contacts) {
    if (c.active || !c.grows || pair[static_cast<std::size_t>(c.pair) + 2] >= 0) continue;
    c.active = true;
    any = true;
  }
  if (any) number_taken();
  return any;
}

/// Weights are the reciprocal responses: how much a force changes its own rate, as far as the diagonal of the other
/// equations tells.
void Semismooth::Block::weigh(double* x) {
  take(x);
  std::vector<double> own(static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i)
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
      if (places.column[k] == i) own[static_cast<std::size_t>(i)] = entry(static_cast<std::size_t>(k));
  // The entries of smooth rows in the columns of contacts.
  std::vector<std::vector<std::pair<int, double>>> columns(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (of_contact[static_cast<std::size_t>(i)]) continue;
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
      if (of_contact[static_cast<std::size_t>(places.column[k])] &&
          number[static_cast<std::size_t>(places.column[k])] >= 0)
        columns[static_cast<std::size_t>(places.column[k])].emplace_back(i, entry(static_cast<std::size_t>(k)));
  }
  const auto response = [&](int row, int unknown) {
    double sum = 0;
    for (const auto& [i, value] : columns[static_cast<std::size_t>(unknown)]) {
      const double diagonal_entry = own[static_cast<std::size_t>(i)];
      if (diagonal_entry == 0) continue;
      for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k)
        if (slope_pattern.column[k] == i) sum -= slope[static_cast<std::size_t>(k)] * value / diagonal_entry;
    }
    for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k)
      if (slope_pattern.column[k] == unknown) sum += slope[static_cast<std::size_t>(k)];
    return std::abs(sum);
  };
  // What is added to the diagonals: of a constraint a part of its own response.
  soft.assign(static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    if (of_contact[static_cast<std::size_t>(i)]) soft[static_cast<std::size_t>(i)] = regular;
    if (!multiplier[static_cast<std::size_t>(i)] || of_contact[static_cast<std::size_t>(i)]) continue;
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const int j = places.column[k];
      const double diagonal_entry = own[static_cast<std::size_t>(j)];
      if (j == i || diagonal_entry == 0 || of_contact[static_cast<std::size_t>(j)]) continue;
      for (int m = places.row_start[j]; m < places.row_start[j + 1]; ++m)
        if (places.column[m] == i)
          soft[static_cast<std::size_t>(i)] -=
              regular_constraints * J[static_cast<std::size_t>(k)] * J[static_cast<std::size_t>(m)] / diagonal_entry;
    }
  }
  const auto weight = [](double size) { return size > 0 && std::isfinite(size) ? 1 / size : 1; };
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    x[weights + static_cast<std::size_t>(c.weight)] = weight(response(c.slope, c.normal));
    for (const TangentPlace& t : c.tangents) {
      double most = 0;
      for (int j = 0; j < t.size; ++j) most = std::max(most, response(t.slope + j, t.first + j));
      x[weights + static_cast<std::size_t>(t.weight)] = weight(most);
    }
  }
}

/// A rate near the point.
double Semismooth::Block::rate(int row, int of_pair, const double* u) const {
  double sum = pair[static_cast<std::size_t>(of_pair)];
  for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k) {
    const auto j = static_cast<std::size_t>(slope_pattern.column[k]);
    sum += slope[static_cast<std::size_t>(k)] * (u[j] - point[j]);
  }
  return sum;
}

/// Adds factor times the slope of a rate to a row of the matrix, and an entry in the column `own`.
void Semismooth::Block::put(int row, int slope_row, double factor, int own, double own_entry) {
  int k = places.row_start[row];
  const auto add = [&](int column, double value) {
    if (value == 0) return;
    for (int m = places.row_start[row]; m < places.row_start[row + 1]; ++m)
      if (places.column[m] == column) {
        J[static_cast<std::size_t>(m)] += value;
        return;
      }
  };
  if (slope_row >= 0)
    for (int m = slope_pattern.row_start[slope_row]; m < slope_pattern.row_start[slope_row + 1]; ++m) {
      while (k < places.row_start[row + 1] && places.column[k] < slope_pattern.column[m]) ++k;
      if (k < places.row_start[row + 1] && places.column[k] == slope_pattern.column[m])
        J[static_cast<std::size_t>(k)] += factor * slope[static_cast<std::size_t>(m)];
      else add(slope_pattern.column[m], factor * slope[static_cast<std::size_t>(m)]);
    }
  if (own >= 0) add(own, own_entry);
}

/// F and the rows of contacts in J at u: complementary() and in_disk() with their derivatives, the rates linear.
void Semismooth::Block::evaluate(const double* u) {
  for (std::size_t r = 0; r < smooth_rows.size(); ++r) {
    const int i = smooth_rows[r];
    double sum = F0[r];
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(places.column[k]);
      sum += entry(static_cast<std::size_t>(k)) * (u[j] - point[j]);
    }
    F[static_cast<std::size_t>(i)] = sum;
  }
  const auto clear = [&](int row) {
    std::fill(J.begin() + places.row_start[row], J.begin() + places.row_start[row + 1], 0.0);
  };
  const double* const weight = x_weights;
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    const double known = pair[static_cast<std::size_t>(c.pair)] - point[static_cast<std::size_t>(c.normal)];
    const double force = u[c.normal] + known, w = weight[c.weight];
    const double tried = force - w * rate(c.slope, c.pair + 1, u) - held_back(c.normal, u);
    clear(c.normal);
    F[static_cast<std::size_t>(c.normal)] = force - std::max(tried, 0.0);
    if (tried > 0) put(c.normal, c.slope, w, c.normal, held);
    else put(c.normal, -1, 0, c.normal, 1);
    for (const TangentPlace& t : c.tangents) {
      const double wt = weight[t.weight], mu = pair[nth(t.pair + 2 * t.size)];
      const double bound = mu * std::max(force, 0.0);
      double forces[2] = {0, 0}, tries[2] = {0, 0}, length = 0;
      for (int j = 0; j < t.size; ++j) {
        forces[j] = u[t.first + j] + pair[nth(t.pair + j)] - point[nth(t.first + j)];
        tries[j] = forces[j] - wt * rate(t.slope + j, t.pair + t.size + j, u) - held_back(t.first + j, u);
        length = std::hypot(length, tries[j]);
      }
      for (int j = 0; j < t.size; ++j) {
        const int row = t.first + j;
        clear(row);
        if (length <= bound) {
          F[static_cast<std::size_t>(row)] = forces[j] - tries[j];
          put(row, t.slope + j, wt, row, held);
          continue;
        }
        const double share = bound / length, direction = tries[j] / length;
        F[static_cast<std::size_t>(row)] = forces[j] - share * tries[j];
        put(row, -1, 0, row, 1);
        if (force > 0) put(row, -1, 0, c.normal, -mu * direction);
        for (int m = 0; m < t.size; ++m) {
          const double d = -share * ((m == j ? 1 : 0) - direction * tries[m] / length);
          put(row, t.slope + m, -wt * d, t.first + m, (1 - held) * d);
        }
      }
    }
  }
}

}  // namespace alembert::internal
