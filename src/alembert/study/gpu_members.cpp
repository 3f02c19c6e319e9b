// Members on a GPU, one a thread.

#include <mutex>
#include <numeric>
#include <stdexcept>

#include "alembert/code/gpu.h"
#include "alembert/error.h"
#include "alembert/study/program_members.h"

namespace alembert::internal {

namespace {

// What a thread keeps in its registers is dear: predictions of the third degree.
constexpr int rows_of_gpu = 4;
// Members at once: enough to fill the largest device several times, few enough to begin on the CPU meanwhile.
constexpr std::size_t members_at_once = 1 << 17;
// So many steps take a second or so at most; then others get the device, and a study that was interrupted ends.
constexpr long steps_of_device = 200'000;

class GpuMembers final : public MemberEngine {
 public:
  explicit GpuMembers(const MemberTask& task) : members_(task, rows_of_gpu, true) {
    if (!members_.why_not().empty())
      throw NotForEngine("this study is not one for a GPU: " + members_.why_not(),
                         "run it on the CPU: leave the `device` out");
    program_.emplace(program_of(members_.step()));
  }

  std::size_t batch_size() const override { return members_at_once; }
  bool estimates_accuracy() const override { return false; }
  std::optional<MemberResult> judged(const double* values) const override { return members_.scalar(values); }

  std::vector<MemberResult> run(const MemberBatch& batch) const override {
    std::vector<MemberResult> results(batch.count);
    std::vector<std::size_t> all(batch.count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::size_t> left = run(members_.step(), *program_, batch, all, results);
    // Each member by itself decides who makes it, so that its result depends on nothing else.
    if (const StepProgram* exact = members_.exact_step(); exact && !left.empty() && !interrupted())
      left = run(*exact, exact_program(), batch, left, results);
    for (const std::size_t member : left) {
      if (interrupted()) results[member].interrupted = true;
      else results[member] = members_.scalar(values_of(batch, member));
    }
    return results;
  }

 private:
  static GpuProgram program_of(const StepProgram& step) { return {step.program, step.left, step.status}; }
  GpuProgram& exact_program() const {
    const std::lock_guard lock(mutex_);
    if (!exact_) exact_.emplace(program_of(*members_.exact_step()));
    return *exact_;
  }
  bool interrupted() const {
    const std::atomic<bool>* const flag = members_.task().simulation.interrupt;
    return flag && flag->load(std::memory_order_relaxed);
  }
  const double* values_of(const MemberBatch& batch, std::size_t member) const {
    return batch.values.data() + member * members_.task().names.size();
  }

  /// Members by one of the programs, as many at a time as the device holds. Gives those without a result: others have
  /// to look at them.
  std::vector<std::size_t> run(const StepProgram& step, GpuProgram& program, const MemberBatch& batch,
                               const std::vector<std::size_t>& wanted, std::vector<MemberResult>& results) const {
    std::vector<std::size_t> left;
    for (std::size_t first = 0; first < wanted.size();) {
      std::size_t most = 0;
      {
        const std::lock_guard lock(mutex_);
        most = std::max<std::size_t>(1, std::min(members_at_once, program.most_runs()));
      }
      const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t count = std::min(most, wanted.size() - first);
      run_chunk(step, program, batch, {begin, begin + static_cast<std::ptrdiff_t>(count)}, results, left);
      first += count;
    }
    return left;
  }

  void run_chunk(const StepProgram& step, GpuProgram& program, const MemberBatch& batch,
                 const std::vector<std::size_t>& wanted, std::vector<MemberResult>& results,
                 std::vector<std::size_t>& left) const {
    const std::size_t count = wanted.size();
    const auto kept = static_cast<std::size_t>(step.program.scratch);
    const auto used = static_cast<std::size_t>(step.program.parameters);
    std::vector<double> variables(kept * count, 0.0), table(used * count, 0.0);
    std::vector<double> one(step.program.variables), one_table(members_.parameters());
    std::vector<bool> begun(count, false);
    const std::unique_ptr<Engine> engine = members_.engine();
    for (std::size_t i = 0; i < count && !interrupted(); ++i) {
      begun[i] = members_.begin(step, *engine, values_of(batch, wanted[i]), one.data(), one_table.data());
      if (!begun[i]) continue;
      for (std::size_t k = 0; k < kept; ++k) variables[k * count + i] = one[k];
      for (std::size_t k = 0; k < used; ++k) table[k * count + i] = one_table[k];
    }
    for (long made = 0; made < members_.steps() && !interrupted(); made += steps_of_device) {
      const std::lock_guard lock(mutex_);
      program.run(variables.data(), table.data(), count, std::min(steps_of_device, members_.steps() - made));
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < kept; ++k) one[k] = variables[k * count + i];
      std::optional<MemberResult> result = begun[i] ? members_.result(step, one.data()) : std::nullopt;
      if (result) results[wanted[i]] = std::move(*result);
      else left.push_back(wanted[i]);
    }
  }

  ProgramMembers members_;
  mutable std::mutex mutex_;  // of the device
  mutable std::optional<GpuProgram> program_, exact_;
};

}  // namespace

std::unique_ptr<MemberEngine> make_gpu_engine(const MemberTask& task) {
  if (const std::string why = why_no_gpu(); !why.empty())
    throw NotForEngine("there is no GPU to run on: " + why, "leave the `device` out to run on the CPU");
  return std::make_unique<GpuMembers>(task);
}

}  // namespace alembert::internal
