// Members on a GPU, one a thread.

#include <mutex>
#include <stdexcept>

#include "alembert/code/gpu.h"
#include "alembert/error.h"
#include "alembert/study/program_members.h"

namespace alembert::internal {

namespace {

// What a thread keeps in its registers is dear: predictions of the second degree.
constexpr int rows_of_gpu = 3;
// Members at once: enough to fill the largest device several times, few enough to begin on the CPU meanwhile.
constexpr std::size_t members_at_once = 1 << 17;

class GpuMembers final : public MemberEngine {
 public:
  explicit GpuMembers(const MemberTask& task) : members_(task, rows_of_gpu, true) {
    if (!members_.why_not().empty())
      throw NotForEngine("this study is not one for a GPU: " + members_.why_not(),
                         "run it on the CPU: leave the `device` out");
    program_.emplace(members_.step().program, members_.step().left, members_.step().status);
  }

  std::size_t batch_size() const override { return members_at_once; }
  std::optional<MemberResult> judged(const double* values) const override { return members_.scalar(values); }

  std::vector<MemberResult> run(const MemberBatch& batch) const override {
    std::vector<MemberResult> results(batch.count);
    const std::size_t most = most_at_once();
    for (std::size_t first = 0; first < batch.count; first += most)
      run_chunk(batch, first, std::min(most, batch.count - first), results);
    return results;
  }

 private:
  std::size_t most_at_once() const {
    const std::lock_guard lock(mutex_);
    return std::max<std::size_t>(1, std::min(members_at_once, program_->most_runs()));
  }
  bool interrupted() const {
    const std::atomic<bool>* const flag = members_.task().simulation.interrupt;
    return flag && flag->load(std::memory_order_relaxed);
  }

  void run_chunk(const MemberBatch& batch, std::size_t first, std::size_t count,
                 std::vector<MemberResult>& results) const {
    const auto kept = static_cast<std::size_t>(members_.step().program.scratch);
    const auto used = static_cast<std::size_t>(members_.step().program.parameters);
    std::vector<double> variables(kept * count, 0.0), table(used * count, 0.0);
    std::vector<double> one(members_.step().program.variables), one_table(members_.parameters());
    std::vector<bool> begun(count, false);
    const std::unique_ptr<Engine> engine = members_.engine();
    const std::size_t names = members_.task().names.size();
    const auto values = [&](std::size_t i) { return batch.values.data() + (first + i) * names; };
    for (std::size_t i = 0; i < count && !interrupted(); ++i) {
      begun[i] = members_.begin(members_.step(), *engine, values(i), one.data(), one_table.data());
      if (!begun[i]) continue;
      for (std::size_t k = 0; k < kept; ++k) variables[k * count + i] = one[k];
      for (std::size_t k = 0; k < used; ++k) table[k * count + i] = one_table[k];
    }
    if (!interrupted()) {
      const std::lock_guard lock(mutex_);
      program_->run(variables.data(), table.data(), count, members_.steps());
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (interrupted()) {
        results[first + i].interrupted = true;
        continue;
      }
      for (std::size_t k = 0; k < kept; ++k) one[k] = variables[k * count + i];
      std::optional<MemberResult> result = begun[i] ? members_.result(members_.step(), one.data()) : std::nullopt;
      results[first + i] = result ? std::move(*result) : members_.scalar(values(i));
    }
  }

  ProgramMembers members_;
  mutable std::mutex mutex_;
  mutable std::optional<GpuProgram> program_;
};

}  // namespace

std::unique_ptr<MemberEngine> make_gpu_engine(const MemberTask& task) {
  if (const std::string why = why_no_gpu(); !why.empty())
    throw NotForEngine("there is no GPU to run on: " + why, "leave the `device` out to run on the CPU");
  return std::make_unique<GpuMembers>(task);
}

}  // namespace alembert::internal
