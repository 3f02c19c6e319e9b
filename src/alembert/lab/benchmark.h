#pragma once

// The benchmarks of others: problems with a reference, our runs at several accuracies, and what other solvers were
// reported to need.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "alembert/run/integrate.h"

namespace alembert::internal::benchmark {

/// A row of a printed table of another solver; NaN and -1 where the table does not say.
struct Published {
  std::string solver;
  double accuracy = NAN;  // that was asked for: rtol = atol
  double mescd = NAN, scd = NAN;
  long steps = -1, evaluations = -1, jacobians = -1, factorizations = -1;
  double seconds = NAN;  // on the machine of its time
};

/// Equal steps up to a time.
struct Stretch {
  double until = 0;
  long steps = 0;
  std::string method{};  // "": that of the trial
};

/// A run of ours: stretches of equal steps, chosen beforehand, or steps chosen by a tolerance.
struct Trial {
  std::string method;  // "auto": the one that a run with a tolerance alone chooses
  std::vector<Stretch> grid{};
  double tolerance = 0;   // above 0: instead of the grid
  bool dear = false;      // takes seconds: left out by --quick
  bool exact = false;     // Newton's own matrix, where steps are too long for the two small ones of SPARK methods
  bool compiled = false;  // all of it, before the run begins
};

struct Problem {
  std::string name, title;
  std::string model;                 // of the gallery
  std::vector<std::string> changes;  // "N=40"
  double end = 0;
  /// What is compared. scd counts `counted` alone, mescd `others` too.
  struct Quantity {
    std::vector<double> expected;
    std::function<std::vector<double>(const MotionPoint<double>&)> value;
  };
  Quantity counted{}, others{};
  std::string counts{};                      // what `counted` is, in words
  std::vector<double> accuracies{3, 6, 10};  // digits (scd) for which the best method is told
  std::vector<Trial> trials{};
  std::vector<Published> published{};
  std::string origin{};   // of what was published; "" where there is no table of solvers
  bool singular = false;  // passes singular positions: run as `alembert run` does, which watches for them
};

/// All of them; a new one is one more entry there.
std::vector<Problem> problems();

/// What one run of ours came to.
struct Row {
  Trial trial;
  bool chosen = false;  // the method too, by the program
  double scd = NAN, mescd = NAN;
  long steps = 0;  // all that were made, also those that were rejected or made for comparison only
  long evaluations = 0, iterations = 0, factorizations = 0;
  double seconds = 0;   // CPU time of the steps; compiling not counted
  std::string failure;  // why there are no digits; "" where there are
};

struct Result {
  Problem problem;
  bool whole = true;  // no run was left out
  std::vector<Row> rows;
  /// Of the rows with at least so many digits the one with the fewest steps, or with the least CPU time; nullptr where
  /// there is none.
  const Row* shortest(double scd) const;
  const Row* fastest(double scd) const;
  double digits() const;  // the most that were reached (scd)
  bool ahead() const;     // of every published row: at least its digits in fewer steps
  /// Of the published rows: those of which a run with a tolerance alone, nothing chosen by hand, reaches the digits in
  /// fewer steps, and with fewer evaluations where they were counted.
  long ahead_by_tolerance() const;
  /// A run that failed; where all were made also a reference not met to 1e-10, a solver with fewer steps. "" if none.
  std::string missed() const;
};

struct Options {
  std::vector<std::string> names;  // empty: all
  bool quick = false;
  /// Fraction of the runs, and what is being run.
  std::function<void(double done, const std::string& running)> progress;
};

struct Benchmarks {
  bool quick = false;
  std::vector<Result> results;
  bool passed() const;
};

/// One run of a problem, with the model and its equations.
Row run_trial(const Problem& problem, const Model& model, const Equations& equations, const Trial& trial);

/// One run after the other, for times are measured. Throws InputError for an unknown name.
Benchmarks run_benchmarks(const Options& options);

/// -log10 of the largest relative error (scd), and of the largest of |error|/(1 + |value|) (mescd), as the Test Set for
/// IVP Solvers defines them for rtol = atol. More than 16 where the values are equal.
double scd(const std::vector<double>& values, const std::vector<double>& expected);
double mescd(const std::vector<double>& values, const std::vector<double>& expected);

std::string to_text(const Benchmarks& benchmarks);
std::string to_json(const Benchmarks& benchmarks);
std::string to_markdown(const Benchmarks& benchmarks);

}  // namespace alembert::internal::benchmark
