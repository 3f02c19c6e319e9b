#include "alembert/code/wide.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "alembert/base/lists.h"
#include "alembert/code/block_reader.h"
#include "alembert/code/order.h"
#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {

namespace {

constexpr std::uint32_t no_place = 0xffffffffu;  // there are fewer
// A formula pays off from this many places on.
constexpr std::size_t least_places = 8;
// More runs of one formula than these would be more code than is saved.
constexpr std::size_t most_walks = 4;
// Places of a run that are gone through at a time, and the least worth the way to it, on average.
constexpr std::int64_t piece_places = 256, piece_least = 32;

using Numbers = std::vector<std::int64_t>;

/// The numbers of one place.
std::span<const std::uint32_t> at_place(const std::vector<std::uint32_t>& all, std::size_t count, std::size_t place) {
  return {all.data() + place * count, count};
}

Numbers differences(const Numbers& a, std::span<const std::uint32_t> b) {
  Numbers result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = b[i] - a[i];
  return result;
}

/// Inputs that move by the same from place to place become neighbours, and those that are the same at all places, as
/// the time and the step are, the last ones. Their order.
std::vector<std::size_t> sort_by_steps(std::vector<std::uint32_t>& all, std::size_t count, std::size_t places) {
  std::vector<std::size_t> order, fixed;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t place = 1;
    while (place < places && all[place * count + i] == all[i]) ++place;
    (place < places ? order : fixed).push_back(i);
  }
  const auto step = [&](std::size_t i) { return std::int64_t(all[count + i]) - std::int64_t(all[i]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return step(i) < step(j); });
  order.insert(order.end(), fixed.begin(), fixed.end());
  std::vector<std::uint32_t> before(count);
  for (std::size_t place = 0; place < places; ++place) {
    const auto numbers = all.begin() + static_cast<std::ptrdiff_t>(place * count);
    std::copy_n(numbers, count, before.begin());
    for (std::size_t i = 0; i < count; ++i) numbers[static_cast<std::ptrdiff_t>(i)] = before[order[i]];
  }
  return order;
}

/// Neighbours with the same step; of inputs without zeros at the end.
struct StepGroups {
  static constexpr int most = 8;  // more groups cost as much as one by one
  std::size_t moving;
  std::size_t ends[most] = {};  // where the groups end
  int count = 0;                // of groups; more than most: they are not known
  StepGroups(const Numbers& step, bool all) : moving(step.size()) {
    while (!all && moving > 0 && step[moving - 1] == 0) --moving;
    for (std::size_t i = 0; i < moving && count <= most; ++i) {
      if (i + 1 < moving && step[i + 1] == step[i]) continue;
      if (count < most) ends[count] = i + 1;
      ++count;
    }
  }

  /// visit(i, number of i at this place) for all that move.
  template <class Visit>
  void at(const Numbers& number, const Numbers& step, std::int64_t place, Visit visit) const {
    const std::int64_t* const first = number.data();
    if (count > most) {
      for (std::size_t i = 0; i < moving; ++i) visit(i, first[i] + place * step[i]);
      return;
    }
    for (std::size_t group = 0, i = 0; i < moving; ++group) {
      const std::int64_t moved = place * step[i];
      for (const std::size_t end = ends[group]; i < end; ++i) visit(i, first[i] + moved);
    }
  }
};

/// Whether so many steps lead from the start to these numbers.
bool reach(const Numbers& start, const Numbers& step, std::int64_t steps, std::span<const std::uint32_t> numbers) {
  for (std::size_t i = 0; i < start.size(); ++i)
    if (start[i] + steps * step[i] != numbers[i]) return false;
  return true;
}

