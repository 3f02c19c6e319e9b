#pragma once

// What a run with contacts notes of each of them from event to event.

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace alembert::internal {

/// The impacts of one contact, which may come at ever shorter intervals.
struct ImpactSeries {
  double t = -INFINITY;     // of the last
  double passed = 0;        // between the last two
  double ratio = INFINITY;  // to the time before
  int steady = 0;           // times in a row that the ratio was about the same
  double said = NAN;        // when they end, by the last three
  // The same where it changed least from one impact to the next: later it is lost in rounding.
  double limit = NAN, limit_off = INFINITY, limit_ratio = NAN;
};

/// What is known of the mode that comes, beyond what the state says.
struct ContactTold {
  std::vector<bool> hit;                         // the gap closes now
  std::vector<bool> opens;                       // the force becomes negative
  std::vector<bool> idle;                        // the same where others bear what it did
  std::vector<bool> stops;                       // per friction: its slip is 0
  std::vector<bool> starts;                      // per friction: its bound is reached
  std::vector<std::array<double, 2>> direction;  // of those
  ContactTold(std::size_t contacts, int frictions)
      : hit(contacts, false),
        opens(contacts, false),
        idle(contacts, false),
        stops(static_cast<std::size_t>(frictions), false),
        starts(stops),
        direction(stops.size()) {}
};

}  // namespace alembert::internal
