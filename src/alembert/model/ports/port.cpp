#include "alembert/model/ports/port.h"

#include <algorithm>
#include <unordered_map>

namespace alembert::internal {

SparseExprs sparse(int rows, int columns, const Entries& entries) {
  SparseExprs m;
  m.rows = rows;
  m.columns = columns;
  m.row_start.assign(1, 0);
  auto at = entries.begin();
  for (int i = 0; i < rows; ++i) {
    for (; at != entries.end() && at->first.first == i; ++at) {
      if (is_zero(at->second)) continue;
      m.column.push_back(at->first.second);
      m.value.push_back(at->second);
    }
    m.row_start.push_back(static_cast<int>(m.value.size()));
  }
  return m;
}

SparseExprs transposed(const SparseExprs& m) {
  Entries entries;
  for (int i = 0; i < m.rows; ++i)
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) entries[{m.column[k], i}] = m.value[k];
  return sparse(m.columns, m.rows, entries);
}

Exprs product(const SparseExprs& m, const Exprs& x, Graph& graph) {
  Exprs result;
  for (int i = 0; i < m.rows; ++i) {
    Exprs terms;
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) terms.push_back(m.value[k] * x[m.column[k]]);
    result.push_back(sum(graph, terms));
  }
  return result;
}

SparseExprs product(const SparseExprs& a, const SparseExprs& b) {
  Entries entries;
  for (int i = 0; i < a.rows; ++i)
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      for (int l = b.row_start[a.column[k]]; l < b.row_start[a.column[k] + 1]; ++l) {
        const Expr value = a.value[k] * b.value[l];
        const auto [place, fresh] = entries.try_emplace({i, b.column[l]}, value);
        if (!fresh) place->second = place->second + value;
      }
  return sparse(a.rows, b.columns, entries);
}

namespace {

const Block* block_of(const std::vector<Block>& blocks, int number) {
  const auto after =
      std::upper_bound(blocks.begin(), blocks.end(), number, [](int n, const Block& block) { return n < block.first; });
  return after == blocks.begin() ? nullptr : &*(after - 1);
}

Exprs plus(Exprs a, const Exprs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] + b[i];
  return a;
}

Exprs minus(Exprs a, const Exprs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] - b[i];
  return a;
}

/// Parameters that became numbers may leave entries that are 0.
void drop_zeros(SparseExprs& m) {
  if (std::none_of(m.value.begin(), m.value.end(), [](Expr x) { return is_zero(x); })) return;
  Entries entries;
  for (int i = 0; i < m.rows; ++i)
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) entries[{i, m.column[k]}] = m.value[k];
  m = sparse(m.rows, m.columns, entries);
}

/// a^T M b.
Expr form(const Exprs& a, const SparseExprs& m, const Exprs& b, Graph& graph) {
  Exprs terms;
  for (int i = 0; i < m.rows; ++i)
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) terms.push_back(m.value[k] * (a[i] * b[m.column[k]]));
  return sum(graph, terms);
}

}  // namespace

std::string flat_name(const std::vector<Block>& blocks, int number) {
  const Block* block = block_of(blocks, number);
  return block ? entry_name(*block, number - block->first) : std::string();
}

Place flat_place(const std::vector<Block>& blocks, int number) {
  const Block* block = block_of(blocks, number);
  return block ? block->place : Place{};
}

namespace {

/// The inputs that each value contains, and the other way round: followed instead of asking every value again whenever
/// an input becomes known.
class InputOrder {
 public:
  InputOrder(const Exprs& u, const Exprs& values) : needs_(u.size()), needed_by_(u.size()), missing_(u.size(), 0) {
    std::unordered_map<std::uint32_t, int> number;
    for (std::size_t i = 0; i < u.size(); ++i) number.emplace(u[i].id(), static_cast<int>(i));
    for (std::size_t i = 0; i < u.size(); ++i)
      for (const Expr symbol : free_symbols(Exprs{values[i]})) {
        const auto found = number.find(symbol.id());
        if (found == number.end()) continue;
        needs_[i].push_back(found->second);
        needed_by_[found->second].push_back(static_cast<int>(i));
        ++missing_[i];
      }
    for (std::size_t i = 0; i < u.size(); ++i)
      if (missing_[i] == 0) ready_.push_back(static_cast<int>(i));
    known_.assign(u.size(), false);
  }
  const std::vector<int>& needs(int i) const { return needs_[i]; }
  bool known(int i) const { return known_[i]; }
  /// The input is known, whatever its value contains.
  void know(int i) {
    known_[i] = true;
    for (const int other : needed_by_[i])
      if (--missing_[other] == 0 && !known_[other]) ready_.push_back(other);
  }
  /// The next input that follows from those known, which it then is, too; -1: none does.
  int next() {
    while (!ready_.empty()) {
      const int i = ready_.back();
      ready_.pop_back();
      if (known_[i]) continue;
      know(i);
      return i;
    }
    return -1;
  }

