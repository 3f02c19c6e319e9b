#pragma once

// The contests, one function each.

#include <string>

#include "measure.h"

namespace alembert::bench {

struct BenchOptions {
  int rounds = 7;
  bool quick = false;   // fewer sizes and shorter runs
  std::string program;  // alembert itself, for whole processes; "": these are left out
};

/// Steps of the double pendulum against steps by hand.
void compare_steps(const BenchOptions& options, Results& results);
/// CPU time and error of the regular double pendulum at t = 240, against SUNDIALS.
void compare_precision(const BenchOptions& options, Results& results);
/// The same for car axis and Andrews' mechanism.
void compare_mechanisms(const BenchOptions& options, Results& results);
/// Chains of rods against a tridiagonal matrix by hand.
void compare_rods(const BenchOptions& options, Results& results);
/// Chains of rigid links.
void compare_links(const BenchOptions& options, Results& results);
/// CPU seconds of a command, of the user and of the system; its output is not shown. Not a number where it fails.
double process_seconds(std::vector<std::string> words);
/// A whole process, with and without the code that earlier ones compiled.
void compare_processes(const BenchOptions& options, Results& results);

}  // namespace alembert::bench
