#include "alembert/expr/gather.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace alembert::internal {

namespace {

// Numbers that agree so far are equal: they are computed with 33 digits.
constexpr double quad_rounding = 1e-30;

Quad size_of(Quad x) { return x < 0 ? -x : x; }
bool agree(Quad a, Quad b) { return size_of(a - b) <= quad_rounding * (size_of(a) + size_of(b)); }

bool is_sum(Op op) { return op == Op::add || op == Op::subtract; }

/// What is left of a product without numbers: its factors.
ProductTerm factors_of(Expr product, Quad coefficient) {
  Graph& graph = product.graph();
  ProductTerm term{coefficient, {}};
  std::vector<std::uint32_t> open{product.id()};
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    open.pop_back();
    const Node node = graph.node(id);
    if (node.op == Op::constant) {
      term.coefficient = term.coefficient * graph.value(id);
    } else if (node.op == Op::multiply) {
      open.push_back(node.a);
      open.push_back(node.b);
    } else if (node.op == Op::negate) {
      term.coefficient = -term.coefficient;
      open.push_back(node.a);
    } else if (node.op == Op::divide && graph.node(node.b).op == Op::constant) {
      term.coefficient = term.coefficient / graph.value(node.b);
      open.push_back(node.a);
    } else {
      term.factors.push_back(id);
    }
  }
  std::sort(term.factors.begin(), term.factors.end());
  return term;
}

Expr product_of(Graph& graph, const std::vector<std::uint32_t>& factors) {
  Expr result;
  for (const std::uint32_t id : factors) result = result ? result * Expr(&graph, id) : Expr(&graph, id);
  return result ? result : graph.constant(1);
}

/// Takes what all terms have out of them.
std::vector<std::uint32_t> take_common(std::vector<ProductTerm>& terms) {
  std::vector<std::uint32_t> common = terms.front().factors;
  for (const ProductTerm& term : terms) {
    std::vector<std::uint32_t> both;
    std::set_intersection(common.begin(), common.end(), term.factors.begin(), term.factors.end(),
                          std::back_inserter(both));
    common = std::move(both);
  }
  for (ProductTerm& term : terms) {
    std::vector<std::uint32_t> rest;
    std::set_difference(term.factors.begin(), term.factors.end(), common.begin(), common.end(),
                        std::back_inserter(rest));
    term.factors = std::move(rest);
  }
  return common;
}

}  // namespace

std::vector<ProductTerm> terms_of_sum(Expr sum) {
  Graph& graph = sum.graph();
  struct Sum {
    Quad value = 0, size = 0;
  };
  std::map<std::vector<std::uint32_t>, Sum> terms;
  std::vector<std::pair<Expr, Quad>> open{{sum, 1}};
  while (!open.empty()) {
    const auto [part, coefficient] = open.back();
    open.pop_back();
    const Node node = graph.node(part.id());
    if (is_sum(node.op)) {
      open.emplace_back(Expr(&graph, node.a), coefficient);
      open.emplace_back(Expr(&graph, node.b), node.op == Op::add ? coefficient : -coefficient);
      continue;
    }
    ProductTerm term = factors_of(part, coefficient);
    if (term.factors.size() == 1 && is_sum(graph.node(term.factors[0]).op)) {  // a number times a sum
      open.emplace_back(Expr(&graph, term.factors[0]), term.coefficient);
      continue;
    }
    Sum& known = terms[term.factors];
    known.value = known.value + term.coefficient;
    known.size = known.size + size_of(term.coefficient);
  }
  std::vector<ProductTerm> result;
  for (const auto& [factors, value] : terms)
    if (size_of(value.value) > quad_rounding * value.size) result.push_back({value.value, factors});
  return result;
}

Expr gathered(Expr sum) {
  Graph& graph = sum.graph();
  std::vector<ProductTerm> terms = terms_of_sum(sum);
  if (terms.empty()) return graph.constant(0);
  const std::vector<std::uint32_t> common = take_common(terms);
  Expr outside = common.empty() ? Expr() : product_of(graph, common);
  struct Group {
    Quad coefficient;
    Expr sum;
  };
  std::vector<Group> groups;
  for (const ProductTerm& term : terms) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return agree(size_of(g.coefficient), size_of(term.coefficient));
    });
    const Expr product = product_of(graph, term.factors);
    if (group == groups.end()) groups.push_back({term.coefficient, product});
    else if ((group->coefficient < 0) == (term.coefficient < 0)) group->sum = group->sum + product;
    else group->sum = group->sum - product;
  }
  if (groups.size() == 1) {
    const Expr number = graph.constant(groups[0].coefficient);
    return (outside ? number * outside : number) * groups[0].sum;
  }
  Expr total;
  for (const Group& group : groups) {
    const Expr part = group.coefficient * group.sum;
    total = total ? total + part : part;
  }
  return outside ? outside * total : total;
}

}  // namespace alembert::internal
