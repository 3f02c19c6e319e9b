#pragma once

// One list of fields for both ways: what a thing knows, to bytes and back. A class says its fields once,
//   template <class A> void archive(A& fields) { fields(a_, b_); }
// and so do those that it is made of. Bytes as in bytes.h.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "alembert/base/bytes.h"

namespace alembert::internal {

class Archive {
 public:
  explicit Archive(ByteWriter& out) : out_(&out) {}
  /// Throws InputError where the bytes do not fit.
  explicit Archive(ByteReader& in) : in_(&in) {}
  bool reading() const { return in_ != nullptr; }

  template <class... T>
  void operator()(T&... fields) {
    (... && one(fields));
  }

 private:
  template <class T>
  bool one(T& value) {
    if constexpr (requires { value.archive(*this); }) value.archive(*this);
    else if constexpr (requires(ByteWriter & out) { value.save(out); }) saved(value);
    else if constexpr (std::is_trivially_copyable_v<T>) plain(value);
    else list(value);
    return true;
  }
  template <class T>
  void saved(T& value) {
    if (in_) value.load(*in_);
    else value.save(*out_);
  }
  template <class T>
  void plain(T& value) {
    if (in_) in_->read(value);
    else out_->write(value);
  }
  void list(std::string& text) { plain(text); }
  template <class T>
  void list(std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T> && !requires(T & x) { x.archive(*this); }) {
      plain(values);
    } else {
      auto size = static_cast<std::uint64_t>(values.size());
      plain(size);
      if (in_) {
        values.clear();
        for (std::uint64_t i = 0; i < size; ++i) one(values.emplace_back());
      } else {
        for (T& value : values) one(value);
      }
    }
  }
  template <class T>
  void list(std::optional<T>& value) {
    bool there = value.has_value();
    plain(there);
    if (in_ && there && !value) value.emplace();
    if (!there) value.reset();
    if (value) one(*value);
  }
  template <class A, class B>
  void list(std::pair<A, B>& value) {
    one(value.first);
    one(value.second);
  }

  ByteWriter* out_ = nullptr;
  ByteReader* in_ = nullptr;
};

}  // namespace alembert::internal
