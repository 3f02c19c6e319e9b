#pragma once

// The matrices of a port-Hamiltonian system put together.

#include <map>
#include <utility>
#include <vector>

#include "alembert/model/ports/port.h"

namespace alembert::internal {

/// The matrices of a system while they are put together, entry by entry.
struct PortEntries {
  Entries E, J, R, B, P, S, N;
  /// Those of another system; the functions say where its states and inputs stand in this one, below 0: nowhere.
  template <class States, class Inputs>
  void add(const PortSystem& from, const States& state, const Inputs& input) {
    const auto put = [](Entries& to, const SparseExprs& m, const auto& row_of, const auto& column_of) {
      for (int i = 0; i < m.rows; ++i)
        for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
          const int row = row_of(i), column = column_of(m.column[k]);
          if (row >= 0 && column >= 0) to.emplace(std::pair(row, column), m.value[k]);
        }
    };
    put(E, from.E, state, state);
    put(J, from.J, state, state);
    put(R, from.R, state, state);
    put(B, from.B, state, input);
    put(P, from.P, state, input);
    put(S, from.S, input, input);
    put(N, from.N, input, input);
  }
  /// As the matrices of a system with all its states and inputs; the states are sorted by them.
  void give(PortSystem& to) const {
    const int n = to.size(), m = static_cast<int>(to.u.size());
    to.E = sparse(n, n, E);
    to.J = sparse(n, n, J);
    to.R = sparse(n, n, R);
    to.B = sparse(n, m, B);
    to.P = sparse(n, m, P);
    to.S = sparse(m, m, S);
    to.N = sparse(m, m, N);
    std::vector<bool> differential(to.x.size(), false);
    for (const int j : to.E.column) differential[j] = true;
    to.differential.clear();
    to.algebraic.clear();
    for (int j = 0; j < n; ++j) (differential[j] ? to.differential : to.algebraic).push_back(j);
  }
};

}  // namespace alembert::internal
