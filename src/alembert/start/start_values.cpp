#include "alembert/start/start_values.h"

namespace alembert::internal {

StartValues start_values(const Model& model) {
  StartValues values;
  for (const Quad v : model.q0) values.y.push_back(static_cast<double>(v));
  for (const Quad v : model.z0) values.z.push_back(static_cast<double>(v));
  values.y_pinned = model.q_pinned;
  values.z_pinned = model.z_pinned;
  values.y_pinned.resize(values.y.size(), false);
  values.z_pinned.resize(values.z.size(), false);
  values.multipliers.resize(model.constraints.size());
  for (std::size_t i = 0; i < model.multiplier0.size(); ++i)
    if (model.multiplier0[i]) values.multipliers[i] = static_cast<double>(*model.multiplier0[i]);
  for (const Prescribed& one : model.prescribed)
    values.prescribed.push_back(one.start ? std::optional(static_cast<double>(*one.start)) : std::nullopt);
  return values;
}

}  // namespace alembert::internal
