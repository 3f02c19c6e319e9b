#pragma once

// Contestants that do the same work in different ways, measured in turn, round after round, so that what disturbs the
// machine disturbs all of them. CPU time of the thread.

#include <functional>
#include <string>
#include <vector>

namespace alembert::bench {

/// Ours, code by hand for the one problem, or the program of others.
enum class Kind { ours, by_hand, rival };

struct Contestant {
  std::string name;
  Kind kind = Kind::ours;
  std::function<double()> once;  // CPU seconds of one unit of work; not a number where it failed
  double error = 0;              // of the result, where accuracy is compared
};

struct Measured {
  std::string name;
  Kind kind = Kind::ours;
  double median = 0, low = 0, high = 0;  // seconds for a unit of work: the middle round, the best, the worst
  double error = 0;
};

/// All of them in one table; what they are divided by stands first.
struct Comparison {
  std::string title, unit;  // "double pendulum, RATTLE, h = 0.01", "a step"
  std::vector<Measured> entries;
  std::string note = {};
  /// Of an entry to the first.
  double ratio(const Measured& entry) const { return entry.median / entries.front().median; }
};

/// Points of work and precision; one curve for each name.
struct WorkPrecision {
  std::string title, work, error;  // what the axes say
  std::vector<Measured> points;
};

struct Results {
  std::vector<Comparison> comparisons;
  std::vector<WorkPrecision> diagrams;
  std::vector<std::string> absent;  // rivals that this build has not
};

std::vector<Measured> measure(const std::vector<Contestant>& contestants, int rounds);

std::string to_text(const Results& results);
std::string to_json(const Results& results);
std::string to_page(const Results& results);

}  // namespace alembert::bench
