#pragma once

// Where the normals and slips of contacts stand: rows, one behind the other.

#include <vector>

namespace alembert::internal {

struct SlipRows {
  int first = 0, size = 1;
};

struct ContactLayout {
  int normal = 0;  // its row
  std::vector<SlipRows> friction;
};

}  // namespace alembert::internal
