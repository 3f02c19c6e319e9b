#pragma once

// |x| for every scalar type: std::abs knows neither Quad nor the types of the tests.

namespace alembert::internal {

template <class T>
T magnitude(T x) {
  return x < 0 ? -x : x;
}

}  // namespace alembert::internal
