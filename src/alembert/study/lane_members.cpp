// Members in the lanes of a core: as many side by side as the processor has, the next one where one has ended.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>

#include "alembert/base/nth.h"
#include "alembert/code/lanes.h"
#include "alembert/study/program_members.h"

namespace alembert::internal {

namespace {

// Differences of the sixth order and more never paid in lanes; the table is half of what a step of a pendulum moves.
constexpr int rows_of_lanes = 5;
// Steps between two looks at who has ended: a multiple of those between two looks for the degree of prediction.
constexpr long steps_at_once = 128;
// So many for each lane keep all lanes filled to the end, nearly.
constexpr std::size_t batch_of_lane = 8;

struct Freed {
  void operator()(double* memory) const { std::free(memory); }
};
using Aligned = std::unique_ptr<double[], Freed>;

Aligned aligned(std::size_t count) {
  constexpr std::size_t line = 64;  // bytes of a line of the cache, and of 8 lanes
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(double) + line - 1) / line * line;
  Aligned memory(static_cast<double*>(std::aligned_alloc(line, bytes)));
  std::fill_n(memory.get(), count, 0.0);
  return memory;
}

/// Some members of a batch by one program.
class LaneRun {
 public:
  LaneRun(const ProgramMembers& members, const StepProgram& step, const LaneProgram& lanes, const MemberBatch& batch,
          std::vector<MemberResult>& results)
      : members_(members),
        lanes_(lanes),
        step_(step),
        batch_(batch),
        results_(results),
        engine_(members.engine()),
        width_(lanes.width()),
        kept_(step.program.scratch),
        variables_(aligned(nth(kept_ * width_))),
        table_(aligned(members.parameters() * static_cast<std::size_t>(width_))),
        one_(step.program.variables),
        one_table_(members.parameters()),
        member_(width_, none) {}

  /// Gives those without a result: others have to look at them.
  std::vector<std::size_t> run(const std::vector<std::size_t>& wanted) {
    wanted_ = wanted;
    for (int lane = 0; lane < width_; ++lane) refill(lane);
    while (std::any_of(member_.begin(), member_.end(), [](std::size_t m) { return m != none; })) {
      lanes_.run(variables_.get(), table_.get(), steps_at_once);
      for (int lane = 0; lane < width_; ++lane)
        if (member_[lane] != none && ended(lane)) refill(lane);
      if (interrupted()) break;
    }
    if (interrupted())
      for (const std::size_t member : unfinished()) results_[member].interrupted = true;
    return std::move(left_);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};  // no member

  const double* values_of(std::size_t member) const {
    return batch_.values.data() + member * members_.task().names.size();
  }
  bool interrupted() const {
    const std::atomic<bool>* const flag = members_.task().simulation.interrupt;
    return flag && flag->load(std::memory_order_relaxed);
  }
  std::vector<std::size_t> unfinished() const {
    std::vector<std::size_t> list(wanted_.begin() + static_cast<std::ptrdiff_t>(next_), wanted_.end());
    for (const std::size_t member : member_)
      if (member != none) list.push_back(member);
    return list;
  }
  double& at(int variable, int lane) { return variables_[nth(variable * width_ + lane)]; }
  bool ended(int lane) { return at(step_.left, lane) <= 0 || at(step_.status, lane) != 0; }

  /// Takes the result of the member that was there, and puts the next one there.
  void refill(int lane) {
    if (member_[lane] != none) finish(lane);
    member_[lane] = none;
    at(step_.left, lane) = 0;
    while (next_ < wanted_.size() && !interrupted()) {
      const std::size_t member = wanted_[next_++];
      if (!members_.begin(step_, *engine_, values_of(member), one_.data(), one_table_.data())) {
        left_.push_back(member);
        continue;
      }
      for (int i = 0; i < kept_; ++i) at(i, lane) = one_[i];
      for (std::size_t i = 0; i < one_table_.size(); ++i)
        table_[i * width_ + static_cast<std::size_t>(lane)] = one_table_[i];
      member_[lane] = member;
      return;
    }
  }

  void finish(int lane) {
    for (int i = 0; i < kept_; ++i) one_[i] = at(i, lane);
    std::optional<MemberResult> result = members_.result(step_, one_.data());
    if (result) results_[member_[lane]] = std::move(*result);
    else left_.push_back(member_[lane]);
  }

  const ProgramMembers& members_;
  const LaneProgram& lanes_;
  const StepProgram& step_;
  const MemberBatch& batch_;
  std::vector<MemberResult>& results_;
  std::unique_ptr<Engine> engine_;
  int width_, kept_;
  Aligned variables_, table_;
  std::vector<double> one_, one_table_;
  std::vector<std::size_t> member_;  // in each lane
  std::vector<std::size_t> wanted_, left_;
  std::size_t next_ = 0;
};

class LaneMembers final : public MemberEngine {
 public:
  explicit LaneMembers(const MemberTask& task) : members_(task, rows_of_lanes, false) {
    if (members_.why_not().empty() && native_available()) lanes_ = {members_.step().program, best_lanes()};
  }

  std::vector<MemberResult> run(const MemberBatch& batch) const override {
    std::vector<MemberResult> results(batch.count);
    std::vector<std::size_t> left(batch.count);
    std::iota(left.begin(), left.end(), std::size_t{0});
    if (lanes_.width() > 0) left = LaneRun(members_, members_.step(), lanes_, batch, results).run(left);
    // Each member by itself decides who makes it, so that its result depends on nothing else.
    if (const StepProgram* exact = members_.exact_step(); exact && !left.empty())
      left = LaneRun(members_, *exact, exact_lanes(), batch, results).run(left);
    for (const std::size_t member : left) results[member] = members_.scalar(&batch.values[member * names()]);
    return results;
  }
  std::size_t batch_size() const override {
    return lanes_.width() > 0 ? batch_of_lane * static_cast<std::size_t>(lanes_.width()) : 1;
  }
  bool estimates_accuracy() const override { return lanes_.width() == 0; }
  std::optional<MemberResult> judged(const double* values) const override {
    return lanes_.width() > 0 ? std::optional(members_.scalar(values)) : std::nullopt;
  }
  std::string why_alone() const override {
    return !members_.why_not().empty() ? members_.why_not() : native_available() ? "" : "nothing is compiled";
  }

 private:
  std::size_t names() const { return members_.task().names.size(); }
  const LaneProgram& exact_lanes() const {
    std::call_once(once_, [this] { exact_lanes_ = {members_.exact_step()->program, lanes_.width()}; });
    return exact_lanes_;
  }

  ProgramMembers members_;
  LaneProgram lanes_;
  mutable std::once_flag once_;
  mutable LaneProgram exact_lanes_;  // compiled when it is needed
};

}  // namespace

std::unique_ptr<MemberEngine> make_lane_engine(const MemberTask& task) { return std::make_unique<LaneMembers>(task); }

}  // namespace alembert::internal
