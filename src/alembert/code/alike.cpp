#include "alembert/code/alike.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/code/block_reader.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

std::vector<std::pair<std::uint32_t, Expr>> AlikeFormulas::written_out(std::span<const Expr> all) const {
  std::vector<std::pair<std::uint32_t, Expr>> list;
  for (std::size_t place = 0; place < places(); ++place) {
    Exprs own;
    for (std::size_t i = 0; i < inputs.size(); ++i) own.push_back(all[from[place * inputs.size() + i]]);
    const Exprs values = own == inputs ? outputs : substitute(outputs, inputs, own, outputs.front().graph());
    for (std::size_t i = 0; i < values.size(); ++i) list.emplace_back(to[place * values.size() + i], values[i]);
  }
  return list;
}

std::vector<std::size_t> inputs_taken(std::span<const std::uint32_t> inputs, const Exprs& formulas,
                                      std::span<const Expr> all) {
  const Exprs taken = free_symbols(formulas);  // their numbers ascend
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::uint32_t id = all[inputs[k]].id();
    const auto before = [](Expr e, std::uint32_t other) { return e.id() < other; };
    const auto found = std::lower_bound(taken.begin(), taken.end(), id, before);
    if (found != taken.end() && found->id() == id) places.push_back(k);
  }
  return places;
}

std::optional<FormulaList> FormulaList::read(std::span<const Expr> all, std::span<const Expr> formulas) {
  FormulaList list;
  if (formulas.empty()) return list;
  BlockReader reader(formulas.front().graph(), all);
  BlockText block;
  for (std::uint32_t i = 0; i < formulas.size(); ++i) {
    if (!reader.read(formulas, std::span(&i, 1), block)) return {};
    if (std::find(block.inputs.begin(), block.inputs.end(), Marks::none) != block.inputs.end()) return {};
    if (list.add(block.text, block.inputs)) list.shown_.push_back(formulas[i]);
  }
  return list;
}

bool FormulaList::add(const std::u32string& key, std::span<const std::uint32_t> inputs) {
  const auto [known, fresh] = known_.try_emplace(key, kinds());
  if (fresh) first_.push_back(size());
  kind_.push_back(known->second);
  numbers_.insert(numbers_.end(), inputs.begin(), inputs.end());
  start_.push_back(numbers_.size());
  return fresh;
}

Expr FormulaList::written(int i, std::span<const Expr> all) const {
  const int kind = kind_[i];
  if (first_[kind] == i) return shown_[kind];
  Exprs from, to;
  for (const std::uint32_t number : inputs(first_[kind])) from.push_back(all[number]);
  for (const std::uint32_t number : inputs(i)) to.push_back(all[number]);
  return substitute(shown_[kind], from, to, shown_[kind].graph());
}

FormulaList FormulaList::merged(const std::vector<std::uint32_t>& stands_for, std::span<const Expr> all) const {
  FormulaList list;
  Exprs shown;
  std::u32string key;
  std::vector<std::uint32_t> own;
  for (int i = 0; i < size(); ++i) {
    key.assign(1, static_cast<char32_t>(kind_[i]));
    own.clear();
    for (const std::uint32_t number : inputs(i)) {
      const auto place = std::find(own.begin(), own.end(), stands_for[number]) - own.begin();
      key.push_back(static_cast<char32_t>(place));
      if (place == static_cast<std::ptrdiff_t>(own.size())) own.push_back(stands_for[number]);
    }
    if (list.add(key, own)) shown.push_back(written(i, all));
  }
  Exprs from, to;
  for (std::uint32_t k = 0; k < stands_for.size(); ++k) {
    if (stands_for[k] == k) continue;
    from.push_back(all[k]);
    to.push_back(all[stands_for[k]]);
  }
  list.say(from.empty() ? shown : substitute(shown, from, to, all.front().graph()));
  return list;
}

void FormulaList::place(int first, int count, std::size_t to, std::span<const Expr> all,
                        std::vector<AlikeFormulas>& places) const {
  struct Open {
    std::vector<std::size_t> taken;
    std::size_t at = 0;
  };
  std::vector<std::optional<Open>> open(kinds());
  for (int i = first; i < first + count; ++i) {
    const int kind = kind_[i];
    if (!open[kind]) {
      const auto shown_of = inputs(first_[kind]);
      open[kind].emplace(Open{inputs_taken(shown_of, {shown_[kind]}, all), places.size()});
      places.push_back({{}, {shown_[kind]}, {}, {}});
      for (const std::size_t k : open[kind]->taken) places.back().inputs.push_back(all[shown_of[k]]);
    }
    AlikeFormulas& formulas = places[open[kind]->at];
    for (const std::size_t k : open[kind]->taken) formulas.from.push_back(inputs(i)[k]);
    formulas.to.push_back(static_cast<std::uint32_t>(to + static_cast<std::size_t>(i - first)));
  }
}

}  // namespace alembert::internal
