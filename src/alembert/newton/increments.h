#pragma once

// What every way of making a step does with its solution.

namespace alembert::internal {

/// Multipliers that much larger than predicted are taken for those of a singular position: near it they grow like one
/// over the distance, and steps come within a thousandth of it.
constexpr int wild_multipliers = 1000;

/// Compensated: state + compensation is the old sum and what was added, exactly but for the last bit of the
/// compensation.
template <class T>
void add_compensated(const T* __restrict increments, int count, T* __restrict state, T* __restrict compensation) {
  for (int i = 0; i < count; ++i) {
    const T plus = increments[i] + compensation[i];
    const T next = state[i] + plus;
    const T back = next - state[i];
    compensation[i] = (state[i] - (next - back)) + (plus - back);
    state[i] = next;
  }
}

}  // namespace alembert::internal
