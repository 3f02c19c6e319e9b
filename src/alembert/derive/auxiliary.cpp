#include "alembert/derive/auxiliary.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

/// Equations that contain each other's variables are solved together by determinants, which stay regular wherever the
/// matrix is; their number of terms is the factorial of the size.
constexpr std::size_t largest_determinant = 4;

using Rows = std::vector<Exprs>;

Expr determinant(const Rows& a, Graph& graph) {
  const std::size_t n = a.size();
  if (n == 1) return a[0][0];
  Exprs terms;
  for (std::size_t j = 0; j < n; ++j) {
    if (is_zero(a[0][j])) continue;
    Rows minor;
    for (std::size_t i = 1; i < n; ++i) {
      minor.emplace_back();
      for (std::size_t k = 0; k < n; ++k)
        if (k != j) minor.back().push_back(a[i][k]);
    }
    const Expr part = a[0][j] * determinant(minor, graph);
    terms.push_back(j % 2 == 0 ? part : -part);
  }
  return sum(graph, terms);
}

/// a x = b by Cramer's rule.
Exprs solved(const Rows& a, const Exprs& b, Graph& graph) {
  const Expr whole = determinant(a, graph);
  Exprs x;
  for (std::size_t j = 0; j < a.size(); ++j) {
    Rows replaced = a;
    for (std::size_t i = 0; i < a.size(); ++i) replaced[i][j] = b[i];
    x.push_back(determinant(replaced, graph) / whole);
  }
  return x;
}

/// The numbers of equations and variables that hang together, each group by itself.
std::vector<std::vector<std::size_t>> groups_of(const Rows& a) {
  const std::size_t n = a.size();
  std::vector<std::size_t> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = i;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!is_zero(a[i][j]) && group[i] != group[j]) {
        const std::size_t from = std::max(group[i], group[j]), to = std::min(group[i], group[j]);
        std::replace(group.begin(), group.end(), from, to);
      }
  std::vector<std::vector<std::size_t>> groups(n);
  for (std::size_t i = 0; i < n; ++i) groups[group[i]].push_back(i);
  std::erase_if(groups, [](const auto& one) { return one.empty(); });
  return groups;
}

Exprs own_y(const Equations& e) { return {e.y.begin(), e.y.end() - static_cast<long>(e.auxiliary.size())}; }
Exprs own_auxiliary(const Equations& e) { return {e.y.end() - static_cast<long>(e.auxiliary.size()), e.y.end()}; }

/// x with c_s x = b, or c_s^T x = b.
Exprs solved(const Equations& e, const Exprs& b, bool transposed) {
  Graph& graph = *e.graph;
  Rows c_s = dense(jacobian(auxiliary_equations(e), own_auxiliary(e)), graph);
  if (transposed) {
    const Rows before = c_s;
    for (std::size_t i = 0; i < c_s.size(); ++i)
      for (std::size_t j = 0; j < c_s.size(); ++j) c_s[i][j] = before[j][i];
  }
  Exprs x(b.size());
  for (const std::vector<std::size_t>& group : groups_of(c_s)) {
    Rows a;
    Exprs right;
    for (const std::size_t i : group) {
      a.emplace_back();
      for (const std::size_t j : group) a.back().push_back(c_s[i][j]);
      right.push_back(b[i]);
    }
    const Exprs part = solved(a, right, graph);
    for (std::size_t i = 0; i < group.size(); ++i) x[group[i]] = part[i];
  }
  return x;
}

void check_groups(const Model& model, const Equations& e) {
  const Rows c_s = dense(jacobian(auxiliary_equations(e), own_auxiliary(e)), *e.graph);
  for (const std::vector<std::size_t>& group : groups_of(c_s)) {
    if (group.size() <= largest_determinant) continue;
    throw InputError(std::vector<Diagnostic>{
        {model.source, model.auxiliary[group[0]].place,
         std::to_string(group.size()) + " auxiliary variables determine each other, seen at '" +
             model.auxiliary[group[0]].name + "'",
         "at most " + std::to_string(largest_determinant) + " may; write equations of their own for the others"}});
  }
}

AuxiliaryEquation equation_of(const Auxiliary& auxiliary, Expr symbol, const Carrier& carry) {
  AuxiliaryEquation result;
  result.place = auxiliary.place;
  result.equation = carry(auxiliary.equation);
  if (!auxiliary.value) return result;
  result.value = carry(auxiliary.value);
  const Graph& graph = result.value.graph();
  const Node node = graph.node(result.value.id());
  if (node.op != Op::atan2) return result;
  result.sine = Expr(&result.value.graph(), node.a);
  result.cosine = Expr(&result.value.graph(), node.b);
  result.equation = result.sine * cos(symbol) - result.cosine * sin(symbol);
  return result;
}

/// c_t + c_q q'.
Exprs without_own_rates(const Equations& e, const Exprs& functions) {
  const Exprs q = own_y(e);
  return directional(functions, joined<Expr>(e.t, q), joined<Expr>(e.graph->constant(1), e.v));
}

}  // namespace

bool rates_depend_on_y(const Equations& e) {
  const Exprs rates(e.v.begin(), e.v.end() - static_cast<long>(e.auxiliary.size()));
  return depends(rates, e.y);
}

Exprs auxiliary_equations(const Equations& e) {
  Exprs c;
  for (const AuxiliaryEquation& one : e.auxiliary) c.push_back(one.equation);
  return c;
}

