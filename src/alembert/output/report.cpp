#include "alembert/output/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "alembert/derive/ports/port_equations.h"
#include "alembert/quad.h"

namespace alembert::internal {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

// JSON ----------------------------------------------------------------------------------------------------------------

/// JSON knows no infinities; what is missing or not finite is null.
Json number(const Values& values, std::size_t i) {
  return i < values.size() && std::isfinite(values[i]) ? Json(values[i]) : Json();
}
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// The values of a block, nested as its shape says; `at` walks through them.
Json shaped(const Block& block, const Values& values, std::size_t level, std::size_t& at) {
  if (level == block.shape.size()) return number(values, at++);
  Json list = Json::array();
  for (int i = 0; i < block.shape[level]; ++i) list.push_back(shaped(block, values, level + 1, at));
  return list;
}
Json named(const std::vector<Block>& blocks, const Values& values) {
  Json object = Json::object();
  for (const Block& block : blocks) {
    std::size_t at = block.first;
    object[block.name] = shaped(block, values, 0, at);
  }
  return object;
}

/// The value of each constraint's multiplier, in the order of the model's constraints.
Values multipliers(const Values& lambda, const Values& psi, const Model& model, const Equations& equations) {
  Values all(model.constraints.size(), std::nan(""));
  const auto place = [&](const std::vector<int>& constraint, const Values& values) {
    for (std::size_t i = 0; i < constraint.size() && i < values.size(); ++i) all.at(constraint[i]) = values[i];
  };
  place(equations.g_constraint, lambda);
  place(equations.psi_constraint, psi);
  return all;
}

Json invariants_json(const Report& report, const Model& model) {
  Values initial, final, max_error;
  for (const Watched& w : report.invariants) {
    initial.push_back(w.initial);
    final.push_back(w.final);
    max_error.push_back(w.max_error);
  }
  const Json first = named(model.invariants, initial);
  const Json last = named(model.invariants, final);
  const Json error = named(model.invariants, max_error);
  Json object = Json::object();
  for (const Block& block : model.invariants) {
    object[block.name] = {
        {"initial", first[block.name]}, {"final", last[block.name]}, {"max_error", error[block.name]}};
  }
  return object;
}

const char* control_name(Control control) {
  switch (control) {
    case Control::fixed: return "fixed";
    case Control::tolerance: return "tolerance";
    case Control::reversible: return "reversible";
  }
  return "";
}

Json events_json(const Report& report, const Model& model, const Equations& equations) {
  Json list = Json::array();
  for (const EventRecord& record : report.events) {
    Json state = Json::object(), multiplier = Json::object();
    for (std::size_t i = 0; i < record.state.size(); ++i) {
      const std::size_t n_y = equations.y_names.size();
      state[i < n_y ? equations.y_names[i] : equations.z_names[i - n_y]] = number(record.state, i);
    }
    const Values values = multipliers(record.lambda, record.psi, model, equations);
    for (std::size_t i = 0; i < values.size(); ++i) multiplier[model.constraints[i].name] = number(values[i]);
    list.push_back({{"name", model.events.at(record.event).name},
                    {"t", number(record.t)},
                    {"state", state},
                    {"multipliers", multiplier}});
  }
  return list;
}

Json joints_json(const Report& report) {
  Json object = Json::object();
  const auto list = [](const Values& values) {
    Json numbers = Json::array();
    for (const double v : values) numbers.push_back(number(v));
    return numbers;
  };
  for (const JointForces& j : report.joints)
    object[j.name] = {{"kind", j.kind},
                      {"on", j.body},
                      {"from", j.other},
                      {"force", list(j.force)},
                      {"moment", list(j.moment)},
                      {"force_in_joint", list(j.force_in_joint)},
                      {"moment_in_joint", list(j.moment_in_joint)}};
  return object;
}

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::done: return "done";
    case Ending::interrupted: return "interrupted";
    case Ending::failed: return "failed";
  }
  return "";
}

