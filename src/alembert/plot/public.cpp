#include "alembert/plot/figures.h"
#include "alembert/trajectory.h"

namespace alembert {

std::string figure(const Trajectory& trajectory) { return internal::to_svg(internal::figure_of(trajectory)); }

std::string page(const Trajectory& trajectory, const std::string& words) {
  return internal::page_of(trajectory, internal::figure_of(trajectory).title, words);
}

}  // namespace alembert
