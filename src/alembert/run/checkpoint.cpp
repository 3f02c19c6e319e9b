#include "alembert/run/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "alembert/version.h"

namespace alembert::internal {

namespace {

// What is in a checkpoint and in which order; another number with every change of it.
constexpr int format_of_content = 4;

/// FNV-1a, 64 bits: enough to find damage.
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return sum;
}

bool write_whole(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// The fields of what is made of plain lists.
struct EventFields {
  EventRecord& record;
  void archive(Archive& fields) {
    fields(record.event, record.t, record.share, record.state, record.lambda, record.psi, record.v, record.kind,
           record.note);
  }
};

template <class T, class Fields>
void archive_list(Archive& fields, std::vector<T>& list, const Fields& of) {
  auto size = static_cast<std::uint64_t>(list.size());
  fields(size);
  if (fields.reading()) list.assign(size, T());
  for (T& one : list) of(one);
}

}  // namespace

std::string run_signature(const Engine& engine, const SimulateOptions& o) {
  std::string text = fmt::format("alembert run {} checkpoint {}\n{}\n", version, format_of_content, engine.method.name);
  const StepOptions& s = o.steps;
  text += fmt::format("{:a} {:a} {:a} {:a} {} {:a}", engine.t0, engine.grid_start, o.end, o.step, o.every.value_or(0),
                      o.sample);
  for (const double t : o.at) text += fmt::format(" {:a}", t);
  text += fmt::format("\n{} {:a} {:a} {:a} {:a} {:a} {} {:a} {} {} {}\n", static_cast<int>(s.control), s.tolerance,
                      s.absolute, s.largest, s.growth, s.shrink, s.good_steps, s.smallest, static_cast<int>(s.guess),
                      static_cast<int>(o.newton.linear), o.dirac);
  text += fmt::format("{:a}\n", o.newton.tolerance);
  for (std::size_t i = 0; i < engine.initial.y.size(); ++i) text += fmt::format(" {:a}", engine.initial.y[i]);
  for (std::size_t i = 0; i < engine.initial.z.size(); ++i) text += fmt::format(" {:a}", engine.initial.z[i]);
  for (const Parameter& parameter : parameters_of(engine.model))
    for (const double value : parameter.values) text += fmt::format(" {}={:a}", parameter.name, value);
  return text + "\n" + (engine.model.source ? engine.model.source->text : "");
}

std::string write_checkpoint(const std::string& path, const std::string& signature,
                             std::span<const std::byte> content) {
  ByteWriter out;
  out.write(signature);
  out.write(std::vector<std::byte>(content.begin(), content.end()));
  out.write(sum_of(out.bytes()));
  const std::string fresh = path + ".new";
  const int descriptor = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return "cannot write '" + fresh + "': " + std::strerror(errno);
  // It must be on the disk before it has the name of the old one.
  const bool written = write_whole(descriptor, out.bytes()) && ::fsync(descriptor) == 0;
  const int why = errno;
  ::close(descriptor);
  if (written && ::rename(fresh.c_str(), path.c_str()) == 0) return "";
  const std::string reason = std::strerror(written ? errno : why);
  ::unlink(fresh.c_str());
  return "cannot write '" + path + "': " + reason;
}

std::vector<std::byte> checkpoint_content(std::span<const std::byte> file, const std::string& signature) {
  std::uint64_t sum = 0;
  if (file.size() < sizeof sum) throw InputError("the checkpoint is too short");
  const std::span<const std::byte> whole = file.first(file.size() - sizeof sum);
  std::memcpy(&sum, whole.data() + whole.size(), sizeof sum);
  if (sum != sum_of(whole)) throw InputError("the checkpoint is damaged: its checksum does not fit");
  ByteReader in(whole);
  std::string saved;
  in.read(saved);
  if (saved != signature)
    throw InputError("the checkpoint belongs to another run",
                     "give the model, the method and the options with which the run began, by the same version");
  std::vector<std::byte> content;
  in.read(content);
  in.finish();
  return content;
}

void archive_report(Archive& fields, Report& report) {
  fields(report.t, report.steps, report.smallest_step, report.largest_step, report.kinks, report.balance,
         report.discrete, report.stopped);
  archive_list(fields, report.warnings, [&](Warning& one) { fields(one.code, one.text, one.t); });
  archive_list(fields, report.singular_positions, [&](Report::SingularPosition& one) { fields(one.t, one.words); });
  archive_list(fields, report.events, [&](EventRecord& one) {
    EventFields record{one};
    fields(record);
  });
  if (report.port) fields(report.port->first_energies);
}

}  // namespace alembert::internal
