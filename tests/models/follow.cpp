#include "models/follow.h"
#include "source_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alembert::internal::testing {
namespace {

class Keeper final : public Observer {
 public:
  explicit Keeper(Followed& kept) : kept_(kept) {}
  void begin(const Columns& columns, const RunDescription&) override { kept_.names = columns.names; }
  void row(std::span<const double> values) override { kept_.rows.emplace_back(values.begin(), values.end()); }
  void end() override {}

 private:
  Followed& kept_;
};

std::size_t column(const Followed& followed, const std::string& name) {
  const auto found = std::find(followed.names.begin(), followed.names.end(), name);
  if (found == followed.names.end()) throw std::out_of_range("no column " + name);
  return static_cast<std::size_t>(found - followed.names.begin());
}

}  // namespace

double Followed::value(std::size_t row, const std::string& name) const { return rows[row][column(*this, name)]; }

Followed follow(const std::string& name, const std::string& method, double step, double end,
                const std::vector<std::string>& overrides, bool given_start) {
  SCOPED_TRACE(name + " " + method);
  const Model model = read_model(source_folder() + "/models/" + name + ".alm", overrides);
  Followed followed;
  Keeper keeper(followed);
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.observers = {&keeper};
  const Term term = parse_term(std::make_shared<Source>(Source{"method", method}));
  followed.report = simulate(model, derive(model), find_method(term), options);
  const Report& report = followed.report;
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(report.initial.changes.empty(), given_start)
      << "the initial values of the gallery are consistent as they stand";
  EXPECT_EQ(followed.rows.size(), static_cast<std::size_t>(report.steps) + 1);
  EXPECT_EQ(report.steps, std::lround(end / step));
  double size = 1, place = 1;
  for (const auto& row : followed.rows) {
    for (std::size_t i = 1; i <= report.y.size() + report.z.size(); ++i) size = std::max(size, std::abs(row[i]));
    for (std::size_t i = 1; i <= report.y.size(); ++i) place = std::max(place, std::abs(row[i]));
  }
  // A velocity is never known better than the rounding of the places over the step.
  const double rounding = std::numeric_limits<double>::epsilon() * (32 * size + 2 * place / std::abs(step));
  EXPECT_LT(report.position, rounding);
  EXPECT_LT(report.velocity, rounding);
  EXPECT_LT(report.nonholonomic, rounding);
  return followed;
}

void expect_motion(const Followed& followed, const std::function<Values(double t)>& exact, double tolerance) {
  SCOPED_TRACE(followed.report.model + " " + followed.report.method);
  ASSERT_GT(followed.rows.size(), 20u);
  std::vector<std::size_t> columns;
  std::vector<double> worst;
  Values values;
  for (const auto& row : followed.rows) {
    values = exact(row[0]);
    if (columns.empty()) {
      for (const auto& [name, value] : values) columns.push_back(column(followed, name));
      worst.assign(columns.size(), 0);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double error = std::abs(row[columns[i]] - values[i].second);
      if (!(error <= worst[i])) worst[i] = error;
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) EXPECT_LE(worst[i], tolerance) << values[i].first;
}

const Reference::State& Reference::at(double t) {
  const long double longest = 0.02L;
  const long double distance = t - t_;
  const int n = static_cast<int>(std::ceil(std::abs(distance) / longest));
  for (int i = 0; i < n; ++i) advance(distance / n);
  t_ = t;
  return x_;
}

void Reference::advance(long double h) {
  constexpr int levels = 8;
  const std::size_t n = x_.size();
  std::vector<State> table;  // Aitken-Neville in the squares of the small steps, newest column last
  State rates(n);
  for (int k = 0; k < levels; ++k) {
    const int parts = 2 * (k + 1);
    const long double step = h / parts;
    State before = x_, now = x_;
    rates_(t_, x_, rates);
    for (std::size_t i = 0; i < n; ++i) now[i] += step * rates[i];
    for (int j = 1; j < parts; ++j) {
      rates_(t_ + j * step, now, rates);
      for (std::size_t i = 0; i < n; ++i) {
        const long double next = before[i] + 2 * step * rates[i];
        before[i] = now[i];
        now[i] = next;
      }
    }
    // Gragg's smoothing keeps the expansion in even powers and damps the oscillating part.
    rates_(t_ + h, now, rates);
    for (std::size_t i = 0; i < n; ++i) now[i] = (now[i] + before[i] + step * rates[i]) / 2;
    table.push_back(now);
    for (int m = k - 1; m >= 0; --m) {
      const long double ratio = static_cast<long double>(parts) / (2 * (m + 1));
      for (std::size_t i = 0; i < n; ++i) {
        table[m][i] = table[m + 1][i] + (table[m + 1][i] - table[m][i]) / (ratio * ratio - 1);
      }
    }
  }
  x_ = table[0];
  t_ += h;
}

}  // namespace alembert::internal::testing
