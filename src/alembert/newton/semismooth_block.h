#pragma once

// The unknowns of a step with inclusions that are solved for together. Private to newton/.

#include <memory>
#include <vector>

#include "alembert/expr/derivative.h"
#include "alembert/linear/linear.h"
#include "alembert/newton/semismooth.h"

namespace alembert::internal {

namespace semismooth {

/// A matrix with the same places for all values: rows, columns, and the diagonal in every row.
struct Places {
  std::vector<int> row_start, column, source;  // source: place of the value; -1: an added diagonal
};

inline Places with_diagonal(const SparseExprs& m) {
  Places places;
  places.row_start.push_back(0);
  for (int i = 0; i < m.rows; ++i) {
    bool diagonal = false;
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
      diagonal = diagonal || m.column[k] == i;
      places.column.push_back(m.column[k]);
      places.source.push_back(k);
    }
    if (!diagonal) {
      places.column.push_back(i);
      places.source.push_back(-1);
    }
    places.row_start.push_back(static_cast<int>(places.column.size()));
  }
  return places;
}

struct TangentPlace {
  int first = 0, size = 1;  // unknowns of the block
  int weight = 0, pair = 0, slope = 0;
};
struct ContactPlace {
  int normal = 0, weight = 0, pair = 0, slope = 0;
  bool grows = true, active = false;
  std::vector<TangentPlace> tangents;
};

}  // namespace semismooth

using semismooth::ContactPlace;
using semismooth::TangentPlace;

/// Unknowns that are solved for together, the earlier ones being known.
struct Semismooth::Block {
  int first = 0, count = 0;  // of the unknowns
  std::size_t offset = 0;    // of the first in x
  std::size_t weights = 0;   // where they begin in x
  const double* x_weights = nullptr;
  Kernel<double> values, matrix;  // of the rows that belong to no contact
  Kernel<double> closed, pairs, slopes;
  bool linear_in_unknowns = false;
  semismooth::Places places;
  SparseExprs slope_pattern;  // without its values
  std::vector<ContactPlace> contacts;
  std::vector<bool> of_contact, multiplier;
  // Memory.
  std::vector<double> F, J, pair, slope, work, closed_values;
  std::vector<int> taken, number;  // unknowns that take part, and their numbers among those
  std::vector<int> lu_taken;       // for which `lu` was made
  std::shared_ptr<SparseLu> lu;
  std::vector<double> reduced, delta, diagonal, soft;
  Kernel<double> scales;      // one for each unknown, then by how much rounding of constraints is measured
  std::vector<double> scale;  // 0: it follows the others
  std::vector<int> group;     // unknowns of one group are measured by the largest of them
  double force_size() const;  // what rounding of the rates makes of forces

  double* unknowns(double* x) const { return x + offset; }
  // The equations near a point: values of the smooth ones, forces and rates of the contacts there, all linear.
  std::vector<double> point, F0, J0;
  std::vector<int> smooth_rows;
  void take(const double* x) {
    values(x, F0.data(), work.data());
    matrix(x, J0.data(), work.data());
    take_pairs(x);
    slopes(x, slope.data(), work.data());
    point.assign(x + offset, x + offset + count);
    std::fill(J.begin(), J.end(), 0.0);
    for (std::size_t k = 0; k < J0.size(); ++k) J[static_cast<std::size_t>(smooth_place[k])] = J0[k];
  }
  std::vector<int> smooth_place;  // of the entries of J0 in J
  void take_pairs(const double* x) { pairs(x, pair.data(), work.data()); }
  void evaluate(const double* u);
  double rate(int row, int of_pair, const double* u) const;
  void put(int row, int slope_row, double factor, int own, double own_entry);
  double entry(std::size_t k) const { return J[k]; }

  void choose(double* x);
  void number_taken();
  void weigh(double* x);
  bool linear();
  bool arrived(const double* x, double& worst) const;
  bool iterate(double* x, NewtonResult& result, NewtonStatistics& statistics);
  bool newton(double* x, NewtonResult& result, NewtonStatistics& statistics);
  bool newton_twice(double* x, NewtonResult& result, NewtonStatistics& statistics);
  bool sweep(double* x, double part);
  bool take_turns(double* x, NewtonResult& result, NewtonStatistics& statistics);
  double residual(const double* x);
  // Forces are held to those of an earlier solution, by this part of their own response: then the equations are easier.
  double held = 0;
  std::vector<double> held_at;
  double held_back(int i, const double* u) const {
    return held > 0 ? held * (u[i] - held_at[static_cast<std::size_t>(i)]) : 0;
  }
  bool damped = false;  // corrections behind which more is left are shortened
  std::vector<double> left_scale;
  double left(const double* u);
  void measure_left(const double* u);
  void go_damped(double* u, double before);
  bool add_passed(const double* x);
};

}  // namespace alembert::internal
