#pragma once

// Moments to be found on the way, and what happens there.

#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/expr.h"
#include "alembert/model/prescribed.h"

namespace alembert::internal {

/// A moment to be found: where value goes through 0.
struct Event {
  std::string name;   // "bottom", "hit[3]" for a family, "event 2" where the user gave none; "stop", "stop 2"
  Expr value;         // left - right
  bool stop = false;  // the run ends there
  Place place;
  int direction = 0;            // 1: only where value rises in time, -1: where it falls, 0: both
  long stop_after = 0;          // the run ends with this one of them; 0: with none
  std::vector<Action> actions;  // all with the values before it
  int counted_with = -1;        // the event of its family that counts for all; -1: it counts for itself
  int contact = -1;             // a change of this contact, without a value, of this kind; -1: none
  std::string kind = {};
};

}  // namespace alembert::internal
