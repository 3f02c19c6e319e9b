#pragma once

// Pivots that a pattern allows.

#include <vector>

namespace alembert::internal {

/// For every column of an n x n pattern (compressed columns) one of its rows, each row at most once, for as many
/// columns as possible; -1 for the others. Chains and trees cost time in proportion to their entries (those with one
/// choice first), the worst pattern that times the square root of n (Hopcroft and Karp 1973).
std::vector<int> match_rows(int n, const std::vector<int>& column_start, const std::vector<int>& row);

}  // namespace alembert::internal