/// Long sums (an energy) are of no use as formulas, what they consist of is: nodes of at most a few dozen operations
/// under larger ones. None where these are few, or share so much that computing them apart costs more.
Exprs parts_of(const Exprs& outputs) {
  constexpr std::uint32_t largest_part = 40;  // the few dozen; not measured more finely
  Exprs parts;
  if (outputs.empty()) return parts;
  Graph& graph = outputs.front().graph();
  const std::vector<std::uint32_t> nodes = reachable(outputs);
  if (nodes.size() < many_outputs) return parts;
  Marks size;  // operations, as if nothing were shared
  for (const std::uint32_t id : nodes) {
    const Node& node = graph.node(id);
    const int operands = operand_count(node.op);
    const std::uint32_t own = operands == 0 ? 0 : 1 + size[node.a] + (operands == 2 ? size[node.b] : 0);
    size.set(id, std::min(own, largest_part + 1));
  }
  Marks taken;
  std::size_t apart = 0;
  const auto take = [&](std::uint32_t id) {
    const Op op = graph.node(id).op;
    if (op == Op::constant || op == Op::parameter || size[id] > largest_part || !taken.insert(id)) return;
    parts.push_back(Expr(&graph, id));
    apart += size[id];
  };
  for (const Expr e : outputs) take(e.id());
  for (const std::uint32_t id : nodes) {
    if (size[id] <= largest_part) continue;
    const Node& node = graph.node(id);
    take(node.a);
    if (operand_count(node.op) == 2) take(node.b);
  }
  if (parts.size() < many_outputs || apart > 2 * nodes.size()) parts.clear();
  return parts;
}

}  // namespace

template <class T>
WideKernel<T>::WideKernel(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options)
    : body_(make(inputs, outputs, options, true)) {}

template <class T>
std::shared_ptr<const typename WideKernel<T>::Body> WideKernel<T>::make(std::span<const Expr> inputs,
                                                                        std::span<const Expr> outputs,
                                                                        KernelOptions options, bool divide) {
  auto body = std::make_shared<Body>();
  body->outputs = static_cast<int>(outputs.size());
  std::vector<std::uint32_t>& alone = body->rest_to;
  if (outputs.size() < many_outputs) {
    alone.resize(outputs.size());
    std::iota(alone.begin(), alone.end(), 0u);
  } else {
    find_formulas(inputs, outputs, options, *body, alone);
  }
  Exprs out;
  for (const std::uint32_t output : alone) out.push_back(outputs[output]);
  const Exprs parts = divide ? parts_of(out) : Exprs{};
  if (parts.empty()) {
    body->rest = Kernel<T>(inputs, out, options);
    body->work = std::max(body->work, alone.size() + body->rest.work());
  } else {
    body->parts = make(inputs, parts, options, false);
    body->rest = Kernel<T>(make_tape_from(parts, out), options);
    body->work = std::max(body->work, parts.size() + std::max(body->parts->work, alone.size() + body->rest.work()));
  }
  return body;
}

/// Every `apart`-th place from `first` on, as runs in their order.
template <class T>
void WideKernel<T>::add_runs(const Places& all, std::size_t first, std::size_t apart, std::vector<Run>& runs) {
  bool begins = true;
  for (std::size_t place = first; place < all.count; place += apart, begins = false) {
    const auto from = at_place(all.from, all.from.size() / all.count, place),
               to = at_place(all.to, all.to.size() / all.count, place);
    Run* const run = begins ? nullptr : &runs.back();
    const std::int64_t place_in_run = run ? run->places : 0;
    if (run && run->places == 1) {
      run->from_step = differences(run->from, from);
      run->to_step = differences(run->to, to);
      ++run->places;
    } else if (run && reach(run->from, run->from_step, place_in_run, from) &&
               reach(run->to, run->to_step, place_in_run, to)) {
      ++run->places;
    } else {
      runs.push_back({1, Numbers(from.begin(), from.end()), Numbers(to.begin(), to.end()), Numbers(from.size(), 0),
                      Numbers(to.size(), 0)});
    }
  }
}

