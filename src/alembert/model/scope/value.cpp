#include "alembert/model/scope/value.h"

namespace alembert::internal {

int shape_size(const ArrayShape& shape) {
  int size = 1;
  for (int n : shape) size *= n;
  return size;
}

std::string shape_text(const ArrayShape& shape) {
  if (shape.empty()) return "a scalar";
  if (shape.size() == 1) return "a vector of " + std::to_string(shape[0]);
  std::string text = "an array of ";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? " x " : "") + std::to_string(shape[i]);
  return text;
}

Value slice(const ArrayShape& shape, const Exprs& entries, std::size_t indices, int offset) {
  Value part;
  part.shape.assign(shape.begin() + static_cast<std::ptrdiff_t>(indices), shape.end());
  const auto first = entries.begin() + offset;
  part.entries.assign(first, first + shape_size(part.shape));
  return part;
}

}  // namespace alembert::internal
