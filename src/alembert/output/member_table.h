#pragma once

// The table of a study as .h5: a dataset "members" with a row of numbers for each, and lists of what is text.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/output/attributes.h"

namespace alembert::internal {

class MemberTable {
 public:
  virtual ~MemberTable() = default;
  virtual void begin(const std::vector<std::string>& columns, const Attributes& attributes) = 0;
  /// Numbers of the next member; what is missing is NaN.
  virtual void row(std::span<const double> values) = 0;
  /// A text about a member (from 1), in one of the lists "failures", "warnings", "texts".
  virtual void text(int list, std::uint64_t member, const std::string& text) = 0;
  /// What was added can be read by others from now on. The file depends on the calls alone, not on the time.
  virtual void flush() = 0;
  /// Another table of numbers, written once.
  virtual void table(const char* name, const std::vector<std::string>& columns, std::vector<double> rows) = 0;
  virtual void end() = 0;
};

/// The lists of texts, by their number.
inline constexpr const char* member_texts[] = {"failures", "warnings", "texts"};

/// The file is known to be writable, and as it was until begin().
std::unique_ptr<MemberTable> make_member_table(const std::string& path);

}  // namespace alembert::internal
