#include "alembert/study/reference.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/magnitude.h"
#include "alembert/base/pulse.h"
#include "alembert/error.h"
#include "alembert/start/reduced.h"

namespace alembert::internal {

namespace {

/// Gragg's extrapolated midpoint rule for x' = (v, z')(t, x), x = (y, z), with z' from the index-reduced system.
template <class T>
class Extrapolation {
 public:
  Extrapolation(const Equations& e, const MotionPoint<T>& from, T t0, T h, int columns)
      : n_y_(e.y.size()), n_(e.y.size() + e.z.size()), columns_(columns), reduced_(start_values(from, t0)) {
    NewtonOptions options;
    options.kernel = interpreted;
    // Where z' vanishes it is still only rounding that counts against z over a step.
    ImplicitEquations system = reduced_system(e);
    T scale = 0;
    for (const T z : from.z) scale = std::max(scale, magnitude(z / h));
    for (const T z_dot : from.z_dot) scale = std::max(scale, magnitude(z_dot));
    system.groups.front().scale = e.graph->constant(scale);
    newton_ = std::make_unique<Newton<T>>(system, reduced_, options);
    Exprs inputs{e.t};
    for (const Exprs* list : {&e.y, &e.z}) inputs.insert(inputs.end(), list->begin(), list->end());
    velocity_ = Kernel<T>(inputs, e.v, interpreted);
    work_.resize(velocity_.work());
  }

  /// One step; false when z' could not be found.
  bool advance(T t, T h, std::vector<T>& x) {
    std::vector<std::vector<T>> table;
    for (int j = 1; j <= columns_; ++j) {
      table.push_back({});
      if (!midpoints(t, h, 2 * j, x, table.back())) return false;
      // Aitken and Neville, in powers of h^2; table[k] becomes the value that uses the rows k..j.
      for (int k = j - 2; k >= 0; --k) {
        const T ratio = T(j) / T(k + 1);
        for (std::size_t i = 0; i < n_; ++i) {
          table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio * ratio - 1);
        }
      }
    }
    x = table.front();
    return true;
  }

 private:
  static std::vector<T> start_values(const MotionPoint<T>& from, T t0) {
    std::vector<T> x{t0};
    for (const auto* list : {&from.y, &from.z, &from.z_dot, &from.lambda, &from.psi}) {
      x.insert(x.end(), list->begin(), list->end());
    }
    return x;
  }

  bool slope(T t, const std::vector<T>& x, std::vector<T>& dx) {
    reduced_[0] = t;
    std::copy(x.begin(), x.end(), reduced_.begin() + 1);
    velocity_(reduced_.data(), dx.data(), work_.data());
    if (newton_->solve(reduced_.data()).outcome != Outcome::converged) return false;
    std::copy_n(reduced_.begin() + 1 + static_cast<long>(n_), n_ - n_y_, dx.begin() + static_cast<long>(n_y_));
    return true;
  }

  /// count (even) substeps of the midpoint rule, the first by Euler.
  bool midpoints(T t, T h, int count, const std::vector<T>& from, std::vector<T>& to) {
    const T step = h / T(count);
    std::vector<T> before = from, dx(n_);
    to = from;
    for (int i = 0; i < count; ++i) {
      if (!slope(t + T(i) * step, to, dx)) return false;
      const T length = i == 0 ? step : 2 * step;
      for (std::size_t k = 0; k < n_; ++k) {
        const T next = (i == 0 ? from[k] : before[k]) + length * dx[k];
        before[k] = to[k];
        to[k] = next;
      }
    }
    return true;
  }

