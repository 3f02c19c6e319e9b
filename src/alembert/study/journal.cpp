#include "alembert/study/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "alembert/study/random.h"
#include "alembert/trajectory.h"
#include "alembert/version.h"

namespace alembert::internal {

namespace {

constexpr char magic[] = "alembert study\n";

template <class Value>
void put_raw(std::string& to, const Value& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string_view view_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void write_result(ByteWriter& to, const MemberResult& result) {
  to.write(result.interrupted);
  to.write(result.failure);
  to.write(static_cast<std::uint64_t>(result.warnings.size()));
  for (const Warning& warning : result.warnings) {
    to.write(warning.code);
    to.write(warning.text);
    to.write(warning.t);
  }
  to.write(static_cast<std::uint64_t>(result.cells.size()));
  for (const MemberResult::Cell& cell : result.cells) {
    to.write(static_cast<unsigned char>(cell.index()));
    if (const long* whole = std::get_if<long>(&cell)) to.write(*whole);
    if (const double* number = std::get_if<double>(&cell)) to.write(*number);
    if (const std::string* text = std::get_if<std::string>(&cell)) to.write(*text);
  }
}

MemberResult read_result(ByteReader& from) {
  MemberResult result;
  from.read(result.interrupted);
  from.read(result.failure);
  for (auto left = from.read<std::uint64_t>(); left > 0; --left) {
    Warning warning;
    from.read(warning.code);
    from.read(warning.text);
    from.read(warning.t);
    result.warnings.push_back(std::move(warning));
  }
  for (auto left = from.read<std::uint64_t>(); left > 0; --left) {
    const auto kind = from.read<unsigned char>();
    std::string text;
    if (kind == 1) result.cells.emplace_back(from.read<long>());
    else if (kind == 2) result.cells.emplace_back(from.read<double>());
    else if (kind == 3) {
      from.read(text);
      result.cells.emplace_back(std::move(text));
    } else result.cells.emplace_back();
  }
  return result;
}

std::string Journal::header() const {
  std::string text = magic;
  put_raw(text, static_cast<std::uint64_t>(identity_.size()));
  return text + identity_;
}

bool Journal::read(const std::function<void(std::uint64_t, MemberResult)>& take) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return false;
  const std::string wanted = header();
  std::string found(wanted.size(), '\0');
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (!found.starts_with(magic)) throw InputError("'" + path_ + "' is not the journal of a study");
  if (file.gcount() != static_cast<std::streamsize>(wanted.size()) || found != wanted)
    throw InputError("'" + path_ + "' belongs to another study",
                     "model, values, draws, columns, method, step and end must be as they were; without `resume` it "
                     "is made anew");
  good_ = wanted.size();
  std::uint64_t size = 0, sum = 0;
  while (file.read(reinterpret_cast<char*>(&size), sizeof size) &&
         file.read(reinterpret_cast<char*>(&sum), sizeof sum)) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;  // a record is far smaller: this one is damaged
    if (size > most) break;
    std::vector<std::byte> bytes(size);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) break;
    if (stream_of(view_of(bytes)) != sum) break;
    ByteReader reader(bytes);
    const auto member = reader.read<std::uint64_t>();
    take(member, read_result(reader));
    good_ += sizeof size + sizeof sum + size;
  }
  return true;
}

void Journal::open() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(good_)) != 0 || ::lseek(file_, 0, SEEK_END) < 0)
    throw WriteError("cannot write '" + path_ + "': " + std::strerror(errno));
  if (good_ == 0) waiting_ = header();
  flush();
}

void Journal::add(std::uint64_t member, const MemberResult& result) {
  ByteWriter record;
  record.write(member);
  write_result(record, result);
  const std::string_view bytes = view_of(record.bytes());
  put_raw(waiting_, static_cast<std::uint64_t>(bytes.size()));
  put_raw(waiting_, stream_of(bytes));
  waiting_ += bytes;
}

void Journal::flush() {
  std::string_view left = waiting_;
  while (!left.empty()) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw WriteError("cannot write '" + path_ + "': " + std::strerror(errno),
                       "the members that were finished before are there: `resume` makes the others");
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  waiting_.clear();
}

void Journal::remove() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  ::unlink(path_.c_str());
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace alembert::internal
