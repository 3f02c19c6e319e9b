#include "alembert/run/c_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "alembert/base/lists.h"
#include "alembert/code/c_source.h"
#include "alembert/error.h"
#include "alembert/run/engine_program.h"
#include "alembert/version.h"

namespace alembert::internal {

namespace {

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// A comment must not end early.
std::string commented(std::string text) {
  for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/")) text.replace(at, 2, "* /");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "{0.1, 2.0, ...}" in lines of readable length; C has no empty lists.
std::string list_of(const std::vector<std::string>& items) {
  constexpr std::size_t widest = 100;  // characters
  if (items.empty()) return "{0}";
  std::string text = "{", line;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string piece = items[i] + (i + 1 < items.size() ? "," : "}");
    if (line.size() + piece.size() > widest) {
      text += line + "\n    ";
      line.clear();
    }
    line += line.empty() ? piece : " " + piece;
  }
  return text + line;
}

std::string numbers(const double* values, int count) {
  std::vector<std::string> items;
  for (int i = 0; i < count; ++i) items.push_back(c_number(values[i]));
  return list_of(items);
}

std::string strings(const std::vector<std::string>& names) {
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(quoted(name));
  return list_of(items);
}

class Export {
 public:
  Export(Engine& engine, const StepProgram& step, std::string prefix, std::string header)
      : engine_(engine),
        step_(step),
        prefix_(std::move(prefix)),
        header_name_(std::move(header)),
        memory_(step.program.variables) {
    begin_program(engine, step, 0, memory_.data());
    for (const OpenParameter& parameter : engine.e.parameters) parameters_.push_back(parameter.name);
  }

  std::string header() const {
    const int parameters = static_cast<int>(parameters_.size());
    std::string text = fmt::format(
        "/* {0}\n * One step of {1} for the model {2}, written by alembert {3}.\n"
        " * Compile with a compiler that neither contracts nor reorders floating point (cc -std=c99, or\n"
        " * -ffp-contract=off): then every step has the bits of the library's interpreter. */\n"
        "#ifndef {4}_H\n#define {4}_H\n\n"
        "enum {{ {4}_STATES = {5}, {4}_PARAMETERS = {6}, {4}_MEMORY = {7} }};\n\n",
        header_name_, engine_.method.name, commented(model_name()), version, capitals(), step_.states, parameters,
        step_.program.scratch);
    text += fmt::format(
        "/* Why a step was not made. The motion then stands where the step would have begun. */\n"
        "enum {{\n"
        "  {0}_MADE = 0,\n"
        "  {0}_NOT_CONVERGED = 1, /* Newton's method did not arrive, or something is not finite */\n"
        "  {0}_IN_DOUBT = 2,      /* it arrived, perhaps not where the motion goes on: take a smaller step */\n"
        "  {0}_SINGULAR = 3       /* multipliers a thousand times larger than before: a singular position */\n"
        "}};\n\n",
        capitals());
    text += fmt::format(
        "/* A motion: nothing but numbers, to be copied freely. Several may go on side by side. */\n"
        "typedef struct {{\n  double memory[{0}_MEMORY];\n}} {1}_motion;\n\n"
        "extern const char *const {1}_state_names[{0}_STATES];\n"
        "extern const double {1}_initial_state[{0}_STATES]; /* on the constraints */\n"
        "extern const char *const {1}_parameter_names[{2}];\n"
        "extern const double {1}_parameter_values[{2}]; /* as the model has them */\n\n",
        capitals(), prefix_, std::max(parameters, 1));
    text += fmt::format(
        "/* A motion begins at time t0 with steps of size h. state: on the constraints; null: the model's start.\n"
        " * parameters: null for the model's values. */\n"
        "void {0}_begin({0}_motion *motion, double t0, double h, const double *state, const double *parameters);\n\n"
        "/* Makes so many steps. Parameters and inputs may change from call to call. MADE, or why a step was not made. "
        "*/\n"
        "int {0}_steps({0}_motion *motion, long steps, const double *parameters);\n\n"
        "double {0}_time(const {0}_motion *motion);\n"
        "const double *{0}_state(const {0}_motion *motion); /* positions, then velocities */\n\n#endif\n",
        prefix_);
    return text;
  }

  std::string source() const {
    std::string text =
        fmt::format("/* See {}. Nothing is allocated, and there is no other state than the motion. */\n", header_name_);
    text += fmt::format("#include \"{}\"\n\n#include <math.h>\n\n", header_name_);
    text +=
        fmt::format("const char *const {}_state_names[{}_STATES] = {};\n", prefix_, capitals(), strings(state_names()));
    text += fmt::format("const double {}_initial_state[{}_STATES] = {};\n", prefix_, capitals(),
                        numbers(memory_.data() + step_.state, step_.states));
    const int parameters = static_cast<int>(std::max<std::size_t>(parameters_.size(), 1));
    text += fmt::format("const char *const {}_parameter_names[{}] = {};\n", prefix_, parameters, strings(parameters_));
    text += fmt::format("const double {}_parameter_values[{}] = {};\n\n", prefix_, parameters,
                        numbers(engine_.parameters.data(), static_cast<int>(engine_.parameters.size())));
    std::vector<const Program*> programs{&step_.program};
    if (step_.first_guess) programs.push_back(&*step_.first_guess);
    text += c_tables(programs, "static") + begin_function() + steps_function();
    text += fmt::format(
        "double {0}_time(const {0}_motion *motion) {{\n"
        "  return motion->memory[{1}] + motion->memory[{2}] * motion->memory[{3}];\n}}\n\n"
        "const double *{0}_state(const {0}_motion *motion) {{ return motion->memory + {4}; }}\n\n",
        prefix_, step_.start, step_.made, step_.h, step_.state);
    return text + example();
  }

