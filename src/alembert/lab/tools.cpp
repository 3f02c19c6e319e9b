#include "alembert/lab/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace alembert::internal::reproduce {

std::vector<double> Recorded::energy_error() const {
  std::vector<double> error = column(trajectory.columns.energy.begin);
  const double start = error.at(0);
  for (double& value : error) value -= start;
  return error;
}

Recorded record(const Workbench& work, const Model& model, const std::string& method, double step, double end,
                long every) {
  Recorder recorder;
  Report report = work.run(model, method, step, end, {&recorder}, every);
  return {std::move(report), std::move(recorder.trajectory)};
}

Curve line(std::string name, std::vector<double> x, std::vector<double> y) {
  return {std::move(name), std::move(x), std::move(y), Curve::Line::solid, 0, Curve::Marks::hidden};
}

std::vector<double> sizes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) {
    if (!(std::abs(value) <= most) && most == most) most = std::abs(value);
  }
  return most;
}

double length(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double slope(const std::vector<double>& h, const std::vector<double>& error, std::size_t count) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = h.size() - std::min(count, h.size()); i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(error[i]);
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Convergence measure(const Workbench& work, const Model& model, const std::vector<OrderCase>& cases,
                    const std::vector<double>& steps, double end, bool quad) {
  ConvergeOptions options;
  for (const OrderCase& one : cases) options.methods.push_back(work.find_method(one.method));
  options.steps = steps;
  options.end = end;
  options.quad = quad;
  Convergence measured = converge(model, derive(model), options);
  if (!measured.reference.failure.empty()) throw RunFailed("reference: " + measured.reference.failure);
  for (const MethodConvergence& method : measured.methods) {
    for (const ConvergeRow& row : method.rows) {
      if (!row.failure.empty()) throw RunFailed(method.method + ": " + row.failure);
    }
  }
  return measured;
}

void check_orders(Findings& findings, const Convergence& measured, const std::vector<OrderCase>& cases,
                  double tolerance) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const MethodConvergence& m = measured.methods[i];
    const auto add = [&](const char* what, const ErrorColumn& column, double expected) {
      if (expected < 0) return;
      findings.checks.push_back(
          order(fmt::format("order in {}, {}", what, m.method), column.observed, expected, tolerance));
    };
    add("q", m.q, cases[i].q);
    add("v", m.v, cases[i].v);
    add("multiplier", m.multiplier, cases[i].multiplier);
  }
}

Panel order_panel(const Convergence& measured, const std::string& title) {
  Panel panel{title, {"step size h"}, {"relative error"}, {}};
  for (const MethodConvergence& m : measured.methods) {
    std::vector<double> h;
    for (const ConvergeRow& row : m.rows) h.push_back(row.step);
    panel.curves.push_back({m.method, h, m.q.error, Curve::Line::solid, std::round(m.q.observed)});
    panel.curves.push_back({m.method, h, m.v.error, Curve::Line::dashed});
  }
  return panel;
}

}  // namespace alembert::internal::reproduce
