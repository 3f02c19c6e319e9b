// What a run leaves behind on its way, and how it is taken up again.

#include <chrono>
#include <utility>

#include "alembert/run/checkpoint.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

constexpr double usual_checkpoint = 60;  // seconds between two of them: an hour of computing loses a minute at most
constexpr long checkpoint_steps = 16;    // between two looks at the clock

double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool Simulation::checkpoint_due() {
  const Checkpoint& asked = options_.checkpoint;
  if (!leaves_checkpoints()) return false;
  if (interrupted()) return !std::exchange(left_, true);
  const long steps = steps_so_far(), made = steps - clock_.steps;
  if (asked.steps > 0 && made >= asked.steps) return true;
  const double seconds = asked.seconds > 0 ? asked.seconds : asked.steps > 0 ? 0 : usual_checkpoint;
  if (seconds == 0 || (steps - clock_.looked < checkpoint_steps && made > 0)) return false;
  clock_.looked = steps;
  return clock_now() - clock_.saved >= seconds;
}

void Simulation::leave_checkpoint() {
  clock_.saved = clock_now();
  clock_.steps = steps_so_far();
  if (kernel_) take_back();
  ByteWriter out;
  Archive fields(out);
  archive(fields);
  std::vector<Observer::Mark> marks = rows_.marks();
  fields(marks);
  const std::string wrong = write_checkpoint(options_.checkpoint.path, signature(), out.bytes());
  if (!wrong.empty()) warn("checkpoint", "no checkpoint could be left: " + wrong, point_.t);
}

std::string Simulation::signature() const {
  return segment_ && !segment_->signature.empty() ? segment_->signature : run_signature(engine_, options_);
}

// In place of start(): from the checkpoint on.
void Simulation::take_up() {
  begin_watching();
  const std::vector<std::byte> content = checkpoint_content(options_.resume, signature());
  ByteReader in(content);
  Archive fields(in);
  archive(fields);
  std::vector<Observer::Mark> marks;
  fields(marks);
  in.finish();
  clock_.steps = steps_so_far();
  rows_.go_on(report_, marks);
}

void Simulation::archive(Archive& fields) {
  if (segment_ && segment_->archive) segment_->archive(fields);
  fields(engine_, point_);
  control_->archive(fields);
  bool probed = probe_.has_value(), twinned = twin_.has_value();
  fields(probed, twinned);
  if (!probed) probe_.reset();
  if (!twinned) twin_.reset();
  if (probe_) fields(*probe_);
  if (twin_) fields(*twin_);
  fields(*judge_, samples_, counts_, acted_, spent_.iterations, spent_.factorizations, spent_.evaluations, rejected_,
         comparisons_, kink_times_, gained_, lost_, times_, recorded_, in_view_, energy_, balance_);
  archive_flight(fields);
  archive_report(fields, report_);
}

}  // namespace alembert::internal