// Text ----------------------------------------------------------------------------------------------------------------

constexpr std::size_t listed = 6;  // entries of a list that are written out

/// A few digits, for the eye: errors and residuals.
std::string brief(double value) { return value == 0 ? "0" : fmt::format("{:.2g}", value); }
/// A value that is read, not compared: six digits, and no negative zero.
std::string plain(double value) { return value == 0 ? "0" : fmt::format("{:.6g}", value); }

std::string plural(long count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "(1.2 ± 3.1)e-12": both with the power of ten of the larger, the uncertainty with two digits.
std::string with_uncertainty(double value, double uncertainty) {
  if (!std::isfinite(value) || !std::isfinite(uncertainty)) return brief(value) + " ± " + brief(uncertainty);
  const double largest = std::max(std::abs(value), uncertainty);
  if (largest == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  const double unit = std::pow(10.0, exponent);
  const double share = uncertainty / unit;
  const int digits = share > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(share))), 1, 8) : 1;
  return fmt::format("({:.{}f} ± {:.{}f})e{:+03d}", value / unit, digits, share, digits, exponent);
}

/// "a, b, c and 4 more".
std::string shortened(const std::vector<std::string>& parts, const char* between = ", ") {
  const std::size_t shown = std::min(parts.size(), listed);
  std::string text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + shown, between));
  if (parts.size() > shown) text += fmt::format(" and {} more", parts.size() - shown);
  return text;
}

/// Lines of the form "  topic       what is said", continued below with the same indent.
class Lines {
 public:
  explicit Lines(std::string title) : text_(std::move(title) + "\n") {}
  void add(const std::string& topic, const std::string& said) {
    text_ += fmt::format("  {:<12}", topic);
    for (const char c : said) text_ += c == '\n' ? "\n" + std::string(14, ' ') : std::string(1, c);
    text_ += "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string title(const Report& report) {
  const std::string name = report.model.empty() ? "Model without a name" : report.model;
  std::string steps = plural(report.steps, "step") + " of ";
  if (report.control == Control::fixed || report.steps == 0) steps += to_text(report.step);
  else steps += brief(report.smallest_step) + " to " + brief(report.largest_step);
  if (report.ending == Ending::done)
    return fmt::format("{}: {}, {} to t = {}", name, report.method, steps, plain(report.t));
  return fmt::format("{}: {}, {} after {}, at t = {}", name, report.method, ending_name(report.ending), steps,
                     to_text(report.t));
}

std::string energy_line(const Report& report) {
  if (!report.has_energy) return "none in this model";
  std::string said =
      fmt::format("{} initially, max error {}", plain(report.energy.initial), brief(report.energy.max_error));
  if (!std::isfinite(report.drift.per_time) || !std::isfinite(report.drift.uncertainty)) return said;
  said += ", drift " + with_uncertainty(report.drift.per_time, report.drift.uncertainty) + " per time";
  if (report.drift.uncertainty == 0) return said;
  // Two standard errors: what chance exceeds once in twenty runs.
  const bool seen = std::abs(report.drift.per_time) > 2 * report.drift.uncertainty;
  return said + (seen ? ": beyond its uncertainty" : ": none beyond its uncertainty");
}

/// The energies of the components that change most.
std::string component_line(const Report& report, const Equations& equations) {
  constexpr std::size_t most = 4;
  std::vector<std::size_t> order(report.energies.size());
  std::iota(order.begin(), order.end(), 0);
  const auto change = [&](std::size_t i) { return std::abs(report.energies[i] - report.first_energies[i]); };
  if (order.size() > most) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return change(a) > change(b); });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  std::string said = "energy of";
  for (const std::size_t i : order)
    said += fmt::format("{} {} from {} to {}", i == order[0] ? "" : ",", equations.port->energy_names[i],
                        plain(report.first_energies[i]), plain(report.energies[i]));
  if (report.energies.size() > most) said += fmt::format(" and of {} more", report.energies.size() - most);
  return said;
}

