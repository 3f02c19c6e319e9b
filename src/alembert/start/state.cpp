#include "alembert/start/state.h"

#include "alembert/base/lists.h"

namespace alembert::internal {

std::vector<double> flat(const State& state) { return joined<double>(state.t, state.y, state.z); }

Place place_of(const std::vector<Block>& blocks, int flat_number) {
  for (const Block& b : blocks) {
    if (flat_number >= b.first && flat_number < b.first + b.size) return b.place;
  }
  return {};
}

}  // namespace alembert::internal