  std::size_t n_y_, n_;
  int columns_;
  std::vector<T> reduced_, work_;
  std::unique_ptr<Newton<T>> newton_;
  Kernel<T> velocity_;
};

template <class T>
Endpoint<T> extrapolate(const Equations& e, const MotionPoint<T>& from, T t0, T h, long n, int columns) {
  Extrapolation<T> method(e, from, t0, h, columns);
  std::vector<T> x = from.y;
  x.insert(x.end(), from.z.begin(), from.z.end());
  Endpoint<T> end;
  end.point = from;
  for (long i = 0; i < n; ++i) {
    Pulse::beat();
    if (!method.advance(t0 + T(i) * h, h, x)) {
      end.failure = "the accelerations are not determined near t = " + to_text(static_cast<double>(t0 + T(i) * h));
      return end;
    }
  }
  end.steps = n;
  end.point.y.assign(x.begin(), x.begin() + static_cast<long>(e.y.size()));
  end.point.z.assign(x.begin() + static_cast<long>(e.y.size()), x.end());
  NewtonOptions options;
  options.kernel = interpreted;
  end.newton = complete(e, t0 + T(n) * h, end.point, options);
  if (end.newton.outcome != Outcome::converged) end.failure = "the multipliers at the end are not determined";
  return end;
}

template <class T>
void fill(Reference& reference, const Equations& e, const InitialValues& initial, T t0, T length, int stages,
          const Method* method) {
  const MotionPoint<T> start = polish<T>(e, initial, t0);
  const auto run = [&](long n) {
    NewtonOptions options;
    if (std::is_same_v<T, Quad>) options.kernel = interpreted;
    return method ? integrate<T>(e, *method, start, t0, length / T(n), n, options)
                  : extrapolate<T>(e, start, t0, length / T(n), n, stages);
  };
  const Endpoint<T> coarse = run(reference.steps / 2);
  const Endpoint<T> fine = run(reference.steps);
  reference.failure = fine.failure.empty() ? coarse.failure : fine.failure;
  reference.point = widened(fine.point);
  reference.error = errors(widened(coarse.point), reference.point);
  if (std::is_same_v<T, Quad>) return;
  const double rounding = 16 * 0x1p-52 * std::sqrt(static_cast<double>(reference.steps));
  for (double* error : {&reference.error.q, &reference.error.v, &reference.error.multiplier}) *error += rounding;
}

}  // namespace

double distance(const std::vector<Quad>& a, const std::vector<Quad>& b) {
  Quad largest = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Quad d = magnitude(a[i] - b[i]);
    if (!(d <= largest)) largest = d;  // keeps what is not a number
    size = std::max(size, magnitude(b[i]));
  }
  return static_cast<double>(size > 0 ? largest / size : largest);
}

Errors errors(const MotionPoint<Quad>& point, const MotionPoint<Quad>& exact) {
  const auto multipliers = [](const MotionPoint<Quad>& p) {
    std::vector<Quad> all = p.lambda;
    all.insert(all.end(), p.psi.begin(), p.psi.end());
    return all;
  };
  const std::vector<Quad> expected = multipliers(exact);
  return {distance(point.y, exact.y), distance(point.z, exact.z),
          expected.empty() ? std::nan("") : distance(multipliers(point), expected)};
}

template <class T>
MotionPoint<Quad> widened(const MotionPoint<T>& point) {
  const auto wide = [](const std::vector<T>& values) { return std::vector<Quad>(values.begin(), values.end()); };
  return {wide(point.y), wide(point.z), wide(point.z_dot), wide(point.lambda), wide(point.psi)};
}
template MotionPoint<Quad> widened(const MotionPoint<double>&);
template MotionPoint<Quad> widened(const MotionPoint<Quad>&);

bool extended_affordable(const Equations& e) {
  return e.y.size() + e.z.size() + e.g.size() + e.k.size() <= static_cast<std::size_t>(largest_extended);
}

Reference make_reference(const Equations& e, const InitialValues& initial, Quad t0, Quad length, long steps, int stages,
                         ReferenceKind kind) {
  std::optional<Method> chosen;
  if (kind == ReferenceKind::method_or_extrapolation) chosen = reference_method(e, stages);
  Reference reference;
  reference.method = chosen ? chosen->name : "extrapolation of order " + std::to_string(2 * stages);
  reference.steps = std::max(2L, steps + steps % 2);
  reference.extended = extended_affordable(e);
  const Method* method = chosen ? &*chosen : nullptr;
  if (reference.extended) {
    fill<Quad>(reference, e, initial, t0, length, stages, method);
  } else {
    fill<double>(reference, e, initial, static_cast<double>(t0), static_cast<double>(length), stages, method);
  }
  return reference;
}

}  // namespace alembert::internal