std::string residual_line(const Report& report, const Equations& equations) {
  std::vector<std::string> parts, of;
  if (!equations.g.empty()) {
    parts.push_back("position " + brief(report.position));
    parts.push_back("velocity " + brief(report.velocity));
    of.insert(of.end(), {"g", "g'"});
  }
  if (!equations.k.empty()) {
    parts.push_back((equations.port ? "hidden " : "nonholonomic ") + brief(report.nonholonomic));
    of.push_back(equations.port ? "the algebraic rows without algebraic states" : "k");
  }
  if (report.has_discrete) {
    parts.push_back("discrete " + brief(report.discrete));
    of.push_back("k in the mean of a step");
  }
  return fmt::format("{}   (largest residual of {} over all steps)", fmt::join(parts, "   "), fmt::join(of, ", "));
}

/// How g' moves where the method does not hold it.
std::string velocity_lines(const Report& report, const Equations& equations) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.velocity_ranges.size() && i < listed; ++i) {
    const Extremes& range = report.velocity_ranges[i];
    parts.push_back(fmt::format("{}: from {:.6g} to {:.6g}", equations.g_names[i], range.least, range.most));
  }
  if (report.velocity_ranges.size() > listed)
    parts.push_back(fmt::format("and {} more", report.velocity_ranges.size() - listed));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string invariant_lines(const Report& report, const Model& model) {
  std::vector<std::string> parts;
  for (const Block& block : model.invariants) {
    double error = 0;
    std::vector<std::string> initial;
    for (int i = block.first; i < block.first + block.size && i < static_cast<int>(report.invariants.size()); ++i) {
      // Not max() alone: a NaN must not be swallowed.
      const double entry = report.invariants[i].max_error;
      error = std::isnan(entry) || std::isnan(error) ? std::nan("") : std::max(error, entry);
      initial.push_back(plain(report.invariants[i].initial));
    }
    const std::string value = block.shape.empty() ? shortened(initial) : "(" + shortened(initial) + ")";
    parts.push_back(fmt::format("{}: {} initially, max error {}", block.name, value, brief(error)));
  }
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string joint_lines(const Report& report) {
  std::vector<std::string> parts;
  const auto vector = [](const Values& values) {
    std::vector<std::string> numbers;
    for (const double v : values) numbers.push_back(plain(v));
    return numbers.size() == 1 ? numbers[0] : fmt::format("({})", fmt::join(numbers, ", "));
  };
  for (const JointForces& j : report.joints)
    parts.push_back(fmt::format("{} ({}) on {}: force {}, moment {}\nin its own frame: force {}, moment {}", j.name,
                                j.kind, j.body, vector(j.force), vector(j.moment), vector(j.force_in_joint),
                                vector(j.moment_in_joint)));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string event_lines(const Report& report, const Model& model) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < model.events.size(); ++i) {
    std::vector<double> times;
    for (const EventRecord& record : report.events)
      if (record.event == static_cast<int>(i)) times.push_back(record.t);
    std::string said = model.events[i].name + ": ";
    if (times.empty()) said += "never";
    else if (times.size() == 1) said += "at t = " + to_text(times[0]);
    else said += fmt::format("{} times, from t = {} to {}", times.size(), plain(times.front()), plain(times.back()));
    parts.push_back(said);
  }
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string singular_line(const Report& report) {
  const Report::SingularPosition& first = report.singular_positions.front();
  std::string said = "passed before t = " + plain(first.t);
  if (!first.words.empty()) said += " (constraint " + first.words + ")";
  if (report.singular_positions.size() > 1)
    said += fmt::format(" and {} more times", report.singular_positions.size() - 1);
  return said;
}

std::string newton_line(const Report& report) {
  const NewtonStatistics& n = report.newton;
  std::string said = fmt::format("{:.1f} iterations a step",
                                 static_cast<double>(n.iterations) / static_cast<double>(std::max(report.steps, 1L)));
  if (n.factorizations > 0) {
    said += ", " + plural(n.factorizations, "factorisation");
    if (!n.factorization_sizes.empty()) {
      std::vector<std::string> sizes;
      for (const int size : n.factorization_sizes) sizes.push_back(fmt::format("{0} x {0}", size));
      said += " of " + shortened(sizes);
    }
  }
  if (report.rejected > 0) said += ", " + plural(report.rejected, "step") + " rejected";
  return said;
}

}  // namespace

