#include "alembert/newton/semismooth.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/base/nth.h"
#include "alembert/expr/derivative.h"
#include "alembert/newton/inclusions.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// Above so many operations compiling takes longer than what it saves in a run.
constexpr std::size_t most_compiled_operations = 20000;
// How often contacts are added that would be passed through.
constexpr int most_rounds = 60;

Kernel<double> kernel_of(const Exprs& arguments, const Exprs& values, const KernelOptions& options) {
  Tape tape = make_tape(arguments, values);
  const bool large = tape.code.size() > most_compiled_operations;
  return Kernel<double>(std::move(tape), large ? interpreted : options);
}

}  // namespace

// long: each block is compiled from one list of places that all its kernels share
Semismooth::Semismooth(const ImplicitEquations& e, const NewtonOptions& options)
    : inputs_(static_cast<int>(e.inputs.size())), unknowns_(static_cast<int>(e.unknowns.size())) {
  const Inclusions& laws = *e.inclusions;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns, laws.weights);
  x_.assign(all.size(), 1);
  for (std::size_t k = 0; k < laws.block_start.size(); ++k) {
    auto block = std::make_unique<Block>();
    Block& b = *block;
    b.first = laws.block_start[k];
    b.count = (k + 1 < laws.block_start.size() ? laws.block_start[k + 1] : unknowns_) - b.first;
    b.offset = nth(inputs_ + b.first);
    b.weights = nth(inputs_ + unknowns_);
    const auto part = [&](const Exprs& list) {
      return Exprs(list.begin() + b.first, list.begin() + b.first + b.count);
    };
    const Exprs unknowns = part(e.unknowns), equations = part(e.equations);
    b.of_contact.assign(static_cast<std::size_t>(b.count), false);
    b.multiplier.assign(static_cast<std::size_t>(b.count), false);
    for (const UnknownGroup& group : e.groups)
      for (int i = std::max(group.first, b.first); !group.scale && i < group.first + group.count; ++i)
        if (i < b.first + b.count) b.multiplier[static_cast<std::size_t>(i - b.first)] = true;
    Exprs closed, pairs, rates;
    for (const Inclusions::Contact& contact : laws.contacts) {
      if (contact.block != static_cast<int>(k)) continue;
      ContactPlace c;
      c.normal = contact.normal - b.first;
      c.weight = contact.weight;
      c.pair = static_cast<int>(pairs.size());
      c.slope = static_cast<int>(rates.size());
      c.grows = contact.grows;
      closed.push_back(contact.closed);
      append(pairs, Exprs{contact.force, contact.rate, contact.passed ? contact.passed : contact.rate});
      rates.push_back(contact.rate);
      b.of_contact[static_cast<std::size_t>(c.normal)] = true;
      for (const Inclusions::Tangent& tangent : contact.tangents) {
        TangentPlace t{tangent.first - b.first, static_cast<int>(tangent.slip.size()), tangent.weight,
                       static_cast<int>(pairs.size()), static_cast<int>(rates.size())};
        append(pairs, tangent.force);
        append(pairs, tangent.slip);
        pairs.push_back(tangent.coefficient);
        append(rates, tangent.slip);
        for (int j = 0; j < t.size; ++j) b.of_contact[nth(t.first + j)] = true;
        c.tangents.push_back(t);
      }
      b.contacts.push_back(std::move(c));
    }
    const SparseExprs J = jacobian(equations, unknowns);
    b.slope_pattern = jacobian(rates, unknowns);
    b.places = semismooth::with_diagonal(J);
    Exprs smooth, smooth_entries;
    for (int i = 0; i < b.count; ++i) {
      if (b.of_contact[static_cast<std::size_t>(i)]) continue;
      b.smooth_rows.push_back(i);
      smooth.push_back(equations[static_cast<std::size_t>(i)]);
      for (int m = b.places.row_start[i]; m < b.places.row_start[i + 1]; ++m) {
        if (b.places.source[static_cast<std::size_t>(m)] < 0) continue;
        b.smooth_place.push_back(m);
        smooth_entries.push_back(J.value[static_cast<std::size_t>(b.places.source[static_cast<std::size_t>(m)])]);
      }
    }
    b.linear_in_unknowns = !depends(smooth_entries, unknowns) && !depends(b.slope_pattern.value, unknowns);
    b.values = kernel_of(all, smooth, options.kernel);
    b.matrix = kernel_of(all, smooth_entries, options.kernel);
    Exprs scales(nth(2 * b.count), all[0].graph().constant(0));
    b.group.resize(static_cast<std::size_t>(b.count));
    for (int i = 0; i < b.count; ++i) b.group[static_cast<std::size_t>(i)] = i;
    for (const UnknownGroup& group : e.groups)
      for (int i = std::max(group.first, b.first); group.scale && i < group.first + group.count; ++i) {
        if (i >= b.first + b.count) break;
        scales[nth(i - b.first)] = group.own ? group.own : group.scale;
        scales[nth(b.count + i - b.first)] = group.scale;
        b.group[static_cast<std::size_t>(i - b.first)] = std::max(group.first, b.first) - b.first;
      }
    b.scales = kernel_of(all, scales, options.kernel);
    b.scale.resize(scales.size());
    b.closed = kernel_of(all, closed, options.kernel);
    b.pairs = kernel_of(all, pairs, options.kernel);
    b.slopes = kernel_of(all, b.slope_pattern.value, options.kernel);
    b.slope_pattern.value.clear();
    b.F.resize(equations.size());
    b.F0.resize(smooth.size());
    b.J0.resize(smooth_entries.size());
    b.J.resize(b.places.column.size());
    b.pair.resize(pairs.size());
    b.slope.resize(static_cast<std::size_t>(b.slopes.outputs()));
    b.closed_values.resize(closed.size());
    b.number.resize(static_cast<std::size_t>(b.count));
    b.work.resize(std::max(
        {b.values.work(), b.matrix.work(), b.closed.work(), b.scales.work(), b.pairs.work(), b.slopes.work()}));
    statistics_.factorization_sizes.push_back(b.count);
    blocks_.push_back(std::move(block));
  }
}

