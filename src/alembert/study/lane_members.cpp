// Members in the lanes of a core: as many side by side as the processor has, the next one where one has ended.

#include <algorithm>
#include <cstdlib>
#include <memory>

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
  constexpr std::size_t line = 64;
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(double) + line - 1) / line * line;
  Aligned memory(static_cast<double*>(std::aligned_alloc(line, bytes)));
  std::fill_n(memory.get(), count, 0.0);
  return memory;
}

class LaneMembers final : public MemberEngine {
 public:
  explicit LaneMembers(const MemberTask& task) : members_(task, rows_of_lanes, true), lanes_(make_lanes(members_)) {}

  bool suitable() const { return lanes_.width() > 0; }

  std::vector<MemberResult> run(const MemberBatch& batch) const override { return Batch(*this, batch).run(); }
  std::size_t batch_size() const override { return batch_of_lane * static_cast<std::size_t>(lanes_.width()); }

 private:
  static LaneProgram make_lanes(const ProgramMembers& members) {
    if (!members.why_not().empty() || !native_available()) return {};
    return {members.step().program, best_lanes()};
  }

  /// The work on one batch.
  class Batch {
   public:
    Batch(const LaneMembers& owner, const MemberBatch& batch)
        : members_(owner.members_),
          lanes_(owner.lanes_),
          step_(members_.step()),
          batch_(batch),
          engine_(members_.engine()),
          width_(lanes_.width()),
          kept_(step_.program.scratch),
          variables_(aligned(nth(kept_ * width_))),
          table_(aligned(members_.parameters() * static_cast<std::size_t>(width_))),
          one_(step_.program.variables),
          one_table_(members_.parameters()),
          member_(width_, none),
          results_(batch.count) {}

    std::vector<MemberResult> run() {
      for (int lane = 0; lane < width_; ++lane) refill(lane);
      while (std::any_of(member_.begin(), member_.end(), [](std::size_t m) { return m != none; })) {
        lanes_.run(variables_.get(), table_.get(), steps_at_once);
        for (int lane = 0; lane < width_; ++lane)
          if (member_[lane] != none && ended(lane)) refill(lane);
        if (interrupted()) break;
      }
      if (interrupted())
        for (const std::size_t member : unfinished()) results_[member].interrupted = true;
      return std::move(results_);
    }

   private:
    static constexpr std::size_t none = ~std::size_t{0};

    const double* values_of(std::size_t member) const {
      return batch_.values.data() + member * members_.task().names.size();
    }
    bool interrupted() const {
      const std::atomic<bool>* const flag = members_.task().simulation.interrupt;
      return flag && flag->load(std::memory_order_relaxed);
    }
    std::vector<std::size_t> unfinished() const {
      std::vector<std::size_t> list;
      for (const std::size_t member : member_)
        if (member != none) list.push_back(member);
      for (std::size_t member = next_; member < batch_.count; ++member) list.push_back(member);
      return list;
    }
    double& at(int variable, int lane) { return variables_[nth(variable * width_ + lane)]; }
    bool ended(int lane) { return at(step_.left, lane) <= 0 || at(step_.status, lane) != 0; }

    /// Takes the result of the member that was there, and puts the next one there.
    void refill(int lane) {
      if (member_[lane] != none) finish(lane);
      member_[lane] = none;
      at(step_.left, lane) = 0;
      while (next_ < batch_.count && !interrupted()) {
        const std::size_t member = next_++;
        if (!members_.begin(*engine_, values_of(member), one_.data(), one_table_.data())) {
          results_[member] = members_.scalar(values_of(member));
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
      std::optional<MemberResult> result = members_.result(one_.data());
      results_[member_[lane]] = result ? std::move(*result) : members_.scalar(values_of(member_[lane]));
    }

    const ProgramMembers& members_;
    const LaneProgram& lanes_;
    const StepProgram& step_;
    const MemberBatch& batch_;
    std::unique_ptr<Engine> engine_;
    int width_, kept_;
    Aligned variables_, table_;
    std::vector<double> one_, one_table_;
    std::vector<std::size_t> member_;  // in each lane
    std::vector<MemberResult> results_;
    std::size_t next_ = 0;
  };

  ProgramMembers members_;
  LaneProgram lanes_;
};

}  // namespace

std::unique_ptr<MemberEngine> make_lane_engine(const MemberTask& task) {
  auto engine = std::make_unique<LaneMembers>(task);
  if (!engine->suitable()) return make_scalar_engine(task);
  return engine;
}

}  // namespace alembert::internal
