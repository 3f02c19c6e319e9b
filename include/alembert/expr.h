#pragma once

// The expression graph: an append-only arena of scalar expressions in which equal nodes are shared at birth.
// Operands always have smaller numbers than the node that uses them, so a loop over numbers visits operands first;
// nothing here recurses, and a graph of 10^6 nodes costs linear time.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alembert/numerics.h"

namespace alembert {

// clang-format off
enum class Op : std::uint8_t {
  constant, parameter, symbol,                                                            // no operands
  add, subtract, multiply, divide, power, atan2, min, max, where, piecewise, hypot,       // two
  negate, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, positive, sign,   // one
};
// clang-format on

/// How many operands a node of this operator has: 0, 1 or 2.
constexpr int operand_count(Op op) { return op <= Op::symbol ? 0 : op <= Op::hypot ? 2 : 1; }

class Graph;

/// A node of a graph. A small value: copy it freely. A default-made Expr is empty (no node).
class Expr {
 public:
  Expr() = default;
  Expr(Graph* graph, std::uint32_t id) : graph_(graph), id_(id) {}
  Graph& graph() const { return *graph_; }
  std::uint32_t id() const { return id_; }
  explicit operator bool() const { return graph_ != nullptr; }
  friend bool operator==(Expr a, Expr b) { return a.graph_ == b.graph_ && a.id_ == b.id_; }

 private:
  Graph* graph_ = nullptr;
  std::uint32_t id_ = 0;
};

using Exprs = std::vector<Expr>;

struct Node {
  Op op;
  std::uint32_t a, b;  // operands (b is 0 where there is one); a of constant, parameter, symbol: its number
};

class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// There is one zero (-0.0 becomes 0) and one nan.
  Expr constant(Quad value);
  /// A constant whose value is given later: what is compiled reads it from a table of numbers, at place `number`.
  /// `usual` is the value where nobody gives one. The same number is the same expression, in every graph.
  Expr parameter(int number, const std::string& name, Quad usual);
  /// A new symbol each time, even when the name is taken: names are for printing.
  Expr symbol(std::string name);
  Exprs symbols(const std::string& name, int count);  // name[1], name[2], ...

  /// Nodes are simplified at birth: constants folded, 0 and 1 removed, x - x, --x, x^1; operands of + and * ordered.
  /// A rewriting never changes a finite value by more than rounding; the sign of a zero is not kept.
  Expr make(Op op, Expr a);
  Expr make(Op op, Expr a, Expr b);

  std::size_t size() const { return nodes_.size(); }
  /// The reference lasts until the next node is made.
  const Node& node(std::uint32_t id) const { return nodes_[id]; }
  Quad value(std::uint32_t id) const;               // of a constant; of a parameter its usual one
  const std::string& name(std::uint32_t id) const;  // of a symbol or a parameter

 private:
  std::uint32_t intern(Node node);
  void grow_table();
  std::size_t hash_of(const Node& node) const;

  std::vector<Node> nodes_;
  std::vector<Quad> values_;
  std::vector<std::string> names_;
  struct Parameter {
    std::string name;
    Quad usual = 0;
  };
  std::vector<Parameter> parameters_;
  std::vector<std::uint32_t> table_;  // open addressing: node + 1, or 0 where free; symbols are not in it
  std::size_t occupied_ = 0;
};

bool is_constant(Expr e);
bool is_constant(Expr e, double value);
bool is_zero(Expr e);
Quad constant_value(Expr e);  // checks that it is one

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, Quad b);
Expr operator+(Quad a, Expr b);
Expr operator-(Expr a, Quad b);
Expr operator-(Quad a, Expr b);
Expr operator*(Expr a, Quad b);
Expr operator*(Quad a, Expr b);
Expr operator/(Expr a, Quad b);
Expr operator/(Quad a, Expr b);
Expr pow(Expr a, Expr b);
Expr pow(Expr a, Quad b);
Expr sqrt(Expr a);
Expr abs(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tan(Expr a);
Expr asin(Expr a);
Expr acos(Expr a);
Expr atan(Expr a);
Expr sinh(Expr a);
Expr cosh(Expr a);
Expr tanh(Expr a);
Expr exp(Expr a);
Expr log(Expr a);
Expr sign(Expr a);
Expr atan2(Expr a, Expr b);
Expr hypot(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr positive(Expr a);                // 1 where a > 0, else 0
Expr where(Expr c, Expr a);           // a where c is not 0, else 0, also where a is no number
Expr choose(Expr c, Expr a, Expr b);  // a where c, which is 0 or 1, is 1, else b

/// As the model language writes it, which reads it back; and for papers.
std::string to_text(Expr e);
std::string to_latex(Expr e);

/// Sum of terms as a balanced tree; the graph is needed for the empty sum, 0.
Expr sum(Graph& graph, std::span<const Expr> terms);
Expr dot(std::span<const Expr> a, std::span<const Expr> b);
/// The largest absolute value, as a balanced tree; 0 where there are none.
Expr largest(Graph& graph, std::span<const Expr> values);  // not empty

}  // namespace alembert
