// Measured convergence as text, JSON, CSV and a figure.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/base/trees.h"
#include "alembert/output/attributes.h"
#include "alembert/plot/plot.h"
#include "alembert/run/report_names.h"
#include "alembert/study/converge.h"

namespace alembert {
namespace {

std::string order_text(double order) { return std::isfinite(order) ? fmt::format("{:.2f}", order) : ""; }

/// "1.23e-05", with a mark where it is rounding; only a bound where the reference knows no better.
std::string error_text(const ErrorColumn& column, std::size_t i, double reference) {
  const double error = column.error[i];
  if (std::isnan(error)) return "";
  switch (column.standing[i]) {
    case Standing::reference: return fmt::format("<{:.1e} ", 10 * reference);
    case Standing::rounding: return fmt::format("{:.2e}~", error);
    case Standing::good: break;
  }
  return fmt::format("{:.2e} ", error);
}

bool any(const Convergence& c, Standing standing) {
  for (const MethodConvergence& m : c.methods) {
    for (const ErrorColumn* column : {&m.q, &m.v, &m.multiplier}) {
      for (std::size_t i = 0; i < column->error.size(); ++i) {
        if (column->standing[i] == standing && !std::isnan(column->error[i])) return true;
      }
    }
  }
  return false;
}

const char* standing_name(Standing standing) {
  switch (standing) {
    case Standing::good: return "good";
    case Standing::rounding: return "rounding";
    case Standing::reference: return "reference";
  }
  return "";
}

std::string about_kinks(const Convergence& c) {
  return fmt::format(
      "the equations have kinks, and the motion meets {} of them: in extended precision steps go over them, so that "
      "errors and orders are those of the kinks and not of the method; measure in double precision, where steps end at "
      "them, or give an `end` in front of the first one",
      c.kinks);
}

std::string table(const Convergence& c, const MethodConvergence& m) {
  std::string text = fmt::format("{:>13} {:>11} {:>6} {:>11} {:>6}", "step", "error q ", "order", "error v ", "order");
  if (c.has_multipliers) text += fmt::format(" {:>11} {:>6}", "multiplier ", "order");
  text += fmt::format(" {:>12} {:>8} {:>10}\n", "evaluations", "Newton", "CPU s");
  const Errors& known = c.reference.error;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const ConvergeRow& row = m.rows[i];
    text += fmt::format("{:>13.8g} ", row.step);
    if (!row.failure.empty()) {
      text += "failed: " + row.failure + "\n";
      continue;
    }
    text += fmt::format("{:>11} {:>6} {:>11} {:>6}", error_text(m.q, i, known.q), order_text(m.q.order[i]),
                        error_text(m.v, i, known.v), order_text(m.v.order[i]));
    if (c.has_multipliers) {
      text += fmt::format(" {:>11} {:>6}", error_text(m.multiplier, i, known.multiplier),
                          order_text(m.multiplier.order[i]));
    }
    text += fmt::format(" {:>12} {:>8} {:>10.3g}\n", row.evaluations, row.iterations, row.seconds);
  }
  const auto line = [&](const char* topic, const std::string& q, const std::string& v, const std::string& multiplier) {
    std::string said = fmt::format("{:>13} {:>11} {:>6} {:>11} {:>6}", topic, "", q, "", v);
    if (c.has_multipliers) said += fmt::format(" {:>11} {:>6}", "", multiplier);
    return said + "\n";
  };
  const auto observed = [](double order) { return std::isfinite(order) ? order_text(order) : "?"; };
  const auto claimed = [](int order) { return order > 0 ? std::to_string(order) : "none"; };
  text += line("observed", observed(m.q.observed), observed(m.v.observed), observed(m.multiplier.observed));
  text += line("claimed", claimed(m.claimed.q), claimed(m.claimed.v), claimed(m.claimed.multiplier));
  return text;
}

}  // namespace

