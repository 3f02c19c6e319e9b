#pragma once

// What values of the public classes hold, for the library alone.

#include <utility>

namespace alembert::internal {

struct Inside {
  template <class T>
  static const auto& held(const T& value) {
    return value.held_;
  }
  template <class T, class... Arguments>
  static T make(Arguments&&... arguments) {
    return T(std::forward<Arguments>(arguments)...);
  }
};

/// The model, equations or method of the library that a public one stands for; it lives as long as a copy of that.
template <class T>
const auto& inside(const T& value) {
  return *Inside::held(value);
}

}  // namespace alembert::internal
