// McLachlan and Perlmutter's particles, 10 initial values on one energy surface, h = 0.05 to t = 50000: the mean square
// of the energy error over h^4, and the line a + c t fitted to it. A walk at random has c > 0; the printed, integrable
// constraint none.

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

class EnergyErrors : public Observer {
 public:
  void begin(const Columns& columns, const RunDescription&) override { column_ = columns.energy.begin; }
  void row(std::span<const double> values) override {
    times.push_back(values[0]);
    energies.push_back(values[column_]);
  }
  void end() override {}
  std::vector<double> times, energies;

 private:
  int column_ = 0;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int measure() {
  const double h = 0.05, end = 50000;
  fmt::print("{:<32} {:<22} {:>9} {:>12} {:>12} {:>7}\n", "model", "method", "a", "c", "mean", "CPU s");
  for (const char* name : {"mclachlan_perlmutter", "mclachlan_perlmutter_printed"})
    for (const char* method : {"lobatto(2)", "lobatto_modified", "mclachlan_perlmutter"}) {
      const double before = cpu_seconds();
      std::vector<double> times, squares;
      for (int j = 0; j <= 9; ++j) {
        const Model model =
            read_model(fmt::format("{}/models/{}.alm", ALEMBERT_SOURCE_DIR, name), {fmt::format("j={}", j)});
        EnergyErrors errors;
        SimulateOptions options;
        options.step = h, options.end = end, options.every = 100;
        options.observers = {&errors};
        const Term term = parse_term(std::make_shared<Source>(Source{"method", method}));
        const Report report = simulate(model, derive(model), find_method(term), options);
        if (report.ending != Ending::done) {
          fmt::print("{} {}: {}\n", name, method, report.reason);
          return 1;
        }
        times = errors.times;
        squares.resize(times.size(), 0);
        for (std::size_t k = 0; k < times.size(); ++k)
          squares[k] += std::pow(errors.energies[k] - errors.energies[0], 2) / 10;
      }
      double n = static_cast<double>(times.size()), t = 0, s = 0, tt = 0, ts = 0;
      for (std::size_t k = 0; k < times.size(); ++k) {
        const double mu = squares[k] / std::pow(h, 4);
        t += times[k] / n, s += mu / n, tt += times[k] * times[k] / n, ts += times[k] * mu / n;
      }
      const double c = (ts - t * s) / (tt - t * t);
      fmt::print("{:<32} {:<22} {:>9.3f} {:>12.3e} {:>12.3f} {:>7.1f}\n", name, method, s - c * t, c, s,
                 cpu_seconds() - before);
    }
  return 0;
}

}  // namespace alembert::internal

int main() { return alembert::internal::measure(); }
