#pragma once

// A map from node numbers to small numbers that is emptied in no time: many calls look at a few nodes of a large graph,
// and none of them may cost the size of the graph. Inside expr/ only.

#include <cstdint>
#include <utility>
#include <vector>

namespace alembert::internal {

class Marks {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  Marks() : stamp_(next_stamp()), era_(era()) {
    if (spares().empty()) return;
    entries_ = std::move(spares().back());
    spares().pop_back();
  }
  ~Marks() {  // the memory goes on to a later Marks of this thread
    if (era_ == era()) spares().push_back(std::move(entries_));
  }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  std::uint32_t operator[](std::uint32_t id) const {
    return id < entries_.size() && entries_[id].stamp == stamp_ ? entries_[id].value : none;
  }
  bool has(std::uint32_t id) const { return (*this)[id] != none; }
  void set(std::uint32_t id, std::uint32_t value) {
    if (id >= entries_.size()) entries_.resize(std::size_t(id) + 1 + id / 2);
    entries_[id] = {stamp_, value};
  }
  /// Sets it where there was none; whether there was none.
  bool insert(std::uint32_t id, std::uint32_t value = 0) {
    if (has(id)) return false;
    set(id, value);
    return true;
  }

 private:
  struct Entry {
    std::uint32_t stamp = 0;
    std::uint32_t value = 0;
  };
  static std::vector<std::vector<Entry>>& spares() {  // as many as were ever used at once, a handful
    thread_local std::vector<std::vector<Entry>> spares;
    return spares;
  }
  // Stamps are short, for memory's sake. When all are used up, memory that holds old ones is not used again.
  static std::uint32_t& era() {
    thread_local std::uint32_t era = 0;
    return era;
  }
  static std::uint32_t next_stamp() {
    thread_local std::uint32_t stamp = 0;
    if (++stamp == 0) {
      spares().clear();
      ++era();
      stamp = 1;
    }
    return stamp;
  }

  std::vector<Entry> entries_;
  std::uint32_t stamp_, era_;
};

}  // namespace alembert::internal
