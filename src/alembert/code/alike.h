#pragma once

// Formulas that are the same but for the inputs that they take, as those of the rods of a chain: what is derived from
// one of them holds for all.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

/// Some formulas at many places.
struct AlikeFormulas {
  Exprs inputs, outputs;            // symbols, and what is computed of them
  std::vector<std::uint32_t> from;  // place behind place: numbers of the inputs that stand for `inputs` there
  std::vector<std::uint32_t> to;    // and numbers of the outputs

  std::size_t places() const { return to.size() / outputs.size(); }
  /// Each output of each place by itself, with its number. all: the inputs that are numbered.
  std::vector<std::pair<std::uint32_t, Expr>> written_out(std::span<const Expr> all) const;
};

/// Formulas by their kinds: alike formulas have their inputs in the same order.
class FormulaList {
 public:
  /// all: the inputs, in the order in which they are numbered. Nothing where a formula is too large to be compared.
  static std::optional<FormulaList> read(std::span<const Expr> all, std::span<const Expr> formulas);

  int size() const { return static_cast<int>(kind_.size()); }
  int kinds() const { return static_cast<int>(first_.size()); }
  int kind(int i) const { return kind_[i]; }
  /// The inputs of formula i, each once; also some that it does not take any more.
  std::span<const std::uint32_t> inputs(int i) const {
    return {numbers_.data() + start_[i], start_[i + 1] - start_[i]};
  }
  /// The first formula of a kind.
  int first(int kind) const { return first_[kind]; }
  Expr written(int i, std::span<const Expr> all) const;

  /// The kinds, each as its first formula.
  const Exprs& shown() const { return shown_; }
  /// They say something else of the same inputs from now on.
  void say(Exprs shown) { shown_ = std::move(shown); }
  /// Input k becomes stands_for[k].
  FormulaList merged(const std::vector<std::uint32_t>& stands_for, std::span<const Expr> all) const;

  /// Adds a formula; key: that of those that are alike. Whether it is the first of its kind, which say() is still to
  /// tell then.
  bool add(const std::u32string& key, std::span<const std::uint32_t> inputs);
  /// Adds those from `first` on, so many, as the outputs from `to` on.
  void place(int first, int count, std::size_t to, std::span<const Expr> all, std::vector<AlikeFormulas>& places) const;

 private:
  std::vector<int> kind_, first_;
  std::vector<std::size_t> start_{0};
  std::vector<std::uint32_t> numbers_;
  Exprs shown_;
  std::unordered_map<std::u32string, int> known_;
};

/// Which of these inputs the formulas take, by their places in the list.
std::vector<std::size_t> inputs_taken(std::span<const std::uint32_t> inputs, const Exprs& formulas,
                                      std::span<const Expr> all);

}  // namespace alembert::internal
