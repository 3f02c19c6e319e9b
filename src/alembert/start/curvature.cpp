#include "alembert/start/curvature.h"

#include <mutex>
#include <optional>

#include "alembert/base/lists.h"
#include "alembert/start/nearest.h"

namespace alembert::internal {

struct Curvature::Body {
  Exprs inputs, unknowns, constraints;
  bool linear = false;  // velocities are constrained linearly in most models
  std::once_flag once;
  std::optional<SparseDerivative> derivative;

  void make(Graph& graph) {
    const Exprs mu = graph.symbols("mu", static_cast<int>(constraints.size()));
    const Exprs gradient =
        linear ? Exprs(unknowns.size(), graph.constant(0)) : transposed_product(constraints, unknowns, mu);
    derivative.emplace(joined<Expr>(inputs, unknowns, mu), gradient, unknowns);
  }

  /// In a graph of its own: other threads may read that of the model.
  void make_apart() {
    Graph graph;
    const Exprs from = joined<Expr>(inputs, unknowns);
    const Exprs to = graph.symbols("x", static_cast<int>(from.size()));
    constraints = substitute(constraints, from, to, graph);
    inputs.assign(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    unknowns.assign(to.begin() + static_cast<std::ptrdiff_t>(inputs.size()), to.end());
    make(graph);
    for (Exprs* list : {&inputs, &unknowns, &constraints}) list->clear();
  }
};

Curvature::Curvature(const Exprs& inputs, const Exprs& unknowns, const Exprs& constraints, const SparseExprs& c_x)
    : body_(std::make_shared<Body>()) {
  if (unknowns.empty() || constraints.empty()) {
    body_->derivative.emplace(inputs, Exprs{}, unknowns);
    std::call_once(body_->once, [] {});
    return;
  }
  body_->inputs = inputs;
  body_->unknowns = unknowns;
  body_->constraints = constraints;
  body_->linear = !depends(c_x.value, unknowns);
  if (unknowns.size() + constraints.size() > static_cast<std::size_t>(largest_dense)) return;
  std::call_once(body_->once, [&] { body_->make(unknowns.front().graph()); });
}

Curvature::~Curvature() = default;
Curvature::Curvature(const Curvature&) = default;
Curvature::Curvature(Curvature&&) noexcept = default;

SparseRows Curvature::operator()(const std::vector<double>& in) const {
  std::call_once(body_->once, [&] { body_->make_apart(); });
  SparseDerivative own = *body_->derivative;
  own.bind(parameters_);
  return own(in);
}

}  // namespace alembert::internal
