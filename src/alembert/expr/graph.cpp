#include "alembert/expr.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "alembert/error.h"
#include "alembert/expr/places.h"
#include "alembert/expr/simplify.h"

namespace alembert {
namespace {

// A line of the table is a cache line.
using TablePlaces = internal::Places<16>;

// Quadruple precision is computed by a library; what its bits tell need not be.
using Bits = unsigned __int128;
bool same_bits(Quad a, Quad b) { return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b); }

// Addition and multiplication do not care for the order of their operands: one order is stored, so that a + b and b + a
// share. Constants go where one writes them, in front of a product and behind a sum.
bool in_order(Op op, Expr a, Expr b) {
  const bool constant_a = is_constant(a), constant_b = is_constant(b);
  if (constant_a != constant_b) return op == Op::multiply ? constant_a : constant_b;
  return a.id() <= b.id();
}

// Millions of operations are made: a promise that is kept costs no call.
inline void promise(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    check(false, what);
}

Graph& common_graph(Expr a, Expr b) {
  promise(a && b, "an operand is an empty expression");
  if (&a.graph() != &b.graph()) [[unlikely]]
    throw InputError("an expression joins parts of two models", "build it of the symbols of one model alone");
  return a.graph();
}

Graph& graph_of(Expr a) {
  promise(bool(a), "an operand is an empty expression");
  return a.graph();
}

inline TablePlaces places_of(const Node& node, std::uint64_t hash, std::size_t table_size) {
  if (node.op == Op::constant) return {{hash, hash}, table_size};
  return {internal::neighbouring_hash(static_cast<std::uint8_t>(node.op), node.a, node.b), table_size};
}

Expr unary(Op op, Expr a) { return graph_of(a).make(op, a); }
Expr binary(Op op, Expr a, Expr b) { return common_graph(a, b).make(op, a, b); }

}  // namespace

Graph::Graph() : table_(64, 0) {}

std::size_t Graph::hash_of(const Node& node) const {
  if (node.op != Op::constant) return 0;  // by its operands, see places_of
  std::uint64_t bits[2];
  std::memcpy(bits, &values_[node.a], sizeof bits);
  return internal::mix(bits[0] ^ internal::mix(bits[1] + 1));
}

void Graph::grow_table() {
  std::vector<std::uint32_t> old(table_.size() * 2, 0);
  old.swap(table_);
  for (const std::uint32_t entry : old) {
    if (entry == 0) continue;
    const Node& node = nodes_[entry - 1];
    TablePlaces place = places_of(node, node.op == Op::constant ? hash_of(node) : 0, table_.size());
    while (table_[*place] != 0) ++place;
    table_[*place] = entry;
  }
}

std::uint32_t Graph::intern(Node node) {
  if (2 * (occupied_ + 1) > table_.size()) grow_table();
  TablePlaces place = places_of(node, node.op == Op::constant ? hash_of(node) : 0, table_.size());
  for (; table_[*place] != 0; ++place) {
    const Node& known = nodes_[table_[*place] - 1];
    if (known.op != node.op) continue;
    const bool same =
        node.op == Op::constant ? same_bits(values_[known.a], values_[node.a]) : known.a == node.a && known.b == node.b;
    if (same) return table_[*place] - 1;
  }
  promise(nodes_.size() < std::numeric_limits<std::uint32_t>::max() - 1, "the expression graph is full");
  nodes_.push_back(node);
  table_[*place] = std::uint32_t(nodes_.size());
  ++occupied_;
  return std::uint32_t(nodes_.size() - 1);
}

Expr Graph::constant(Quad value) {
  constexpr Bits infinity = Bits(0x7fff) << 112;           // IEEE 754, binary128
  const Bits magnitude = std::bit_cast<Bits>(value) << 1;  // without the sign
  if (magnitude == 0) value = 0;
  if (magnitude > infinity << 1) value = std::numeric_limits<double>::quiet_NaN();
  // A few numbers are asked for again and again, and the table is large: where they were found last, in whatever graph.
  constexpr std::size_t remembered = 256;
  thread_local std::array<std::uint32_t, remembered> latest{};
  const auto [low, high] = std::bit_cast<std::array<std::uint64_t, 2>>(value);
  std::uint32_t& last = latest[internal::mix(low ^ high) % remembered];
  if (last < nodes_.size() && nodes_[last].op == Op::constant && same_bits(values_[nodes_[last].a], value))
    return {this, last};
  values_.push_back(value);
  const std::uint32_t number = std::uint32_t(values_.size() - 1);
  last = intern({Op::constant, number, 0});
  if (nodes_[last].a != number) values_.pop_back();
  return {this, last};
}

Expr Graph::parameter(int number, const std::string& name, Quad usual) {
  promise(number >= 0, "parameters are numbered from 0");
  if (parameters_.size() <= static_cast<std::size_t>(number)) parameters_.resize(number + 1);
  parameters_[number] = {name, usual};
  return {this, intern({Op::parameter, std::uint32_t(number), 0})};
}

Quad Graph::value(std::uint32_t id) const {
  const Node& node = nodes_[id];
  return node.op == Op::parameter ? parameters_[node.a].usual : values_[node.a];
}

const std::string& Graph::name(std::uint32_t id) const {
  const Node& node = nodes_[id];
  return node.op == Op::parameter ? parameters_[node.a].name : names_[node.a];
}

Expr Graph::symbol(std::string name) {
  names_.push_back(std::move(name));
  nodes_.push_back({Op::symbol, std::uint32_t(names_.size() - 1), 0});
  return {this, std::uint32_t(nodes_.size() - 1)};
}

