#include "alembert/newton/explicit_formulas.h"

#include <algorithm>
#include <utility>

namespace alembert::internal {

Exprs slice(const Exprs& list, int first, int count) { return {list.begin() + first, list.begin() + first + count}; }

namespace {

/// a b; the entries of a row are summed in the same order everywhere, so that equal formulas read the same.
SparseExprs product(const SparseExprs& a, const SparseExprs& b) {
  SparseExprs result;
  result.rows = a.rows;
  result.columns = b.columns;
  result.row_start.push_back(0);
  std::vector<std::pair<int, Expr>> row;
  for (int i = 0; i < a.rows; ++i) {
    row.clear();
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      for (int m = b.row_start[a.column[k]]; m < b.row_start[a.column[k] + 1]; ++m) {
        const auto at = [&](const auto& entry) { return entry.first == b.column[m]; };
        const auto known = std::find_if(row.begin(), row.end(), at);
        const Expr term = a.value[k] * b.value[m];
        if (known == row.end()) row.emplace_back(b.column[m], term);
        else known->second = known->second + term;
      }
    std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : row) {
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

/// What unknowns are in terms of others, where the equation of each is linear in it with a factor that no unknown
/// changes, and has no other of them; empty where they are not so.
Exprs solved_for(const Exprs& equations, const Exprs& own, const Exprs& unknowns) {
  const SparseExprs J = jacobian(equations, own);
  if (J.column.size() != own.size() || depends(J.value, unknowns)) return {};
  for (int i = 0; i < J.rows; ++i)
    if (J.row_start[i + 1] != i + 1 || J.column[i] != i) return {};
  Graph& graph = own.front().graph();
  const Exprs rest = substitute(equations, own, Exprs(own.size(), graph.constant(0)), graph);
  Exprs values;
  for (std::size_t i = 0; i < own.size(); ++i) values.push_back(-rest[i] * (Quad(1) / J.value[i]));
  return values;
}

}  // namespace

void NumberedRows::end_row() {
  const auto by_column = [](const Entry& a, const Entry& b) { return a.column < b.column; };
  std::sort(entries.begin() + start.back(), entries.end(), by_column);
  start.push_back(static_cast<int>(entries.size()));
}

bool ExplicitFormulas::take(const FormulaList& formulas, int from, int to) {
  const auto inside = [&](std::uint32_t number) {
    return number >= static_cast<std::uint32_t>(from) && number < static_cast<std::uint32_t>(to);
  };
  for (int i = 0; i < formulas.size(); ++i)
    if (std::ranges::any_of(formulas.inputs(i), inside)) return true;
  return false;
}

bool ExplicitFormulas::solve(const Exprs& unknowns) {
  std::vector<int> place(values.kinds(), -1);  // of the unknown, among the inputs of its equation
  for (int i = 0; i < values.size(); ++i) {
    const auto inputs = values.inputs(i);
    int& known = place[values.kind(i)];
    bool found = false;
    for (int k = 0; k < static_cast<int>(inputs.size()); ++k) {
      if (!is_own(inputs[k])) continue;
      if (inputs[k] != static_cast<std::uint32_t>(own + i) || (known >= 0 && known != k)) return false;
      known = k;
      found = true;
    }
    if (!found) return false;
  }
  Exprs first;
  for (int kind = 0; kind < values.kinds(); ++kind) first.push_back(all[own + values.first(kind)]);
  const Exprs solved = solved_for(values.shown(), first, unknowns);
  if (solved.empty()) return false;
  values.say(solved);
  return true;
}

bool ExplicitFormulas::alike(int block, int other, int size) const {
  // But for the unknown itself.
  const auto equal = [&](std::uint32_t a, std::uint32_t b) { return a == b || (is_own(a) && is_own(b)); };
  for (int i = block, j = other; i < block + size; ++i, ++j)
    if (values.kind(i) != values.kind(j) || !std::ranges::equal(values.inputs(i), values.inputs(j), equal))
      return false;
  return true;
}

/// Constraints are alike where they are, what their unknowns are is, and both take the same inputs.
void ExplicitFormulas::find_rows() {
  std::vector<std::pair<int, std::uint32_t>> seen(all.size(), {-1, 0});  // by which row, and its place there
  std::vector<std::uint32_t> inputs;
  std::u32string key;
  for (int i = 0; i < constraints.size(); ++i) {
    inputs.clear();
    const auto take = [&](std::uint32_t number) {
      if (seen[number].first != i) {
        seen[number] = {i, static_cast<std::uint32_t>(inputs.size())};
        inputs.push_back(number);
      }
      key.push_back(seen[number].second);
    };
    key.assign(1, static_cast<char32_t>(constraints.kind(i)));
    for (const std::uint32_t number : constraints.inputs(i)) take(number);
    for (const std::uint32_t number : constraints.inputs(i)) {
      if (!is_own(number)) continue;
      const int unknown = static_cast<int>(number) - own;
      key.push_back(static_cast<char32_t>(values.kind(unknown)));
      for (const std::uint32_t other : values.inputs(unknown)) take(other);
    }
    rows.add(key, inputs);
  }
}

void ExplicitFormulas::derive() {
  find_rows();
  Exprs first, value(values.size(), all.front().graph().constant(0));
  for (int kind = 0; kind < rows.kinds(); ++kind) first.push_back(constraints.written(rows.first(kind), all));
  outer = jacobian(first, slice(all, own, values.size()));
  for (const int column : outer.column) value[column] = values.written(column, all);
  inner = jacobian(value, slice(all, multipliers, constraints.size()));
}

NumberedRows ExplicitFormulas::entries(std::vector<AlikeFormulas>& formulas) const {
  const SparseExprs first = product(outer, inner);
  std::vector<std::size_t> place;  // of the multiplier that a derivative is by, in the inputs of its row
  std::vector<std::vector<std::size_t>> taken;
  for (int kind = 0; kind < rows.kinds(); ++kind) {
    const auto inputs = rows.inputs(rows.first(kind));
    const int from = first.row_start[kind], to = first.row_start[kind + 1];
    for (int k = from; k < to; ++k) {
      const auto number = static_cast<std::uint32_t>(multipliers + first.column[k]);
      place.push_back(static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), number) - inputs.begin()));
    }
    const Exprs values_of_row(first.value.begin() + from, first.value.begin() + to);
    taken.push_back(inputs_taken(inputs, values_of_row, all));
    formulas.push_back({{}, values_of_row, {}, {}});
    for (const std::size_t k : taken.back()) formulas.back().inputs.push_back(all[inputs[k]]);
  }
  NumberedRows matrix;
  std::uint32_t number = 0;
  for (int i = 0; i < rows.size(); ++i) {
    const int kind = rows.kind(i);
    const auto inputs = rows.inputs(i);
    for (const std::size_t k : taken[kind]) formulas[kind].from.push_back(inputs[k]);
    for (int k = first.row_start[kind]; k < first.row_start[kind + 1]; ++k, ++number) {
      matrix.entries.push_back({static_cast<int>(inputs[place[k]]) - multipliers, number});
      formulas[kind].to.push_back(number);
    }
    matrix.end_row();
  }
  return matrix;
}

std::size_t ExplicitFormulas::outer_entries() const {
  std::size_t sum = 0;
  for (int i = 0; i < rows.size(); ++i) {
    const int kind = rows.kind(i);
    sum += static_cast<std::size_t>(outer.row_start[kind + 1] - outer.row_start[kind]);
  }
  return sum;
}

std::size_t ExplicitFormulas::inner_entries(int first, int count) const {
  const auto multiplier = [&](std::uint32_t number) {
    return number >= static_cast<std::uint32_t>(multipliers) &&
           number < static_cast<std::uint32_t>(multipliers + constraints.size());
  };
  std::size_t sum = 0;
  for (int i = first; i < first + count; ++i)
    sum += static_cast<std::size_t>(std::ranges::count_if(values.inputs(i), multiplier));
  return sum;
}

}  // namespace alembert::internal
