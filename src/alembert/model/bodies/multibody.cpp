// The multibody form q' = Z(q) v, M(q) v' = f - Z^T G^T lambda: what kinematics and mass say.

#include <map>

#include "alembert/expr/derivative.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

/// Writes the value of a target such as q' or v[2] into its entries; false where something was wrong.
bool put(Scope& scope, const Item& item, const Target& target, Exprs& entries, const std::string& what) {
  entries.resize(static_cast<std::size_t>(target.declaration->size()));
  const Value value = scope.fit(scope.evaluate(*item.value), target.shape, item.value->place, what);
  if (value.bad) return false;
  if (scope.contents(value) & holds_multiplier) {
    scope.error(item.value->place, what + " contains a multiplier", "multipliers may stand in forces only");
    return false;
  }
  for (std::size_t k = 0; k < value.entries.size(); ++k) {
    Expr& entry = entries[static_cast<std::size_t>(target.offset) + k];
    if (entry) {
      scope.error(item.target.place, what + " is given twice");
      return false;
    }
    entry = value.entries[k];
  }
  return true;
}

bool all_there(Scope& scope, Declaration& d, const Exprs& entries, const std::string& keyword, const char* prime) {
  const Block block{d.name, d.shape, 0, d.size(), d.place};
  for (int i = 0; i < block.size; ++i) {
    if (static_cast<std::size_t>(i) < entries.size() && entries[static_cast<std::size_t>(i)]) continue;
    const std::string name = entry_name(block, i) + prime;
    scope.error(d.place, "'" + name + "' has no " + keyword, "add " + keyword + " " + name + " = ...");
    d.bad = true;
    return false;
  }
  return true;
}

/// q' = Z(q) v: linear in the velocities, without a rest.
void check_linear(Elaboration& e, const Exprs& velocities, const Declaration& q) {
  Scope& scope = e.scope;
  const SparseExprs Z = jacobian(q.rate, velocities);
  const Exprs zeros(velocities.size(), scope.graph().constant(0));
  bool good = !depends(Z.value, velocities);
  for (const Expr rest : substitute(q.rate, velocities, zeros, scope.graph())) good = good && is_zero(rest);
  if (good) return;
  scope.error(q.place, "the kinematics of '" + q.name + "' is not of the form Z(q)*v",
              "each term must be linear in the velocities; use the general form (variable, rate) otherwise");
}

}  // namespace

void make_kinematics(Elaboration& e) {
  if (!e.model.multibody) return;
  Scope& scope = e.scope;
  std::map<Declaration*, Exprs> masses;
  Exprs velocities;
  for (const Declaration& d : scope.declarations())
    if (d.is_z && d.ready) velocities.insert(velocities.end(), d.symbols.begin(), d.symbols.end());

  e.each("kinematics", [&](const Statement& s, const Item& item) {
    if (!item.value) return;
    scope.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      const std::optional<Target> target = scope.reference(item.target, {Kind::coordinate}, "kinematics");
      if (!target) return false;
      if (!target->primed || target->declaration->auxiliary) {
        scope.error(item.target.place,
                    target->primed ? "the velocity of a contact-point variable follows from its equation"
                                   : "kinematics needs a derivative on its left",
                    target->primed ? "leave this out" : "write kinematics " + print(item.target) + "' = ...");
        return false;
      }
      Declaration& q = *target->declaration;
      if (!put(scope, item, *target, q.rate, "the kinematics of '" + print(item.target) + "'")) return false;
      for (int k = target->offset; k < target->offset + shape_size(target->shape); ++k)
        e.sized.push_back({item.value->place, q.rate[static_cast<std::size_t>(k)], false, Elaboration::Sized::Fit::rate,
                           q.symbols[static_cast<std::size_t>(k)]});
      return true;
    });
  });
  e.each("mass", [&](const Statement& s, const Item& item) {
    if (!item.value) return;
    scope.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      const std::optional<Target> target = scope.reference(item.target, {Kind::variable}, "mass");
      if (!target) return false;
      const std::string what = "the mass of '" + print(item.target) + "'";
      // One mass for all entries of a vector.
      const Value value = scope.evaluate(*item.value);
      if (value.bad) return false;
      for (const Expr entry : value.entries) e.sized.push_back({item.value->place, entry});
      Exprs& entries = masses[target->declaration];
      entries.resize(static_cast<std::size_t>(target->declaration->size()));
      if (value.shape.empty() && !target->shape.empty() && !(scope.contents(value) & holds_z)) {
        for (int k = 0; k < shape_size(target->shape); ++k) entries[target->offset + k] = value.entries[0];
        return true;
      }
      return put(scope, item, *target, entries, what);
    });
  });

  Model& m = e.model;
  const std::size_t before = scope.errors.size();
  for (Declaration& d : scope.declarations()) {
    if (!d.ready || d.bad) continue;
    if (d.kind == Kind::coordinate) {
      if (d.auxiliary) continue;
      if (!e.complete || !all_there(scope, d, d.rate, "kinematics", "'")) continue;
      check_linear(e, velocities, d);
      d.velocities = d.rate;  // q' elsewhere means this
      for (std::size_t i = 0; i < d.symbols.size(); ++i) scope.velocity_of[d.symbols[i].id()] = d.rate[i];
      m.coordinate_rate.insert(m.coordinate_rate.end(), d.rate.begin(), d.rate.end());
    }
    if (d.kind == Kind::variable && d.is_z) {
      const Exprs& given = masses[&d];
      if (!e.complete || !all_there(scope, d, given, "mass", "")) continue;
      for (std::size_t i = 0; i < given.size(); ++i) {
        const bool product = scope.contents(given[i]) & holds_z;
        m.quantity.push_back(product ? given[i] : given[i] * d.symbols[i]);
      }
    }
  }
  if (scope.errors.size() > before) return;
  const SparseExprs M = jacobian(m.quantity, velocities);
  const Exprs zeros(velocities.size(), scope.graph().constant(0));
  bool linear = !depends(M.value, velocities);
  for (const Expr rest : substitute(m.quantity, velocities, zeros, scope.graph())) linear = linear && is_zero(rest);
  if (!linear)
    e.each("mass", [&](const Statement& s) {
      scope.error(s.place, "the mass is not of the form M(q)*v",
                  "give masses without velocities, or a product that is linear in them");
    });
}

}  // namespace alembert::internal