/// The places as runs. Coordinates of a point may have the same formula: their places alternate, and every second or
/// third is a run.
template <class T>
std::vector<typename WideKernel<T>::Run> WideKernel<T>::find_runs(const Places& all) {
  constexpr std::size_t most_apart = 3;  // coordinates of a point
  std::vector<Run> best;
  for (std::size_t apart = 1; apart <= most_apart && (best.empty() || best.size() > most_walks); ++apart) {
    std::vector<Run> runs;
    for (std::size_t first = 0; first < std::min(apart, all.count); ++first) add_runs(all, first, apart, runs);
    if (best.empty() || runs.size() < best.size()) best = std::move(runs);
  }
  return best;
}

/// Few runs of a short formula: machine code that goes through the places of each by itself.
template <class T>
void WideKernel<T>::add_formula(Tape tape, std::vector<Run> runs, KernelOptions options, Body& body) {
  const auto add = [&](Tape own, std::vector<Run> of_it) {
    KernelOptions often = options;
    double places = 0;
    for (const Run& run : of_it) places += static_cast<double>(run.places);
    often.calls = options.calls * places;
    const std::size_t arguments = own.inputs + own.outputs.size();
    Formula formula{Kernel<T>(std::move(own), often), std::move(of_it)};
    body.work = std::max(body.work, arguments + formula.kernel.tape().registers());
    body.formulas.push_back(std::move(formula));
  };
  const bool compiled = std::is_same_v<T, double> && options.backend != Backend::interpreter;
  if (!compiled || runs.size() > most_walks || tape.code.size() > longest_walk) {
    add(std::move(tape), std::move(runs));
    return;
  }
  for (Run& run : runs) {
    Tape own = tape;
    own.walk = {run.from, run.from_step, run.to, run.to_step};
    add(std::move(own), {std::move(run)});
  }
}

template <class T>
void WideKernel<T>::find_formulas(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options,
                                  Body& body, std::vector<std::uint32_t>& alone) {
  const OutputOrder order = order_outputs(inputs, outputs);
  BlockReader reader(outputs.front().graph(), inputs);
  struct Found {
    std::vector<std::uint32_t> from, to, first;
    std::size_t places = 0;
  };
  std::unordered_map<std::u32string, std::size_t> known;
  std::vector<Found> found;
  BlockText block;
  for (std::size_t begin = 0, end = 0; begin < outputs.size(); begin = end) {
    while (end < outputs.size() && order.first[end] == order.first[begin]) ++end;
    const std::span<const std::uint32_t> which(order.outputs.data() + begin, end - begin);
    if (order.first[begin] == no_place || !reader.read(outputs, which, block)) {
      alone.insert(alone.end(), which.begin(), which.end());
      continue;
    }
    const auto [place, fresh] = known.try_emplace(block.text, found.size());
    if (fresh) found.emplace_back();
    Found& formula = found[place->second];
    if (fresh) formula.first.assign(which.begin(), which.end());
    formula.from.insert(formula.from.end(), block.inputs.begin(), block.inputs.end());
    formula.to.insert(formula.to.end(), which.begin(), which.end());
    ++formula.places;
  }
  for (Found& one : found) {
    if (one.places < least_places) {
      alone.insert(alone.end(), one.to.begin(), one.to.end());
      continue;
    }
    Exprs in, out;
    for (std::size_t i = 0; i < one.from.size() / one.places; ++i) in.push_back(inputs[one.from[i]]);
    for (const std::uint32_t output : one.first) out.push_back(outputs[output]);
    add_places({in, out, std::move(one.from), std::move(one.to)}, options, body);
  }
  std::sort(alone.begin(), alone.end());
  divide(body);
}

/// One formula for all its places.
template <class T>
void WideKernel<T>::add_places(AlikeFormulas one, KernelOptions options, Body& body) {
  const std::vector<std::size_t> order = sort_by_steps(one.from, one.inputs.size(), one.places());
  Exprs in;
  for (const std::size_t i : order) in.push_back(one.inputs[i]);
  add_formula(make_tape(in, one.outputs), find_runs({one.from, one.to, one.places()}), options, body);
}

