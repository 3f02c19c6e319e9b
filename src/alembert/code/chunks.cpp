#include "alembert/code/chunks.h"

namespace alembert::internal::detail {

Chunks split(const Tape& tape, std::size_t longest) {
  Chunks chunks;
  const std::size_t size = tape.code.size();
  if (size == 0) return chunks;
  chunks.count = (size + longest - 1) / longest;
  chunks.length = (size + chunks.count - 1) / chunks.count;
  chunks.count = (size + chunks.length - 1) / chunks.length;
  chunks.slot.assign(size, Chunks::local);

  const std::size_t first = tape.first_result();
  std::vector<std::uint32_t> last_reader(size);  // chunk
  for (std::size_t i = 0; i < size; ++i) {
    const auto chunk = static_cast<std::uint32_t>(i / chunks.length);
    last_reader[i] = chunk;
    for (const std::uint32_t r : {tape.code[i].a, tape.code[i].b}) {
      if (r >= first) last_reader[r - first] = chunk;
    }
  }

  std::vector<std::uint32_t> free;
  std::vector<std::vector<std::uint32_t>> released(chunks.count);  // slots that are free after a chunk
  for (std::size_t chunk = 0; chunk < chunks.count; ++chunk) {
    if (chunk > 0) free.insert(free.end(), released[chunk - 1].begin(), released[chunk - 1].end());
    for (std::size_t i = chunk * chunks.length; i < std::min(size, (chunk + 1) * chunks.length); ++i) {
      if (last_reader[i] == chunk) continue;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(chunks.slots++));
      chunks.slot[i] = free.back();
      free.pop_back();
      released[last_reader[i]].push_back(chunks.slot[i]);
    }
  }
  return chunks;
}

}  // namespace alembert::internal::detail
