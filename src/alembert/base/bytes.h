#pragma once

// States as bytes and back, in the layout of this program on this kind of machine: what was written is read in the same
// order, by the same version. Nothing is converted.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const T& value) { put(&value, sizeof value); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    put(values.data(), values.size() * sizeof(T));
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    put(text.data(), text.size());
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void put(const void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote; the bytes must outlive it. Throws InputError where they end too soon or do not fit.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) { take(&value, sizeof value); }
  template <class T>
  T read() {
    T value;
    read(value);
    return value;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(std::vector<T>& values) {
    values.resize(count(sizeof(T)));
    take(values.data(), values.size() * sizeof(T));
  }
  void read(std::string& text) {
    text.resize(count(1));
    take(text.data(), text.size());
  }
  /// Into a list whose size is known beforehand: another one belongs to other equations.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void refill(std::vector<T>& values) {
    if (count(sizeof(T)) != values.size()) throw InputError("the saved state belongs to other equations");
    take(values.data(), values.size() * sizeof(T));
  }
  /// To be called at the end: throws where bytes are left over.
  void finish() const {
    if (!left_.empty()) throw InputError("the saved state is longer than it should be");
  }

 private:
  /// How many items of this size come next; never more than there are bytes for.
  std::size_t count(std::size_t size) {
    const auto items = read<std::uint64_t>();
    if (items > left_.size() / size) throw_truncated();
    return static_cast<std::size_t>(items);
  }
  void take(void* to, std::size_t size) {
    if (size > left_.size()) throw_truncated();
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  [[noreturn]] static void throw_truncated() { throw InputError("the saved state is cut off"); }

  std::span<const std::byte> left_;
};

}  // namespace alembert::internal
