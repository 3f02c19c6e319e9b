// MuJoCo on a hanging chain of rigid links. Without ALEMBERT_MUJOCO it is not there.

#include "rivals.h"

#ifdef ALEMBERT_MUJOCO

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "alembert/base/cpu_time.h"

namespace alembert::bench {

namespace {

/// A tree of hinges in minimal coordinates, without contacts, starting as the chain of links of links.cpp.
std::string description(int links, double h) {
  std::string open, close;
  for (int i = 0; i < links; ++i) {
    open += "<body pos='" + std::string(i == 0 ? "0 0 0" : "1 0 0") +
            "'><joint type='hinge' axis='0 1 0'/><inertial pos='0.5 0 0' mass='1' "
            "diaginertia='0.001 0.0833333333333333 0.0833333333333333'/>";
    close += "</body>";
  }
  return "<mujoco><option timestep='" + std::to_string(h) +
         "' integrator='RK4' gravity='0 0 -9.81'><flag contact='disable' constraint='disable'/></option><worldbody>" +
         open + close + "</worldbody></mujoco>";
}

double step_seconds(int links, double h, long steps) {
  std::string name = std::filesystem::temp_directory_path() / "alembert_bench_XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return NAN;
  ::close(file);
  std::ofstream(name) << description(links, h);
  char error[200] = "";
  mjModel* const model = mj_loadXML(name.c_str(), nullptr, error, sizeof error);
  std::remove(name.c_str());
  if (!model) return NAN;
  mjData* const data = mj_makeData(model);
  const double begin = internal::thread_seconds();
  for (long i = 0; i < steps; ++i) mj_step(model, data);
  const double seconds = internal::thread_seconds() - begin;
  mj_deleteData(data);
  mj_deleteModel(model);
  return seconds / static_cast<double>(steps);
}

}  // namespace

std::vector<LinksRival> links_rivals() { return {{"MuJoCo, tree of hinges, RK4", step_seconds}}; }

}  // namespace alembert::bench

#else

namespace alembert::bench {

std::vector<LinksRival> links_rivals() { return {}; }

}  // namespace alembert::bench

#endif  // ALEMBERT_MUJOCO