 private:
  std::string capitals() const { return in_capitals(prefix_); }
  std::string model_name() const { return engine_.model.source ? engine_.model.source->name : "without a name"; }
  std::vector<std::string> state_names() const { return joined<std::string>(engine_.e.y_names, engine_.e.z_names); }

  std::string begin_function() const {
    const bool guesses = step_.first_guess.has_value();
    std::string text = fmt::format(
        "static const double first_motion[{0}_MEMORY] = {1};\n\n"
        "void {2}_begin({2}_motion *motion, double t0, double h, const double *state, const double *parameters) {{\n"
        "  double *const m = motion->memory;\n  int i;\n"
        "  const double *const p = parameters ? parameters : {2}_parameter_values;\n"
        "  for (i = 0; i < {0}_MEMORY; ++i) m[i] = first_motion[i];\n"
        "  m[{3}] = t0;\n  m[{4}] = h;\n"
        "  for (i = 0; state && i < {0}_STATES; ++i) m[{5} + i] = state[i];\n",
        capitals(), numbers(memory_.data(), step_.program.scratch), prefix_, step_.start, step_.h, step_.state);
    if (!guesses) return text + "  (void)p;\n}\n\n";
    return text + "  {\n" + with_variables(*step_.first_guess, 4) + "    (void)p;\n  }\n}\n\n";
  }

  /// The statements of a program, with its variables taken from the memory and put back.
  static std::string with_variables(const Program& program, int indent) {
    const auto place = [](int i) { return fmt::format("m[{}]", i); };
    return c_variables(program, indent, place) + c_statements(program, indent) + c_stores(program, indent, place);
  }

  std::string steps_function() const {
    return fmt::format(
        "static void make_step(double *m, const double *p) {{\n{0}  (void)p;\n}}\n\n"
        "int {1}_steps({1}_motion *motion, long steps, const double *parameters) {{\n"
        "  double *const m = motion->memory;\n"
        "  const double *const p = parameters ? parameters : {1}_parameter_values;\n"
        "  m[{2}] = 0.0;\n"
        "  for (; steps > 0; steps -= 1) {{\n"
        "    m[{3}] = 1.0;\n"
        "    make_step(m, p);\n"
        "    if (m[{2}] != 0.0) return (int)m[{2}];\n"
        "  }}\n"
        "  return {4}_MADE;\n}}\n\n",
        with_variables(step_.program, 2), prefix_, step_.status, step_.left, capitals());
  }

  std::string example() const {
    return fmt::format(
        "#ifdef {0}_MAIN\n"
        "/* cc -std=c99 -O2 -D{0}_MAIN THIS_FILE -lm: the motion as a table, every tenth step. */\n"
        "#include <stdio.h>\n#include <stdlib.h>\n\n"
        "int main(int argc, char **argv) {{\n"
        "  {1}_motion motion;\n"
        "  const long rows = argc > 1 ? atol(argv[1]) : 10, steps = argc > 2 ? atol(argv[2]) : 10;\n"
        "  long row;\n  int i, status;\n"
        "  {1}_begin(&motion, {2}, {3}, 0, 0);\n"
        "  printf(\"t\");\n"
        "  for (i = 0; i < {0}_STATES; ++i) printf(\",%s\", {1}_state_names[i]);\n"
        "  printf(\"\\n\");\n"
        "  for (row = 0; row <= rows; ++row) {{\n"
        "    printf(\"%.17g\", {1}_time(&motion));\n"
        "    for (i = 0; i < {0}_STATES; ++i) printf(\",%.17g\", {1}_state(&motion)[i]);\n"
        "    printf(\"\\n\");\n"
        "    if (row == rows) break;\n"
        "    status = {1}_steps(&motion, steps, 0);\n"
        "    if (status != {0}_MADE) {{\n"
        "      fprintf(stderr, \"no step at t = %g: status %d\\n\", {1}_time(&motion), status);\n"
        "      return 1;\n    }}\n  }}\n  return 0;\n}}\n#endif\n",
        capitals(), prefix_, c_number(engine_.t0), c_number(engine_.options.step));
  }

  Engine& engine_;
  const StepProgram& step_;
  std::string prefix_, header_name_;
  std::vector<double> memory_;
  std::vector<std::string> parameters_;
};

}  // namespace

CFiles export_c(Engine& engine, const std::string& prefix, const std::string& header) {
  const EngineProgram program = program_of(engine, {});
  if (!program.step)
    throw InputError("this step cannot be written as one function: " + program.why,
                     "small systems with steps of one size can; another method may do");
  if (!engine.model.events.empty())
    throw InputError("the model has events, which single steps do not follow",
                     "leave them out of the text that is exported");
  const Export text(engine, *program.step, prefix, header);
  return {text.source(), text.header()};
}

}  // namespace alembert::internal