Exprs Graph::symbols(const std::string& name, int count) {
  Exprs result;
  for (int i = 1; i <= count; ++i) result.push_back(symbol(name + "[" + std::to_string(i) + "]"));
  return result;
}

Expr Graph::make(Op op, Expr a) {
  promise(operand_count(op) == 1, "an operator of another number of operands");
  promise(&graph_of(a) == this, "an operand of another graph");
  if (const Expr simpler = internal::simplify(op, a, a)) return simpler;
  return {this, intern({op, a.id(), 0})};
}

Expr Graph::make(Op op, Expr a, Expr b) {
  promise(operand_count(op) == 2, "an operator of another number of operands");
  promise(&common_graph(a, b) == this, "an operand of another graph");
  if ((op == Op::add || op == Op::multiply) && !in_order(op, a, b)) std::swap(a, b);
  if (const Expr simpler = internal::simplify(op, a, b)) return simpler;
  return {this, intern({op, a.id(), b.id()})};
}

bool is_constant(Expr e) { return e && e.graph().node(e.id()).op == Op::constant; }
bool is_constant(Expr e, double value) { return is_constant(e) && e.graph().value(e.id()) == Quad(value); }
bool is_zero(Expr e) { return is_constant(e) && std::bit_cast<Bits>(e.graph().value(e.id())) == 0; }

Quad constant_value(Expr e) {
  promise(is_constant(e), "the expression is not a constant");
  return e.graph().value(e.id());
}

Expr operator+(Expr a, Expr b) { return binary(Op::add, a, b); }
Expr operator-(Expr a, Expr b) { return binary(Op::subtract, a, b); }
Expr operator*(Expr a, Expr b) { return binary(Op::multiply, a, b); }
Expr operator/(Expr a, Expr b) { return binary(Op::divide, a, b); }
Expr operator-(Expr a) { return unary(Op::negate, a); }
Expr operator+(Expr a, Quad b) { return a + graph_of(a).constant(b); }
Expr operator+(Quad a, Expr b) { return graph_of(b).constant(a) + b; }
Expr operator-(Expr a, Quad b) { return a - graph_of(a).constant(b); }
Expr operator-(Quad a, Expr b) { return graph_of(b).constant(a) - b; }
Expr operator*(Expr a, Quad b) { return a * graph_of(a).constant(b); }
Expr operator*(Quad a, Expr b) { return graph_of(b).constant(a) * b; }
Expr operator/(Expr a, Quad b) { return a / graph_of(a).constant(b); }
Expr operator/(Quad a, Expr b) { return graph_of(b).constant(a) / b; }
Expr pow(Expr a, Expr b) { return binary(Op::power, a, b); }
Expr pow(Expr a, Quad b) { return pow(a, graph_of(a).constant(b)); }
Expr sqrt(Expr a) { return unary(Op::sqrt, a); }
Expr abs(Expr a) { return unary(Op::abs, a); }
Expr sin(Expr a) { return unary(Op::sin, a); }
Expr cos(Expr a) { return unary(Op::cos, a); }
Expr tan(Expr a) { return unary(Op::tan, a); }
Expr asin(Expr a) { return unary(Op::asin, a); }
Expr acos(Expr a) { return unary(Op::acos, a); }
Expr atan(Expr a) { return unary(Op::atan, a); }
Expr sinh(Expr a) { return unary(Op::sinh, a); }
Expr cosh(Expr a) { return unary(Op::cosh, a); }
Expr tanh(Expr a) { return unary(Op::tanh, a); }
Expr sign(Expr a) { return unary(Op::sign, a); }
Expr atan2(Expr a, Expr b) { return binary(Op::atan2, a, b); }
Expr hypot(Expr a, Expr b) { return binary(Op::hypot, a, b); }
Expr min(Expr a, Expr b) { return binary(Op::min, a, b); }
Expr max(Expr a, Expr b) { return binary(Op::max, a, b); }
Expr positive(Expr a) { return unary(Op::positive, a); }
Expr where(Expr c, Expr a) { return binary(Op::where, c, a); }
Expr choose(Expr c, Expr a, Expr b) { return where(c, a) + where(1 - c, b); }
Expr exp(Expr a) { return unary(Op::exp, a); }
Expr log(Expr a) { return unary(Op::log, a); }

Expr sum(Graph& graph, std::span<const Expr> terms) {
  if (terms.empty()) return graph.constant(0);
  promise(&graph_of(terms[0]) == &graph, "a term of another graph");
  if (terms.size() == 1) return terms[0];
  if (terms.size() == 2) return terms[0] + terms[1];
  Exprs level(terms.begin(), terms.end());
  while (level.size() > 1) {
    const std::size_t pairs = level.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) level[i] = level[2 * i] + level[2 * i + 1];
    if (level.size() % 2 == 1) level[pairs] = level.back();
    level.resize((level.size() + 1) / 2);
  }
  return level[0];
}

Expr dot(std::span<const Expr> a, std::span<const Expr> b) {
  check(a.size() == b.size() && !a.empty(), "dot needs two lists of the same length, not empty");
  Exprs terms;
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(a[i] * b[i]);
  return sum(graph_of(a[0]), terms);
}

Expr largest(Graph& graph, std::span<const Expr> values) {
  Exprs level;
  for (const Expr e : values) level.push_back(abs(e));
  while (level.size() > 1) {
    Exprs next;
    for (std::size_t k = 0; k + 1 < level.size(); k += 2) next.push_back(graph.make(Op::max, level[k], level[k + 1]));
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
  return level.empty() ? graph.constant(0) : level[0];
}

}  // namespace alembert
