#pragma once

// Where the entries of hash tables of operations lie. Operations that are made one after the other for the parts of a
// large system have operands whose numbers go on alike: they are put into neighbouring lines of the table, so that
// making a million of them does not mean to wait for the memory a million times. What a line has no place for goes on
// to a line that looks random.

#include <cstddef>
#include <cstdint>

namespace alembert::internal {

inline std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Where to begin, and how to go on where there is no place.
struct TableHash {
  std::uint64_t line, further;
};

/// Operands are mostly results of a short while ago, near each other: these operations lie as they were made. Of others
/// that are alike the sum of both operands grows slowly and their difference hardly, so that they lie side by side
/// somewhere else.
inline TableHash neighbouring_hash(std::uint8_t operation, std::uint32_t a, std::uint32_t b) {
  constexpr int near = 14;  // as a power of two: operations whose table entries share a cache
  const std::uint32_t apart = (a < b ? b - a : a - b) >> near;
  const std::uint64_t elsewhere = apart == 0 ? 0 : mix(std::uint64_t(apart) << 8 | operation);
  return {2 * (std::uint64_t(a) + b) + elsewhere, std::uint64_t(a) << 32 | (b ^ std::uint32_t(operation) << 24)};
}

/// Goes through the places of a table where an entry may be, until the caller finds it or an empty one. The size of the
/// table is a power of two and more than one line.
template <std::size_t line_places>
class Places {
 public:
  Places(TableHash hash, std::size_t size) : further_(hash.further), line_mask_(size / line_places - 1) {
    begin_line(hash.line);
  }
  std::size_t operator*() const { return line_ + (start_ + tried_) % line_places; }
  void operator++() {
    if (++tried_ < line_places) return;
    further_ = mix(further_ + 0x9e3779b97f4a7c15u);
    begin_line(further_);
  }

 private:
  void begin_line(std::uint64_t hash) {
    line_ = (hash / line_places & line_mask_) * line_places;
    start_ = hash % line_places;
    tried_ = 0;
  }
  std::uint64_t further_;
  std::size_t line_mask_;
  std::size_t line_ = 0, start_ = 0, tried_ = 0;
};

}  // namespace alembert::internal