 private:
  std::vector<std::vector<int>> needs_, needed_by_;
  std::vector<int> missing_, ready_;
  std::vector<bool> known_;
};

}  // namespace

std::vector<int> input_loops(const PortSystem& s) {
  if (s.u.empty()) return {};
  Graph& graph = s.u[0].graph();
  const Exprs y = minus(product(s.S, s.u, graph), product(s.N, s.u, graph));
  InputOrder order(s.u, substitute(s.u_value, s.y, y, graph));  // what y has besides does not count
  std::vector<int> loops;
  for (int i = 0; i < static_cast<int>(s.u.size()); ++i) {
    while (order.next() >= 0) continue;
    if (order.known(i)) continue;
    loops.push_back(i);
    order.know(i);
  }
  return loops;
}

PortRows port_rows(const PortSystem& s) {
  Graph& graph = s.x.empty() ? s.H.graph() : s.x[0].graph();
  PortRows e;
  const Exprs free = plus(product(transposed(s.B), s.z, graph), product(transposed(s.P), s.z, graph));
  const Exprs y = plus(free, minus(product(s.S, s.u, graph), product(s.N, s.u, graph)));
  // Inputs one after the other, each when all that it needs is known; those in `loops` are known from the start.
  const Exprs values = substitute(s.u_value, s.y, y, graph);
  InputOrder order(s.u, values);
  for (const int i : s.loops) order.know(i);
  e.u = s.u;
  for (int i = order.next(); i >= 0; i = order.next()) {
    Exprs from, to;
    for (const int j : order.needs(i)) {
      if (e.u[j] == s.u[j]) continue;
      from.push_back(s.u[j]);
      to.push_back(e.u[j]);
    }
    e.u[i] = substitute(values[i], from, to, graph);
  }
  e.y = substitute(y, s.u, e.u, graph);
  for (const int i : s.loops) e.loops.push_back(s.u[i] - substitute(values[i], s.u, e.u, graph));
  e.F = minus(product(s.J, s.z, graph), product(s.R, s.z, graph));
  e.F = plus(std::move(e.F), minus(product(s.B, e.u, graph), product(s.P, e.u, graph)));
  e.F = minus(std::move(e.F), s.r);
  e.dissipated = form(s.z, s.R, s.z, graph) + 2 * form(s.z, s.P, e.u, graph) + form(e.u, s.S, e.u, graph);
  e.supplied = e.u.empty() ? graph.constant(0) : dot(e.y, e.u);
  return e;
}

PortSystem carried(const PortSystem& s, const std::function<Exprs(const Exprs&)>& map) {
  PortSystem result = s;
  for (Exprs* list : {&result.x, &result.E.value, &result.J.value, &result.R.value, &result.B.value, &result.P.value,
                      &result.S.value, &result.N.value, &result.r, &result.z, &result.u, &result.y, &result.u_value})
    *list = map(*list);
  for (SparseExprs* matrix : {&result.J, &result.R, &result.B, &result.P}) drop_zeros(*matrix);
  result.t = map({s.t})[0];
  result.H = map({s.H})[0];
  Exprs energies;  // together: there may be thousands of parts, and every call looks at all symbols
  for (const PortSystem::Part& part : s.parts) energies.push_back(part.H);
  energies = map(energies);
  for (std::size_t i = 0; i < energies.size(); ++i) result.parts[i].H = energies[i];
  return result;
}

}  // namespace alembert::internal