Semismooth::Semismooth(const Semismooth& other) : inputs_(other.inputs_), unknowns_(other.unknowns_), x_(other.x_) {
  for (const auto& block : other.blocks_) {
    blocks_.push_back(std::make_unique<Block>(*block));
    blocks_.back()->lu.reset();  // one object serves one thread
  }
  statistics_.factorization_sizes = other.statistics_.factorization_sizes;
}

Semismooth::~Semismooth() = default;

void Semismooth::bind(const double* parameters) noexcept {
  for (auto& b : blocks_)
    for (Kernel<double>* kernel : {&b->values, &b->matrix, &b->closed, &b->scales, &b->pairs, &b->slopes})
      kernel->bind(parameters);
}

NewtonResult Semismooth::solve(double* x) noexcept {
  NewtonResult result;
  try {
    std::copy_n(x, inputs_ + unknowns_, x_.begin());
    for (auto& block : blocks_) {
      const NewtonResult one = solve_block(*block);
      result.iterations += one.iterations;
      result.correction = std::max(result.correction, one.correction);
      result.outcome = one.outcome;
      if (one.outcome != Outcome::converged) return result;
    }
    std::copy_n(x_.begin() + inputs_, unknowns_, x + inputs_);
  } catch (const std::exception&) { result.outcome = Outcome::diverged; }
  return result;
}

NewtonResult Semismooth::solve_block(Block& b) {
  NewtonResult result;
  double* const x = x_.data();
  b.x_weights = x + b.weights;
  b.choose(x);
  for (int round = 0; round < most_rounds; ++round) {
    result.outcome = Outcome::converged;
    b.weigh(x);
    const std::vector<double> start(b.unknowns(x), b.unknowns(x) + b.count);
    bool there = b.newton(x, result, statistics_);
    if (!there) std::copy(start.begin(), start.end(), b.unknowns(x));
    if (!there) there = b.take_turns(x, result, statistics_);
    if (!there) return result;
    if (!b.add_passed(x)) return result;
  }
  result.outcome = Outcome::diverged;
  return result;
}

}  // namespace alembert::internal
