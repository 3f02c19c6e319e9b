#pragma once

// The model's expressions carried over into the graph of the equations. Parameters become numbers there, or, where they
// stay open, nodes that kernels read from a table; whatever is defined by open ones follows them.

#include <string>
#include <vector>

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// Which parameters of a model stay open, by their numbers in Model::parameter_symbols, and which of its inputs (of a
/// port-Hamiltonian system).
struct OpenNames {
  std::vector<int> parameters, inputs;
  std::vector<int> settled;  // of the parameters: folded all the same
};
/// Reads names as a user writes them: "m", "m[2]", "x1", "x1'". A vector stands for all its entries; initial values are
/// always open, so that nothing follows from them. Throws InputError for unknown names (all of them at once) and for
/// parameters whose value shapes the model.
OpenNames open_names(const Model& model, const std::vector<std::string>& names);

class Carrier {
 public:
  /// Fills e.parameters.
  Carrier(const Model& model, Equations& e, const DeriveOptions& options, const std::vector<std::string>& settled = {});
  /// More symbols of the model and what they are from now on.
  void add(const Exprs& from, const Exprs& to);
  Exprs operator()(const Exprs& list) const { return list.empty() ? Exprs{} : substitute(list, from_, to_, graph_); }
  Expr operator()(Expr f) const { return f ? substitute(f, from_, to_, graph_) : Expr(); }

 private:
  void put(Expr from, Expr to);
  void put_parameters(const Model& model, Equations& e, const OpenNames& open);
  void put_inputs(const Model& model, Equations& e, const OpenNames& open);

  Graph& graph_;
  Exprs from_, to_;
};

}  // namespace alembert::internal
