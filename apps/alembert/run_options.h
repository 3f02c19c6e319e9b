#pragma once

// The options that say how a model is run: those of run, and of every run of a sweep.

#include <string>
#include <vector>

#include "alembert/run/choose_method.h"
#include "alembert/run/simulate.h"
#include "command_line.h"
#include "commands.h"

namespace alembert::internal::app {

/// As written; empty where not given.
struct RunChoices {
  std::string method, stages, step, end, newton, newton_tolerance, guess;
  std::string control, tolerance, absolute_tolerance, min_step, max_step, growth, shrink, good_steps, max_steps;
  std::vector<std::string> set;

  void declare(Options& options);
  /// All that is wrong with what was written, whatever the model is; where there is one, also with the method that it
  /// names.
  void check(const Model* model, Complaints& wrong) const;
  /// The method that was named, or the one that suits the model: where `auto` was asked for, or a tolerance and no
  /// method. Its reason is empty where it was named.
  MethodChoice chosen_method(const Model& model, const Equations& equations) const;
  Method chosen_method(const Model& model) const;
  /// Step, end, control of steps and Newton's way; throws InputError.
  SimulateOptions simulation(const Model& model, double start = 0) const;
};

/// The parts of a list "a,b,c" with at least one entry.
std::vector<std::string> split_list(const std::string& text);

}  // namespace alembert::internal::app