void derive_auxiliary(const Model& model, Equations& e, Carrier& carry) {
  if (model.auxiliary.empty()) return;
  const std::size_t own = e.y.size() - model.auxiliary.size();
  for (std::size_t i = 0; i < model.auxiliary.size(); ++i)
    e.auxiliary.push_back(equation_of(model.auxiliary[i], e.y[own + i], carry));
  check_groups(model, e);
  Exprs rates = solved(e, without_own_rates(e, auxiliary_equations(e)), false);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] = -rates[i];
    const AuxiliaryEquation& one = e.auxiliary[i];
    if (one.sine) {
      const Exprs moving = without_own_rates(e, {one.sine, one.cosine});
      rates[i] = (one.cosine * moving[0] - one.sine * moving[1]) / (pow(one.sine, 2) + pow(one.cosine, 2));
    } else if (one.value) {
      rates[i] = without_own_rates(e, {one.value})[0];
    }
    carry.add({model.auxiliary[i].rate}, {rates[i]});
  }
  append(e.v, rates);
}

Exprs total_transposed_product(const Equations& e, const Exprs& functions, const Exprs& weights) {
  Exprs product = transposed_product(functions, e.y, weights);
  if (e.auxiliary.empty()) return product;
  // f_q^T w - c_q^T m with c_s^T m = f_s^T w.
  const std::size_t own = e.y.size() - e.auxiliary.size();
  const Exprs of_s(product.begin() + static_cast<long>(own), product.end());
  const Exprs back = transposed_product(auxiliary_equations(e), own_y(e), solved(e, of_s, true));
  for (std::size_t i = 0; i < own; ++i) product[i] = product[i] - back[i];
  for (std::size_t i = own; i < product.size(); ++i) product[i] = e.graph->constant(0);
  return product;
}

std::size_t closed_count(const Equations& e) {
  return static_cast<std::size_t>(std::count_if(e.auxiliary.begin(), e.auxiliary.end(),
                                                [](const AuxiliaryEquation& one) { return bool(one.value); }));
}

namespace {

/// The angle of (sine, cosine) on the branch nearest to `near`: it has no jump within half a turn of it.
Expr continued(Expr sine, Expr cosine, Expr near) {
  const Expr c = cos(near), s = sin(near);
  return near + atan2(sine * c - cosine * s, cosine * c + sine * s);
}

}  // namespace

Exprs closed_forms(const Equations& e, Expr t, const Exprs& y, const Exprs& near) {
  const std::size_t closed = closed_count(e), first = e.auxiliary.size() - closed, known = e.y.size() - closed;
  const Exprs from = joined<Expr>(e.t, Exprs(e.y.begin(), e.y.begin() + static_cast<long>(known)));
  const Exprs to = joined<Expr>(t, Exprs(y.begin(), y.begin() + static_cast<long>(known)));
  Graph& graph = t.graph();
  Exprs values;
  for (std::size_t i = 0; i < closed; ++i) {
    const AuxiliaryEquation& one = e.auxiliary[first + i];
    if (!one.sine) {
      values.push_back(substitute(one.value, from, to, graph));
      continue;
    }
    const Exprs parts = substitute(Exprs{one.sine, one.cosine}, from, to, graph);
    values.push_back(continued(parts[0], parts[1], near[i]));
  }
  return values;
}

Equations without_closed_forms(const Equations& e, int first_parameter) {
  const std::size_t closed = closed_count(e);
  if (closed == 0) return e;
  Equations result = e;
  Graph& graph = *e.graph;
  const long known = static_cast<long>(e.y.size() - closed);
  const Exprs gone(e.y.begin() + known, e.y.end());
  Exprs near;
  for (std::size_t i = 0; i < closed; ++i)
    near.push_back(graph.parameter(first_parameter + static_cast<int>(i), "near " + graph.name(gone[i].id()), 0));
  const Exprs values = closed_forms(e, e.t, e.y, near);
  const auto put = [&](Exprs& list) { list = list.empty() ? list : substitute(list, gone, values, graph); };
  for (Exprs* list : {&result.v, &result.p, &result.f, &result.N, &result.r, &result.g, &result.g_dot, &result.k,
                      &result.applied, &result.forces, &result.invariants, &result.observed, &result.tables,
                      &result.actions, &result.prescribed, &result.events, &result.inertial, &result.reduced})
    put(*list);
  for (Expr* one : {&result.energy, &result.L, &result.rayleigh, &result.density})
    if (*one) *one = substitute(*one, gone, values, graph);
  for (ContactFunctions& contact : result.contacts) {
    for (Expr* one : {&contact.gap, &contact.restitution})
      if (*one) *one = substitute(*one, gone, values, graph);
    for (auto& friction : contact.friction) {
      for (Expr* one : {&friction.coefficient, &friction.at_rest}) *one = substitute(*one, gone, values, graph);
      put(friction.slip);
    }
  }
  for (AuxiliaryEquation& one : result.auxiliary) one.equation = substitute(one.equation, gone, values, graph);
  result.y.resize(e.y.size() - closed);
  result.y_names.resize(result.y.size());
  result.v.resize(result.y.size());
  result.y_start.resize(result.y.size());
  result.auxiliary.resize(e.auxiliary.size() - closed);
  result.joints.clear();
  return result;
}

}  // namespace alembert::internal
