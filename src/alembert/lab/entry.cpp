#include "alembert/lab/entry.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "alembert/error.h"
#include "alembert/numerics.h"

namespace alembert::internal::reproduce {

Check near(std::string name, double value, double expected, double relative) {
  const double room = std::abs(expected) * relative;
  return {std::move(name), value, expected - room, expected + room, expected};
}

Check within(std::string name, double value, double low, double high) {
  return {std::move(name), value, low, high, NAN};
}

Check at_most(std::string name, double value, double high) { return {std::move(name), value, -INFINITY, high, NAN}; }

Check order(std::string name, double value, double expected, double tolerance) {
  return {std::move(name), value, expected - tolerance, expected + tolerance, expected};
}

std::string expectation(const Check& check) {
  if (!std::isfinite(check.low)) return fmt::format("at most {:.3g}", check.high);
  if (!std::isfinite(check.high)) return fmt::format("at least {:.3g}", check.low);
  if (!std::isfinite(check.expected)) return fmt::format("{:.4g} to {:.4g}", check.low, check.high);
  return fmt::format("{:.6g} ± {:.2g}", check.expected, (check.high - check.low) / 2);
}

void Findings::show(const Figure& figure, std::string name) { figures.push_back({std::move(name), to_svg(figure)}); }

namespace {

std::string csv_word(const std::string& word) {
  if (word.find_first_of(",\"\n") == std::string::npos) return word;
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void Findings::keep(const std::vector<std::string>& head, const std::vector<std::vector<double>>& columns,
                    std::string name) {
  std::string text;
  for (std::size_t i = 0; i < head.size(); ++i) text += (i ? "," : "") + csv_word(head[i]);
  text += "\n";
  const std::size_t rows = columns.empty() ? 0 : columns[0].size();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) text += (i ? "," : "") + to_text(columns[i].at(row));
    text += "\n";
  }
  data.push_back({std::move(name), std::move(text)});
}

void Findings::keep(const Figure& figure, std::string name) {
  std::string text = "panel,curve,x,y\n";
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      const std::string head = csv_word(panel.title) + "," + csv_word(curve.name) + ",";
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        text += head + to_text(curve.x[i]) + "," + to_text(curve.y[i]) + "\n";
    }
  }
  data.push_back({std::move(name), std::move(text)});
}

bool Findings::passed() const {
  return failure.empty() && std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.passed(); });
}

Model Workbench::model(const std::string& name, const std::vector<std::string>& changes) const {
  std::vector<std::string> all = changes;
  all.insert(all.end(), overrides.begin(), overrides.end());
  return read_model(std::make_shared<const Source>(Source{"models/" + name + ".alm", gallery_text(name)}), all);
}

Report Workbench::run(const Model& model, const std::string& method, const SimulateOptions& options) const {
  Report report = simulate(model, derive(model), find_method(method), options);
  if (report.ending != Ending::done) throw RunFailed(model.title + ", " + method + ": " + report.reason);
  return report;
}

Report Workbench::run(const Model& model, const std::string& method, double step, double end,
                      const std::vector<Observer*>& observers, long every, NewtonOptions newton) const {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.every = every;
  options.observers = observers;
  options.newton = newton;
  return run(model, method, options);
}

void Workbench::parallel(int count, const std::function<void(int)>& f) const {
  // Not isolated: while it waits for these, a thread may begin another entry.
  tbb::parallel_for(0, count, f);
}

std::vector<Paper> papers() {
  return {
      {"000", "Consistent extensions of the symplectic Euler method for a class of overdetermined DAEs",
       "L. O. Jay, B. Simeon", paper_000()},
      {"001",
       "Mechanical systems subject to holonomic constraints: differential-algebraic formulations and conservative "
       "integration",
       "O. Gonzalez", paper_001()},
      {"002", "On modified Newton iterations for SPARK methods applied to constrained systems in mechanics",
       "L. O. Jay", paper_002()},
      {"003", "Lagrange-d'Alembert SPARK integrators for nonholonomic Lagrangian systems", "L. O. Jay", paper_003()},
      {"004", "Structure-preserving numerical solution of multibody systems in energy formulation", "A. Symank",
       paper_004()},
  };
}

}  // namespace alembert::internal::reproduce