std::string to_text(const Convergence& c) {
  std::string text = fmt::format(
      "{}: convergence to t = {}{}, {}\n", c.model.empty() ? "Model without a name" : c.model, to_text(c.end),
      c.end_note.empty() ? "" : " (" + c.end_note + ")", c.quad ? "in quadruple precision" : "in double precision");
  const ReferenceRun& r = c.reference;
  text += fmt::format("  reference   {}, {} steps of {:.8g}, in {}\n", r.method, r.steps,
                      c.end / static_cast<double>(r.steps),
                      r.extended ? "quadruple precision" : "double precision (a large model, or events that act)");
  if (!r.failure.empty()) {
    text += "  failed      the reference: " + r.failure + "\n";
  } else {
    text += fmt::format("              its error, from a run with half the steps: q {:.1e}, v {:.1e}{}\n", r.error.q,
                        r.error.v, c.has_multipliers ? fmt::format(", multiplier {:.1e}", r.error.multiplier) : "");
  }
  text += "  errors      at the end, largest component relative to the largest value\n";
  if (c.kinks > 0) text += "  warning     " + about_kinks(c) + "\n";
  if (any(c, Standing::rounding)) text += "  ~           rounding: not used for the order\n";
  if (any(c, Standing::reference)) text += "  <           below what the reference can tell: not used for the order\n";
  for (const MethodConvergence& m : c.methods) text += fmt::format("\n{}\n{}", m.method, table(c, m));
  return text;
}

bool Convergence::failed() const {
  if (!reference.failure.empty()) return true;
  for (const MethodConvergence& m : methods) {
    for (const ConvergeRow& row : m.rows) {
      if (!row.failure.empty()) return true;
    }
  }
  return false;
}

Tree to_tree(const Convergence& c) {
  const auto three = [](Tree q, Tree v, Tree multiplier) {
    return Tree::Members{{"q", std::move(q)}, {"v", std::move(v)}, {"multiplier", std::move(multiplier)}};
  };
  const ReferenceRun& r = c.reference;
  const Tree reference = Tree::Members{{"method", r.method},
                                       {"steps", r.steps},
                                       {"step", c.end / static_cast<double>(r.steps)},
                                       {"precision", r.extended ? "quad" : "double"},
                                       {"error", three(r.error.q, r.error.v, r.error.multiplier)},
                                       {"failed", internal::text_or_nothing(r.failure)}};
  Tree::List warnings, methods;
  if (c.kinks > 0) warnings.push_back(Tree::Members{{"code", "kinks"}, {"text", about_kinks(c)}});
  for (const MethodConvergence& m : c.methods) {
    Tree::List rows;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const ConvergeRow& row = m.rows[i];
      const auto standing = [&](const ErrorColumn& column) {
        return std::isnan(column.error[i]) ? Tree() : Tree(standing_name(column.standing[i]));
      };
      rows.push_back(Tree::Members{{"step", row.step},
                                   {"steps", row.steps},
                                   {"error", three(m.q.error[i], m.v.error[i], m.multiplier.error[i])},
                                   {"limited_by", three(standing(m.q), standing(m.v), standing(m.multiplier))},
                                   {"order", three(m.q.order[i], m.v.order[i], m.multiplier.order[i])},
                                   {"evaluations", row.evaluations},
                                   {"newton_iterations", row.iterations},
                                   {"cpu_seconds", row.seconds},
                                   {"failed", internal::text_or_nothing(row.failure)}});
    }
    // Numbers of the same kind as what is observed.
    const double claimed[] = {double(m.claimed.q), double(m.claimed.v), double(m.claimed.multiplier)};
    methods.push_back(Tree::Members{{"method", m.method},
                                    {"claimed", three(claimed[0], claimed[1], claimed[2])},
                                    {"observed", three(m.q.observed, m.v.observed, m.multiplier.observed)},
                                    {"rows", std::move(rows)}});
  }
  return Tree::Members{{"model", c.model},       {"end", c.end},         {"precision", c.quad ? "quad" : "double"},
                       {"reference", reference}, {"warnings", warnings}, {"methods", std::move(methods)}};
}

