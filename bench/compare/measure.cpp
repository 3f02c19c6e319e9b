#include "measure.h"

#include <algorithm>
#include <cmath>

namespace alembert::bench {

std::vector<Measured> measure(const std::vector<Contestant>& contestants, int rounds) {
  std::vector<std::vector<double>> seconds(contestants.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) seconds[i].push_back(contestants[i].once());
  std::vector<Measured> results;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::vector<double>& all = seconds[i];
    Measured one{contestants[i].name, contestants[i].kind, NAN, NAN, NAN, contestants[i].error};
    if (std::none_of(all.begin(), all.end(), [](double x) { return std::isnan(x); })) {
      std::sort(all.begin(), all.end());
      one.median = all[all.size() / 2];
      one.low = all.front();
      one.high = all.back();
    }
    results.push_back(one);
  }
  return results;
}

}  // namespace alembert::bench
