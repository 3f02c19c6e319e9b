#pragma once

// What every way of making a step does with its solution.

namespace alembert::internal {

/// Multipliers that much larger than predicted are taken for those of a singular position: near it they grow like one
/// over the distance, and steps come within a thousandth of it.
constexpr int wild_multipliers = 1000;

/// Compensated: state + compensation is the old sum and what was added, exactly but for the last bit of the
/// compensation, also where that is finer than the increment. cut_off: what belongs to the increments beside them
/// (cut_off_of); null where nothing does.
template <class T>
void add_compensated(const T* __restrict increments, const T* __restrict cut_off, int count, T* __restrict state,
                     T* __restrict compensation) {
  for (int i = 0; i < count; ++i) {
    const T left = cut_off ? compensation[i] + cut_off[i] : compensation[i];
    const T plus = increments[i] + left;
    const T rest = left - (plus - increments[i]);
    const T next = state[i] + plus;
    const T back = next - state[i];
    compensation[i] = ((state[i] - (next - back)) + (plus - back)) + rest;
    state[i] = next;
  }
}

}  // namespace alembert::internal
