// Matrices and what is done entry by entry.

#include <algorithm>

#include "alembert/model/bodies/expand.h"
#include "alembert/model/scope/scope_impl.h"

namespace alembert::internal {

namespace {

constexpr long largest_identity = 1000;  // its square is the largest size of an array

Value skewed(const Value& v, Graph& graph) {
  const Exprs& a = v.entries;
  const Expr zero = graph.constant(0);
  return {{3, 3}, {zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero}, false};
}

/// cos(a) 1 + sin(a) skew(n) + (1 - cos(a)) n n^T with the unit vector n; in the plane by the angle alone.
Value rotated(const Exprs& axis, Expr angle, Graph& graph) {
  const Expr c = cos(angle), s = sin(angle);
  if (axis.empty()) return {{2, 2}, {c, -s, s, c}, false};
  const Expr length = sqrt(dot(axis, axis));
  Exprs n;
  for (const Expr x : axis) n.push_back(x / length);
  const Value k = skewed({{3}, n, false}, graph);
  Value matrix{{3, 3}, {}, false};
  for (int i = 0; i < 9; ++i) {
    const Expr outer = (1 - c) * n[i / 3] * n[i % 3];
    matrix.entries.push_back((i % 4 == 0 ? c + outer : s * k.entries[i] + outer));
  }
  return matrix;
}

}  // namespace

/// The tensor of inertia that 3, 6 or 9 moments are: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), or row after row.
Value Scope::call_tensor(const Term& term) {
  const Term& moments = term.parts[0];
  Value v = evaluate(moments);
  if (v.bad) return v;
  const std::size_t count = v.entries.size();
  const bool fits = v.shape == ArrayShape{3, 3} || (v.shape.size() == 1 && (count == 3 || count == 6 || count == 9));
  if (!fits) {
    error(moments.place, "an inertia has 3, 6 or 9 entries, and this is " + shape_text(v.shape),
          "(Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or the whole tensor");
    return Value::failed();
  }
  if (count == 9) return {{3, 3}, v.entries, false};
  const Expr zero = graph_->constant(0);
  const auto product = [&](std::size_t i) { return count == 6 ? v.entries[i] : zero; };
  const Expr xy = product(3), xz = product(4), yz = product(5);
  return {{3, 3}, {v.entries[0], xy, xz, xy, v.entries[1], yz, xz, yz, v.entries[2]}, false};
}

Value Scope::call_matrix(const Term& term) {
  const std::string& name = term.text;
  const std::size_t given = term.parts.size();
  const bool two = name == "times" || name == "over";
  if (name == "rotation" ? given != 1 && given != 2 : given != (two ? 2u : 1u)) {
    error(term.place, "'" + name + "' takes " +
                          (name == "rotation" ? "an axis and an angle"
                           : two              ? "two arguments"
                                              : "one argument") +
                          ", not " + std::to_string(given));
    return Value::failed();
  }
  if (name == "identity") {
    const std::optional<long> n = whole(term.parts[0], "the size of an identity");
    if (!n) return Value::failed();
    if (*n < 1 || *n > largest_identity) {
      error(term.parts[0].place, "the size of an identity is from 1 to 1000, not " + std::to_string(*n));
      return Value::failed();
    }
    Value unit{{static_cast<int>(*n), static_cast<int>(*n)}, {}, false};
    for (long i = 0; i < *n * *n; ++i) unit.entries.push_back(graph_->constant(i % (*n + 1) == 0 ? 1 : 0));
    return unit;
  }
  std::vector<Value> x;
  for (const Term& part : term.parts) {
    x.push_back(evaluate(part));
    if (x.back().bad) return Value::failed();
  }
  const auto wrong = [&](std::size_t i, const std::string& wanted) {
    error(term.parts[i].place, "'" + name + "' takes " + wanted + " here, not " + shape_text(x[i].shape));
    return Value::failed();
  };
  if (name == "transpose") {
    if (x[0].shape.size() != 2) return wrong(0, "a matrix");
    const int rows = x[0].shape[0], columns = x[0].shape[1];
    Value turned{{columns, rows}, {}, false};
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) turned.entries.push_back(x[0].entries[i * columns + j]);
    return turned;
  }
  if (name == "skew") return x[0].shape == ArrayShape{3} ? skewed(x[0], *graph_) : wrong(0, "a vector of 3");
  if (name == "rotation") {
    if (given == 2 && x[0].shape != ArrayShape{3}) return wrong(0, "a vector of 3");
    if (!x.back().shape.empty()) return wrong(given - 1, "a scalar");
    const auto none = [&](const Expr& entry) { return entry == graph_->constant(0); };
    if (given == 2 && std::all_of(x[0].entries.begin(), x[0].entries.end(), none)) {
      error(term.parts[0].place, "the axis of a rotation has length 0", "as in: rotation((0, 0, 1), angle)");
      return Value::failed();
    }
    return rotated(given == 2 ? x[0].entries : Exprs(), x.back().entries[0], *graph_);
  }
  if (x[0].shape != x[1].shape) return wrong(1, shape_text(x[0].shape));
  for (std::size_t i = 0; i < x[0].entries.size(); ++i)
    x[0].entries[i] = name == "times" ? x[0].entries[i] * x[1].entries[i] : x[0].entries[i] / x[1].entries[i];
  return x[0];
}

}  // namespace alembert::internal
