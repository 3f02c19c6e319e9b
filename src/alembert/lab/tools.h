#pragma once

// What the entries of several papers share.

#include "alembert/lab/entry.h"
#include "alembert/study/converge.h"

namespace alembert::internal::reproduce {

/// A run with everything it passed through.
struct Recorded {
  Report report;
  Trajectory trajectory;
  std::vector<double> energy_error() const;  // E - E(0) at every row
  const std::vector<double>& column(int number) const { return trajectory.values.at(number); }
};
Recorded record(const Workbench& work, const Model& model, const std::string& method, double step, double end,
                long every = 1);

/// A line without markers.
Curve line(std::string name, std::vector<double> x, std::vector<double> y);
std::vector<double> sizes(std::vector<double> values);  // |value|
double largest(const std::vector<double>& values);      // of |value|; NaN where one is

/// Euclidean distance.
double length(const std::vector<double>& a, const std::vector<double>& b);

/// Slope of the line through the last `count` points of a logarithmic plot.
double slope(const std::vector<double>& h, const std::vector<double>& error, std::size_t count = 2);

/// Measured orders of several methods on a model of the gallery, as one panel with triangles, and a check each.
/// Expected orders below zero are not checked.
struct OrderCase {
  std::string method;
  double q = -1, v = -1, multiplier = -1;
};
Convergence measure(const Workbench& work, const Model& model, const std::vector<OrderCase>& cases,
                    const std::vector<double>& steps, double end, bool quad);
void check_orders(Findings& findings, const Convergence& measured, const std::vector<OrderCase>& cases,
                  double tolerance = 0.15);
Panel order_panel(const Convergence& measured, const std::string& title);

}  // namespace alembert::internal::reproduce