std::string to_json(const Convergence& found) { return to_json(to_tree(found)); }

std::string to_csv(const Convergence& c) {
  std::string text =
      "method,step,steps,error_q,error_v,error_multiplier,order_q,order_v,order_multiplier,evaluations,newton_"
      "iterations,"
      "cpu_seconds,failed\n";
  const auto field = [](double value) { return std::isnan(value) ? std::string() : to_text(value); };
  for (const MethodConvergence& m : c.methods) {
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const ConvergeRow& row = m.rows[i];
      std::string reason;
      for (const char ch : row.failure) reason += ch == '"' ? std::string("\"\"") : std::string(1, ch);
      text += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{},{}\n", m.method, to_text(row.step), row.steps,
                          field(m.q.error[i]), field(m.v.error[i]), field(m.multiplier.error[i]), field(m.q.order[i]),
                          field(m.v.order[i]), field(m.multiplier.order[i]), row.evaluations, row.iterations,
                          field(row.seconds), reason.empty() ? "" : "\"" + reason + "\"");
    }
  }
  return text;
}

std::string to_svg(const Convergence& c, const std::string& about) {
  internal::Figure figure;
  figure.about = about;
  figure.title = fmt::format("{}, to t = {}", c.model.empty() ? "Model" : c.model, to_text(c.end));
  internal::Panel order{"Order", {"step size h"}, {"relative error at the end"}, {}};
  internal::Panel work{"Work and precision", {"CPU time (s)"}, {"relative error at the end"}, {}};
  for (const MethodConvergence& m : c.methods) {
    std::vector<double> h, seconds;
    for (const ConvergeRow& row : m.rows) {
      h.push_back(std::abs(row.step));
      seconds.push_back(row.seconds);
    }
    const auto add = [&](const ErrorColumn& column, internal::Curve::Line line, double slope) {
      std::vector<double> error = column.error;
      for (std::size_t i = 0; i < error.size(); ++i) {
        if (column.standing[i] == Standing::reference) error[i] = std::nan("");
      }
      order.curves.push_back({m.method, h, error, line, slope});
      if (line == internal::Curve::Line::solid) work.curves.push_back({m.method, seconds, error, line, 0});
    };
    add(m.q, internal::Curve::Line::solid, m.claimed.q);
    add(m.v, internal::Curve::Line::dashed, 0);
    if (c.has_multipliers) add(m.multiplier, internal::Curve::Line::dotted, 0);
  }
  figure.panels = {order, work};
  figure.notes.push_back(std::string("solid: q, dashed: v") + (c.has_multipliers ? ", dotted: multiplier" : "") +
                         "; triangles: the claimed order of q; right: error of q");
  return to_svg(figure);
}

}  // namespace alembert

namespace alembert::internal {

std::string description(const Model& model, const Equations& equations, const ConvergeOptions& options,
                        const Convergence& c) {
  Report report;
  describe(report, model, equations, options.methods.empty() ? Method() : options.methods.front());
  RunDescription& run = report;
  run.method.clear();
  std::vector<double> steps;
  for (const MethodConvergence& m : c.methods) {
    run.method += (run.method.empty() ? "" : ", ") + m.method;
    for (const ConvergeRow& row : m.rows)
      if (std::find(steps.begin(), steps.end(), row.step) == steps.end()) steps.push_back(row.step);
  }
  std::string list;
  for (const double step : steps) list += (list.empty() ? "" : ", ") + to_text(step);
  run.step = steps.empty() ? 0 : steps.front();
  run.end = c.end;
  run.settings = {"steps = " + list, std::string("precision = ") + (c.quad ? "quad" : "double"),
                  "reference = " + c.reference.method + ", " + std::to_string(c.reference.steps) + " steps"};
  return to_json(attributes_of(run));
}

}  // namespace alembert::internal
