#include "run_options.h"

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

LinearSolver linear_solver(const std::string& text) {
  if (text.empty()) return LinearSolver::automatic;
  if (text == "exact") return LinearSolver::exact;
  if (text == "two-matrix") return LinearSolver::two_matrix;
  throw InputError("--newton is exact or two-matrix, not '" + text + "'");
}

Guess starting_guess(const std::string& text) {
  if (text.empty() || text == "extrapolated") return Guess::extrapolated;
  if (text == "naive") return Guess::naive;
  if (text == "educated") return Guess::educated;
  throw InputError("--guess is extrapolated, naive or educated, not '" + text + "'");
}

Control read_control(const RunChoices& choices) {
  if (choices.control.empty()) return choices.tolerance.empty() ? Control::fixed : Control::tolerance;
  if (choices.control == "fixed") return Control::fixed;
  if (choices.control == "tolerance") return Control::tolerance;
  if (choices.control == "reversible") return Control::reversible;
  throw InputError("--control is fixed, tolerance or reversible, not '" + choices.control + "'");
}

StepOptions read_steps(const RunChoices& choices) {
  StepOptions steps;
  steps.control = read_control(choices);
  const bool tolerance = steps.control == Control::tolerance, varying = steps.control != Control::fixed;
  Complaints wrong;
  const auto refuse = [&](const char* option, const std::string& text, bool allowed, const char* needed) {
    wrong.attempt([&] {
      if (!allowed && !text.empty())
        throw InputError(std::string(option) + " has no meaning here", std::string("it goes with ") + needed);
    });
  };
  for (const auto& [option, text] : {std::pair{"--tolerance", &choices.tolerance},
                                     {"--absolute-tolerance", &choices.absolute_tolerance},
                                     {"--max-step", &choices.max_step},
                                     {"--growth", &choices.growth},
                                     {"--shrink", &choices.shrink},
                                     {"--good-steps", &choices.good_steps}})
    refuse(option, *text, tolerance, "--control tolerance");
  refuse("--min-step", choices.min_step, varying, "--control tolerance or --control reversible");
  const auto positive = [&](const char* option, const std::string& text, double& value) {
    wrong.attempt([&] {
      if (text.empty()) return;
      value = read_real(option, text);
      if (value <= 0) throw InputError(std::string(option) + " wants a number above 0, not " + text);
    });
  };
  const auto whole = [&](const char* option, const std::string& text, long& value) {
    wrong.attempt([&] {
      if (!text.empty()) value = read_whole(option, text, 1);
    });
  };
  positive("--tolerance", choices.tolerance, steps.tolerance);
  positive("--absolute-tolerance", choices.absolute_tolerance, steps.absolute);
  positive("--max-step", choices.max_step, steps.largest);
  positive("--min-step", choices.min_step, steps.smallest);
  positive("--growth", choices.growth, steps.growth);
  positive("--shrink", choices.shrink, steps.shrink);
  whole("--good-steps", choices.good_steps, steps.good_steps);
  whole("--max-steps", choices.max_steps, steps.most_steps);
  wrong.raise();
  return steps;
}

NewtonOptions read_newton(const RunChoices& choices) {
  NewtonOptions newton;
  newton.linear = linear_solver(choices.newton);
  if (choices.newton_tolerance.empty()) return newton;
  newton.tolerance = read_real("--newton-tolerance", choices.newton_tolerance);
  if (!(newton.tolerance >= 0 && newton.tolerance < 1))
    throw InputError("--newton-tolerance is at least 0 and below 1, not " + choices.newton_tolerance,
                     "0, the default, solves every step to rounding");
  return newton;
}

}  // namespace

void RunChoices::declare(Options& options) {
  options.option("-m,--method", method, "M",
                 "Method, such as " ALEMBERT_DEFAULT_METHOD
                 "; see alembert methods. auto: one that suits the model, as with --tolerance alone");
  options.option("-s,--stages", stages, "S", "Replaces the method's number of stages");
  options.option("--step", step, "H", "Step size, or the first one; negative runs backward in time");
  options.option("--end", end, "T", "Time to end at");
  options.overrides(set);
  options.option("--control", control, "KIND",
                 "Step-size control: fixed, tolerance, or reversible (symmetric methods)");
  options.option("--tolerance", tolerance, "TOL", "Local error tolerance, relative, of a step; 1e-8 where not given");
  options.option("--absolute-tolerance", absolute_tolerance, "TOL",
                 "Error that is allowed beside it, in the units of each state; 0 where not given");
  options.option("--min-step", min_step, "H", "The run fails where steps would become shorter");
  options.option("--max-step", max_step, "H", "No step is longer");
  options.option("--growth", growth, "F", "Steps grow by at most this factor at once; 2 where not given");
  options.option("--shrink", shrink, "F", "They shrink by at most this factor at once; 0.2 where not given");
  options.option("--good-steps", good_steps, "N", "Steps that go well before they grow; 1 where not given");
  options.option("--max-steps", max_steps, "N", "The run fails where it needs more");
  options.option("--newton", newton, "KIND",
                 "How steps are solved: exact, or two-matrix (SPARK methods; large systems choose it by themselves)");
  options.option("--newton-tolerance", newton_tolerance, "TOL",
                 "Corrections up to this relative size are left out; 0 (the default) solves to rounding");
  options.option("--guess", guess, "KIND",
                 "Initial guess of Newton: extrapolated from the steps before (the default), naive or educated");
}

void RunChoices::check(const Model* model, Complaints& wrong) const {
  wrong.attempt([&] {
    if (method == "auto" || (method.empty() && !model)) return;
    if (method.empty() && !model->solve.method) return;
    if (model) app::chosen_method(method, stages, *model);
    else read_method("--method", method);
  });
  for (const auto& [option, text] : {std::pair{"--step", &step}, {"--end", &end}})
    wrong.attempt([&, name = option, written = text] {
      if (!written->empty()) read_real(name, *written);
    });
  wrong.attempt([&] { read_steps(*this); });
  wrong.attempt([&] { read_newton(*this); });
  wrong.attempt([&] { starting_guess(guess); });
}

MethodChoice RunChoices::chosen_method(const Model& model, const Equations& equations) const {
  const bool asked = method == "auto";
  if (asked && !stages.empty())
    throw InputError("--stages has no meaning with --method auto", "it goes with a method that has stages");
  const bool unnamed = method.empty() && stages.empty() && read_control(*this) == Control::tolerance;
  if (!asked && !unnamed) return {app::chosen_method(method, stages, model), ""};
  return choose_method(model, equations, simulation(model));
}

Method RunChoices::chosen_method(const Model& model) const { return chosen_method(model, derive(model)).method; }

SimulateOptions RunChoices::simulation(const Model& model, double start) const {
  SimulateOptions options;
  options.steps = read_steps(*this);
  // The first of steps that a tolerance chooses may be anything; a small part of the whole time is soon left behind.
  constexpr double first_part = 1e-3;
  const bool chosen = options.steps.control == Control::tolerance && step.empty() && !model.solve.step;
  if (!chosen) options.step = required_number("step", step, model.solve.step);
  options.end = required_number("end", end, model.solve.end);
  if (chosen) options.step = first_part * (options.end - start);
  options.newton = read_newton(*this);
  options.steps.guess = starting_guess(guess);
  return options;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

}  // namespace alembert::internal::app
