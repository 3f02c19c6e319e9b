#pragma once

// Runs of gallery models with every row kept, and what they are compared with: closed forms, or a second formulation
// integrated by extrapolation, which shares nothing with the program.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/run/simulate.h"

namespace alembert::internal::testing {

struct Followed {
  Report report;
  std::vector<std::string> names;  // of the columns
  std::vector<std::vector<double>> rows;
  double value(std::size_t row, const std::string& name) const;
};

/// Runs models/NAME.alm with a method and keeps every row. Expects that the run ends well and that every constraint
/// holds to rounding at every step, on both levels.
Followed follow(const std::string& name, const std::string& method, double step, double end,
                const std::vector<std::string>& overrides = {}, bool given_start = true);

/// How a model is run, and how near the truth it must come.
struct Trial {
  const char* method;
  double step;
  double tolerance;
};

using Values = std::vector<std::pair<std::string, double>>;

/// Expects of every row what `exact` says of its time; it is asked in the order of the run.
void expect_motion(const Followed& followed, const std::function<Values(double t)>& exact, double tolerance);

/// x' = rates(t, x), followed in extended precision by the midpoint rule extrapolated to order 16.
class Reference {
 public:
  using State = std::vector<long double>;
  using Rates = std::function<void(long double t, const State& x, State& rates)>;
  Reference(Rates rates, State start) : rates_(std::move(rates)), x_(std::move(start)) {}
  /// The state at t; goes on from where it was asked last.
  const State& at(double t);

 private:
  void advance(long double h);
  Rates rates_;
  long double t_ = 0;
  State x_;
};

}  // namespace alembert::internal::testing
