#pragma once

// A map from node numbers to small numbers that is emptied in no time: many calls look at a few nodes of a large graph,
// and none of them may cost the size of the graph. Inside expr/ and code/ only.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace alembert::internal {

class Marks {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;  // no value: there are fewer nodes

  Marks() {
    if (spares().empty()) return;
    memory_ = std::move(spares().back());
    spares().pop_back();
    base_ = memory_.next;
    if (base_ < most) return;
    std::fill(memory_.entries.begin(), memory_.entries.end(), 0);
    base_ = 1;
  }
  ~Marks() {  // the memory goes on to a later Marks of this thread
    memory_.next = base_ + used_;
    spares().push_back(std::move(memory_));
  }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  std::uint32_t operator[](std::uint32_t id) const {
    return id < memory_.entries.size() && memory_.entries[id] >= base_ ? memory_.entries[id] - base_ : none;
  }
  bool has(std::uint32_t id) const { return id < memory_.entries.size() && memory_.entries[id] >= base_; }
  /// value: below 2^31.
  void set(std::uint32_t id, std::uint32_t value) {
    if (id >= memory_.entries.size()) memory_.entries.resize(std::size_t(id) + 1 + id / 2);
    memory_.entries[id] = base_ + value;
    used_ = std::max(used_, value + 1);
  }
  /// Sets it where there was none; whether there was none.
  bool insert(std::uint32_t id, std::uint32_t value = 0) {
    if (has(id)) return false;
    set(id, value);
    return true;
  }

 private:
  static constexpr std::uint32_t most = 1u << 31;  // far from the overflow of base and value
  // Entries below the base of a Marks are those of earlier ones: nothing is there.
  struct Memory {
    std::vector<std::uint32_t> entries;
    std::uint32_t next = 1;  // the base of the next Marks
  };
  static std::vector<Memory>& spares() {  // as many as were ever used at once, a handful
    thread_local std::vector<Memory> spares;
    return spares;
  }

  Memory memory_;
  std::uint32_t base_ = 1, used_ = 0;
};

}  // namespace alembert::internal
