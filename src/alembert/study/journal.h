#pragma once

// Finished members on disk, in the order in which they came, until a study is complete. Whoever kills the program, or
// one of its processes, loses unfinished members alone.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alembert/base/bytes.h"
#include "alembert/study/member_engine.h"

namespace alembert::internal {

void write_result(ByteWriter& to, const MemberResult& result);
MemberResult read_result(ByteReader& from);

class Journal {
 public:
  /// `identity` decides what the members are: a journal of another study is refused.
  Journal(std::string path, std::string identity) : path_(std::move(path)), identity_(std::move(identity)) {}

  /// What a study that was ended has left. False where there is no such file. A record that was cut off at the end is
  /// no member. Throws InputError where the file is no journal, or of another study.
  bool read(const std::function<void(std::uint64_t member, MemberResult result)>& take);
  /// Begins to write: behind what was read, or anew.
  void open();
  void add(std::uint64_t member, const MemberResult& result);
  /// To the disk, as far as the system is concerned.
  void flush();
  /// The study is complete: nobody needs it any more.
  void remove();

 private:
  std::string header() const;

  std::string path_, identity_, waiting_;
  std::size_t good_ = 0;  // bytes that were read
  int file_ = -1;

 public:
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();
};

}  // namespace alembert::internal
