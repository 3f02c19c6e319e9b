#pragma once

// What the derivatives share: the nodes between functions and variables, and the reverse sweep over them.
// Inside expr/ only.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "alembert/expr/derivative.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {

struct ActiveNode {
  std::uint32_t id;
  Op op;
  std::uint32_t a, b;    // positions of the operands in Active::nodes, none where they do not depend on x
  std::uint32_t column;  // of a variable
};

/// The nodes reached from f that depend on x, operands first. Checks that x are different symbols.
class Active {
 public:
  Active(ExprSpan f, ExprSpan x);
  bool holds(Expr e) const { return position_.has(e.id()); }
  std::uint32_t position(Expr e) const { return position_[e.id()]; }

  Graph* graph = nullptr;  // null when both lists are empty
  std::vector<ActiveNode> nodes;

 private:
  Marks position_;
};

struct Entry {
  std::uint32_t column;
  Expr value;
};

/// Spreads weights from functions down to the variables. Costs what it reaches, also when used again and again.
class ReverseSweep {
 public:
  explicit ReverseSweep(const Active& active);
  void add(std::uint32_t position, Expr weight);
  void run();
  std::vector<Entry> take();  // the weights that arrived, columns ascending, none of them zero

 private:
  void sweep_where(const ActiveNode& node, Expr weight);
  static constexpr std::uint32_t none = Marks::none;
  struct Share {
    Expr weight;
    std::uint32_t next;
  };
  const Active& active_;
  std::vector<std::uint32_t> head_;  // per position: last of its shares, a list, so that they are summed balanced
  std::vector<Share> shares_;
  std::vector<std::uint32_t> touched_;  // a heap: the highest position is next
  std::vector<Entry> entries_;
  std::unordered_map<std::uint32_t, std::uint32_t> column_position_;  // found where a condition asks for it
};

}  // namespace alembert::internal