template <class T>
WideKernel<T>::WideKernel(std::span<const Expr> inputs, std::vector<AlikeFormulas> alike, KernelOptions options) {
  auto body = std::make_shared<Body>();
  for (const AlikeFormulas& one : alike) body->outputs += static_cast<int>(one.to.size());
  const std::size_t least = static_cast<std::size_t>(body->outputs) < many_outputs ? SIZE_MAX : least_places;
  std::vector<std::pair<std::uint32_t, Expr>> alone;
  for (AlikeFormulas& one : alike) {
    if (one.places() < least || one.inputs.empty()) append(alone, one.written_out(inputs));
    else add_places(std::move(one), options, *body);
  }
  std::sort(alone.begin(), alone.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Exprs out;
  for (const auto& [place, value] : alone) {
    body->rest_to.push_back(place);
    out.push_back(value);
  }
  body->rest = Kernel<T>(inputs, out, options);
  body->work = std::max(body->work, out.size() + body->rest.work());
  divide(*body);
  body_ = std::move(body);
}

/// The places of all runs into pieces.
template <class T>
void WideKernel<T>::divide(Body& body) {
  std::int64_t runs = 0, places = 0, longest = 0;
  for (const Formula& formula : body.formulas)
    for (const Run& run : formula.runs) ++runs, places += run.places, longest = std::max(longest, run.places);
  if (runs > 0) body.pieces = std::clamp<std::int64_t>(longest / piece_places, 1, places / (piece_least * runs) + 1);
}

template <class T>
void WideKernel<T>::call_formulas(const Body& body, const T* in, T* out, T* work, const T* parameters) noexcept {
  // Formulas at neighbouring places take neighbouring inputs: all go forward together, piece by piece.
  for (std::int64_t piece = 0; piece < body.pieces; ++piece)
    for (const Formula& formula : body.formulas)
      for (const Run& run : formula.runs) {
        const std::int64_t first = piece * run.places / body.pieces, end = (piece + 1) * run.places / body.pieces;
        const bool walks = !formula.kernel.tape().walk.empty();
        if (first == end || (walks && formula.kernel.walk(in, out, work, parameters, first, end))) continue;
        const std::size_t takes = run.from.size(), gives = run.to.size();
        T *const arguments = work, *const values = work + takes, *const space = work + takes + gives;
        const StepGroups taken(run.from_step, false), given(run.to_step, true);
        for (std::size_t i = taken.moving; i < takes; ++i) arguments[i] = in[run.from[i]];
        for (std::int64_t place = first; place < end; ++place) {
          taken.at(run.from, run.from_step, place, [&](std::size_t i, std::int64_t at) { arguments[i] = in[at]; });
          if (walks) formula.kernel.interpret_place(arguments, values, space, parameters);
          else formula.kernel.call(arguments, values, space, parameters);
          given.at(run.to, run.to_step, place, [&](std::size_t i, std::int64_t at) { out[at] = values[i]; });
        }
      }
}

template <class T>
void WideKernel<T>::call(const Body& body, const T* in, T* out, T* work, const T* parameters) noexcept {
  call_formulas(body, in, out, work, parameters);
  if (body.rest_to.empty()) return;
  if (body.parts) {
    const T* const parts = work;
    T* const space = work + body.parts->outputs;
    call(*body.parts, in, work, space, parameters);
    in = parts;
    work = space;
  }
  body.rest.call(in, work, work + body.rest_to.size(), parameters);
  for (std::size_t i = 0; i < body.rest_to.size(); ++i) out[body.rest_to[i]] = work[i];
}

template class WideKernel<double>;
template class WideKernel<Quad>;

}  // namespace alembert::internal