std::string to_json(const Report& report, const Model& model, const Equations& equations) {
  const Claims& claims = report.claims;
  Json json;
  json["model"] = report.model;
  json["method"] = report.method;
  json["stages"] = report.stages > 0 ? Json(report.stages) : Json();
  json["step"] = number(report.step);
  if (report.control != Control::fixed) json["control"] = control_name(report.control);
  json["t"] = number(report.t);
  json["order"] = {{"q", claims.order_q}, {"v", claims.order_v}, {"multiplier", claims.order_multiplier}};
  // Velocities go by the name of their coordinate; momenta by their own where the user gave them one.
  json["q"] = named(model.coordinates, report.y);
  json["v"] = named(model.coordinates, report.v);
  json["p"] = model.port ? Json::object()
                         : named(model.form == Form::lagrangian ? model.coordinates : model.momenta, report.momentum);
  Json& multiplier = json["multipliers"] = Json::object();
  const Values values = multipliers(report.lambda, report.psi, model, equations);
  for (std::size_t i = 0; i < values.size(); ++i) multiplier[model.constraints[i].name] = number(values[i]);
  if (model.port) {
    // Every state under its own name, the algebraic ones among them.
    const PortSystem& port = *model.port;
    Values x(port.x.size(), std::nan(""));
    for (std::size_t i = 0; i < port.differential.size() && i < report.z.size(); ++i)
      x[port.differential[i]] = report.z[i];
    for (std::size_t i = 0; i < port.algebraic.size() && i < report.psi.size(); ++i)
      x[port.algebraic[i]] = report.psi[i];
    json["variables"] = named(port.states, x);
    json["inputs"] = named(port.inputs, report.inputs);
    json["outputs"] = named(port.outputs, report.outputs);
    for (std::size_t i = 0; i < report.energies.size(); ++i)
      json["energies"][equations.port->energy_names[i]] = {{"initial", number(report.first_energies[i])},
                                                           {"final", number(report.energies[i])}};
  }
  if (model.form == Form::general) {
    json["variables"] = named(model.coordinates, report.y);
    json["variables"].update(named(model.momenta, report.z));
  }
  if (report.has_energy) {
    json["energy"] = {{"initial", number(report.energy.initial)},
                      {"final", number(report.energy.final)},
                      {"max_error", number(report.energy.max_error)},
                      {"drift_per_time", number(report.drift.per_time)},
                      {"drift_uncertainty", number(report.drift.uncertainty)}};
  } else {
    json["energy"] = nullptr;
  }
  json["residual"] = {{"position", number(report.position)},
                      {"velocity", number(report.velocity)},
                      {"nonholonomic", number(report.nonholonomic)}};
  if (report.has_discrete) json["residual"]["discrete"] = number(report.discrete);
  if (!report.velocity_ranges.empty()) {
    Json& ranges = json["residual"]["velocity_ranges"] = Json::object();
    for (std::size_t i = 0; i < report.velocity_ranges.size(); ++i)
      ranges[equations.g_names[i]] = {number(report.velocity_ranges[i].least), number(report.velocity_ranges[i].most)};
  }
  json["invariants"] = invariants_json(report, model);
  if (report.foretold.steps > 0)
    json["power_balance"] = {{"max_residual", number(report.foretold.max_residual)},
                             {"foretold", number(report.foretold.total)},
                             {"actual", number(report.foretold.actual)},
                             {"max_change", number(report.foretold.max_change)}};
  if (report.foretold.parted) {
    json["power_balance"]["stored"] = number(report.foretold.actual);
    json["power_balance"]["dissipated"] = number(report.foretold.dissipated);
    json["power_balance"]["supplied"] = number(report.foretold.supplied);
  }
  if (!report.joints.empty()) json["joints"] = joints_json(report);
  if (!model.events.empty()) {
    json["events"] = events_json(report, model, equations);
    json["stopped"] = text_or_null(report.stopped);
  }
  json["statistics"] = {{"steps", report.steps},
                        {"rejected", report.rejected},
                        {"newton_iterations", report.newton.iterations},
                        {"factorizations", report.newton.factorizations},
                        {"factorization_sizes", report.newton.factorization_sizes},
                        {"evaluations", report.newton.evaluations},
                        {"compile_seconds", number(report.compile_seconds)},
                        {"run_seconds", number(report.run_seconds)}};
  if (report.control != Control::fixed) {
    json["statistics"]["smallest_step"] = number(report.smallest_step);
    json["statistics"]["largest_step"] = number(report.largest_step);
  }
  Json& changes = json["initial_changes"] = Json::array();
  for (const InitialValues::Change& change : report.initial.changes) {
    changes.push_back({{"name", change.name}, {"from", number(change.from)}, {"to", number(change.to)}});
  }
  json["redundant"] = report.initial.redundant;
  for (const Report::SingularPosition& s : report.singular_positions) {
    json["singular_positions"].push_back({{"t", number(s.t)}, {"constraints", s.words}});
  }
  json["ending"] = ending_name(report.ending);
  json["reason"] = text_or_null(report.reason);
  Json& internal = json["internal"] = Json::object();
  for (std::size_t i = 0; i < report.internal_names.size(); ++i) {
    internal[report.internal_names[i]] = number(report.internal, i);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Report& report, const Model& model, const Equations& equations) {
  Lines lines(title(report));
  if (!report.reason.empty()) lines.add(ending_name(report.ending), report.reason);
  if (!report.initial.changes.empty()) {
    std::vector<std::string> moved;
    for (const InitialValues::Change& c : report.initial.changes) {
      moved.push_back(fmt::format("{} from {} to {}", c.name, plain(c.from), plain(c.to)));
    }
    lines.add("initial", "moved onto the constraints: " + shortened(moved));
  }
  if (!report.initial.redundant.empty()) lines.add("redundant", shortened(report.initial.redundant, "\n"));
  if (!report.singular_positions.empty()) lines.add("singular", singular_line(report));
  lines.add("energy", energy_line(report));
  if (!report.energies.empty()) lines.add("components", component_line(report, equations));
  if (report.foretold.parted)
    lines.add("balance", fmt::format("stored {} = supplied {} - dissipated {}; largest residual of a step {}",
                                     plain(report.foretold.actual), plain(report.foretold.supplied),
                                     plain(report.foretold.dissipated), brief(report.foretold.max_residual)));
  else if (report.foretold.steps > 0)
    lines.add(
        "foretold",
        fmt::format("change of energy by the stages {}, actual {}; in one step they differ by {} at most",
                    brief(report.foretold.total), brief(report.foretold.actual), brief(report.foretold.max_residual)));
  if (!equations.g.empty() || !equations.k.empty()) lines.add("constraints", residual_line(report, equations));
  if (!report.velocity_ranges.empty()) lines.add("g' moves", velocity_lines(report, equations));
  if (!model.invariants.empty()) lines.add("invariants", invariant_lines(report, model));
  if (!report.joints.empty()) lines.add("joints", joint_lines(report));
  if (!model.events.empty()) lines.add("events", event_lines(report, model));
  lines.add("Newton", newton_line(report));
  lines.add("time", fmt::format("{:.2f} s (+ {:.2f} s compiling)", report.run_seconds, report.compile_seconds));
  if (!report.claims.note.empty()) lines.add("note", report.claims.note);
  return lines.text();
}

}  // namespace alembert::internal
