#include <quadmath.h>

#include <algorithm>

#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"
#include "alembert/model/scope/scope_impl.h"

namespace alembert::internal {

namespace {

constexpr int deepest = 400;  // nested terms, lets and functions together: far below what a stack holds

struct Depth {
  explicit Depth(int& depth) : depth_(depth) { ++depth_; }
  ~Depth() { --depth_; }
  int& depth_;
};

/// Whether the parts of a bracket are scalars and vectors, some of each: (a, b) with a vector b is one vector, such as
/// a quaternion. Vectors alone are the rows of a matrix.
bool joins(const std::vector<Value>& parts) {
  bool scalars = false, vectors = false;
  for (const Value& part : parts) {
    if (part.bad || part.shape.size() > 1) return false;
    (part.shape.empty() ? scalars : vectors) = true;
  }
  return scalars && vectors;
}

}  // namespace

std::optional<Quad> constant_named(const std::string& name) {
  const Quad pi = acosq(Quad(-1));
  if (name == "pi") return pi;
  if (name == "deg") return pi / 180;
  if (name == "rpm") return 2 * pi / 60;
  return {};
}

namespace {

constexpr double most_entries = 1e6;  // as of coordinates
constexpr double few_entries = 64;    // those of points and directions, and of matrices of bodies

}  // namespace

Value Scope::evaluate(const Term& term) {
  const Depth guard(depth_);
  if (depth_ > deepest) {
    if (!too_deep_)
      error(term.place, "this is nested too deeply",
            "lets and functions may stand on each other, but not hundreds deep");
    too_deep_ = true;
    return Value::failed();
  }
  if (--budget_ < 0) {
    if (!spent_) error(term.place, "the model is too large: its expressions need more than 12 million operations");
    spent_ = true;
    return Value::failed();
  }
  switch (term.form) {
    case Term::Form::number: {
      Quad number;
      if (!read_number(term.text, number) || !finiteq(number)) {
        error(term.place, "'" + term.text + "' is not a number that can be held");
        return Value::failed();
      }
      return Value::scalar(graph_->constant(number));
    }
    case Term::Form::name:
    case Term::Form::index:
    case Term::Form::prime: return access(term);
    case Term::Form::call: return call(term);
    case Term::Form::tuple: return tuple(term);
    case Term::Form::negate: {
      Value v = evaluate(term.parts[0]);
      for (Expr& e : v.entries) e = -e;
      return v;
    }
    case Term::Form::chain: return chain(term);
    case Term::Form::power: return power(term);
    case Term::Form::range:
      error(term.place, "a range has no value", "it belongs to sum(i = 1..N, ...)");
      return Value::failed();
    case Term::Form::compare:
    case Term::Form::both:
    case Term::Form::either:
    case Term::Form::opposite:
      error(term.place, "a condition has no value", "it is the first argument of if(condition, a, b)");
      return Value::failed();
  }
  return Value::failed();
}

Value Scope::evaluate_scalar(const Term& term, const std::string& what) {
  Value v = evaluate(term);
  if (!v.bad && !v.shape.empty()) {
    error(term.place, what + " must be a scalar, not " + shape_text(v.shape));
    return Value::failed();
  }
  return v;
}

Value Scope::fit(Value value, const ArrayShape& shape, const Place& place, const std::string& what) {
  if (value.bad || value.shape == shape) return value;
  if (value.shape.empty() && is_zero(value.entries[0])) {
    value.shape = shape;
    value.entries.assign(static_cast<std::size_t>(shape_size(shape)), value.entries[0]);
    return value;
  }
  error(place, what + " is " + shape_text(shape) + ", but this is " + shape_text(value.shape));
  return Value::failed();
}

Value Scope::tuple(const Term& term) {
  Value all;
  bool bad = false;
  std::vector<Value> parts;
  for (const Term& part : term.parts) parts.push_back(evaluate(part));
  double count = 0;
  for (const Value& part : parts) count += static_cast<double>(part.entries.size());
  if (count > most_entries) {
    error(term.place, "this vector would have " + std::to_string(static_cast<long>(count)) + " entries",
          "at most 1,000,000 are possible");
    return Value::failed();
  }
  // Long vectors cost what their entries do.
  if (count > few_entries) budget_ -= static_cast<long>(count);
  if (joins(parts)) {
    for (const Value& part : parts) all.entries.insert(all.entries.end(), part.entries.begin(), part.entries.end());
    all.shape = {static_cast<int>(all.entries.size())};
    return all;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Value& part = parts[i];
    if (part.bad) {
      bad = true;
    } else if (!bad && i > 0 && part.shape != ArrayShape(all.shape.begin() + 1, all.shape.end())) {
      error(term.parts[i].place, "the entries of a vector must be alike: the first is " +
                                     shape_text(ArrayShape(all.shape.begin() + 1, all.shape.end())) + ", this one " +
                                     shape_text(part.shape));
      bad = true;
    } else if (!bad) {
      if (i == 0) {
        all.shape = {static_cast<int>(term.parts.size())};
        all.shape.insert(all.shape.end(), part.shape.begin(), part.shape.end());
      }
      all.entries.insert(all.entries.end(), part.entries.begin(), part.entries.end());
    }
  }
  return bad ? Value::failed() : all;
}

Value Scope::chain(const Term& term) {
  const bool sums = !term.text.empty() && (term.text[0] == '+' || term.text[0] == '-');
  Value all = evaluate(term.parts[0]);
  for (std::size_t i = 1; i < term.parts.size(); ++i) {
    Value part = evaluate(term.parts[i]);
    if (all.bad || part.bad) all = Value::failed();
    else if (sums) all = added(term, i, std::move(all), std::move(part));
    else all = multiplied(term, i, std::move(all), std::move(part));
  }
  return all;
}

Value Scope::added(const Term& term, std::size_t i, Value all, Value part) {
  const bool minus = term.text[i - 1] == '-';
  if (all.shape.empty() && is_zero(all.entries[0])) all = fit(std::move(all), part.shape, term.place, "");
  else if (part.shape.empty() && is_zero(part.entries[0])) part = fit(std::move(part), all.shape, term.place, "");
  if (all.shape != part.shape) {
    error(term.parts[i].place, std::string(minus ? "cannot subtract " : "cannot add ") + shape_text(part.shape) +
                                   (minus ? " from " : " to ") + shape_text(all.shape));
    return Value::failed();
  }
  for (std::size_t k = 0; k < all.entries.size(); ++k)
    all.entries[k] = minus ? all.entries[k] - part.entries[k] : all.entries[k] + part.entries[k];
  return all;
}

Value Scope::multiplied(const Term& term, std::size_t i, Value all, Value part) {
  if (term.text[i - 1] == '/') {
    if (!part.shape.empty()) {
      error(term.parts[i].place, "cannot divide by " + shape_text(part.shape),
            "over(a, b) divides each entry by itself");
      return Value::failed();
    }
    for (Expr& e : all.entries) e = e / part.entries[0];
    return all;
  }
  if (all.shape.size() == 2 && part.shape.size() == 1 && all.shape[1] == part.shape[0]) {
    Value product{{all.shape[0]}, {}, false};
    for (int k = 0; k < all.shape[0]; ++k)
      product.entries.push_back(
          dot(std::span(all.entries).subspan(k * all.shape[1], part.entries.size()), part.entries));
    return product;
  }
  if (all.shape.size() == 2 && part.shape.size() == 2 && all.shape[1] == part.shape[0]) {
    Value product{{all.shape[0], part.shape[1]}, {}, false};
    for (int r = 0; r < all.shape[0]; ++r)
      for (int c = 0; c < part.shape[1]; ++c) {
        Exprs terms;
        for (int k = 0; k < all.shape[1]; ++k)
          terms.push_back(all.entries[r * all.shape[1] + k] * part.entries[k * part.shape[1] + c]);
        product.entries.push_back(alembert::sum(*graph_, terms));
      }
    return product;
  }
  if (!all.shape.empty() && !part.shape.empty()) {
    error(term.parts[i].place, "cannot multiply " + shape_text(all.shape) + " by " + shape_text(part.shape),
          "use dot(a, b), cross(a, b), or times(a, b) for each entry by itself");
    return Value::failed();
  }
  if (part.shape.empty()) {
    for (Expr& e : all.entries) e = e * part.entries[0];
    return all;
  }
  for (Expr& e : part.entries) e = all.entries[0] * e;
  return part;
}

Value Scope::power(const Term& term) {
  const Value base = evaluate(term.parts[0]), exponent = evaluate(term.parts[1]);
  if (base.bad || exponent.bad) return Value::failed();
  if (!base.shape.empty()) {
    error(term.parts[0].place, "cannot raise " + shape_text(base.shape) + " to a power",
          "norm2(a) is the square of its length");
    return Value::failed();
  }
  if (!exponent.shape.empty()) {
    error(term.parts[1].place, "an exponent must be a scalar, not " + shape_text(exponent.shape));
    return Value::failed();
  }
  return Value::scalar(pow(base.entries[0], exponent.entries[0]));
}

Value Scope::access(const Term& term) {
  const Path path(term);
  const bool named = path.root->form == Term::Form::name;
  if (named && path.root->text.find("[]") != std::string::npos && !find(path.root->text)) {
    const std::optional<Term> one = concrete(term);
    return one ? access(*one) : Value::failed();
  }
  if (named) return access_name(term, path);
  return take(evaluate(*path.root), "this", path, 0);
}

/// The rest of a path on a value that is there: indices from number `first` on, then primes.
Value Scope::take(Value base, const std::string& name, const Path& path, std::size_t first) {
  if (base.bad) return base;
  Value part = std::move(base);
  if (path.indices.size() > first) {
    Declaration shown;
    shown.name = name;
    const std::optional<int> offset = offset_of(shown, part.shape, path.indices, first, 0);
    if (!offset) return Value::failed();
    part = slice(part.shape, part.entries, path.indices.size() - first, *offset);
  }
  if (path.primes == 0) return part;
  if (path.primes > 1) {
    error(path.place, "second derivatives are not variables of a model", "x' is the highest derivative");
    return Value::failed();
  }
  return time_derivative(part, path.place);
}

/// d/dt of an expression of t and the coordinates: what ' means behind a let or a bracket.
Value Scope::time_derivative(const Value& value, const Place& place) {
  if (form != Form::lagrangian) {
    error(place, "velocities belong to the Lagrangian form",
          form == Form::hamiltonian ? "write this with the momenta"
                                    : "write this with the variables; rates are given by 'rate'");
    return Value::failed();
  }
  if (contents(value) & (holds_z | holds_multiplier)) {
    error(place, "the derivative of an expression with velocities or multipliers is not a variable of a model");
    return Value::failed();
  }
  Exprs x, d;
  for (Expr s : free_symbols(value.entries)) {
    const auto found = velocity_of.find(s.id());
    const auto owner = owner_of.find(s.id());
    if (owner != owner_of.end() && (owner->second->kind == Kind::variable || owner->second->kind == Kind::input)) {
      error(place, "the derivative of what contains '" + owner->second->name + "' is not known here",
            owner->second->kind == Kind::input ? "an input has no derivative" : "write its rate out");
      return Value::failed();
    }
    if (found != velocity_of.end()) {
      x.push_back(s);
      d.push_back(found->second);
    } else if (s == t) {
      x.push_back(s);
      d.push_back(graph_->constant(1));
    }
  }
  return {value.shape, directional(value.entries, x, d), false};
}

Value Scope::access_name(const Term& term, const Path& path) {
  const std::string& name = path.root->text;
  const Place& place = path.root->place;
  if (const Local* l = local(name)) {
    if (!l->is_index) return take(l->value, "'" + name + "'", path, 0);
    if (path.indices.empty() && path.primes == 0) return Value::scalar(graph_->constant(l->index));
    error(term.place, "'" + name + "' is an index: a number");
    return Value::failed();
  }
  long alias = 0;
  Declaration* d = find(name);
  if (!d) d = find_alias(name, alias);
  if (!d) {
    if (name == "t") return take(Value::scalar(t), name, path, 0);
    if (const std::optional<Quad> number = constant_named(name))
      return take(Value::scalar(graph_->constant(*number)), name, path, 0);
    if (!is_library_function(name)) unknown(place, name);
    else error(place, "'" + name + "' is a function", "write " + name + "(...)");
    return Value::failed();
  }
  if (d->bad) return Value::failed();

  switch (d->kind) {
    case Kind::family:
      error(place, "index '" + name + "' has no value here",
            "it has one inside sum(" + name + ", ...) and in statements over the family");
      return Value::failed();
    case Kind::function:
      error(place, "'" + name + "' is a function", "write " + print(*d->target));
      return Value::failed();
    case Kind::let:
    case Kind::quantity: return access_let(*d, path);
    case Kind::component:
      error(place, "'" + name + "' is a component", "write " + name + ".x for what it has");
      return Value::failed();
    case Kind::parameter:
      resolve_parameter(*d, place);
      if (d->bad) return Value::failed();
      if (path.primes > 0) {
        error(term.place, "'" + name + "' is a parameter and does not change", "only coordinates have velocities");
        return Value::failed();
      }
      break;
    default: break;
  }
  if (!d->ready) {
    if (sizes_only)
      error(place, "the " + std::string(kind_name(d->kind)) + " '" + name +
                       "' cannot stand in a parameter, a size or an index");
    else if (d->kind == Kind::multiplier && form != Form::general)
      error(place, "a constraint cannot contain the multiplier '" + name + "'");
    else check(!errors.empty(), "a name without symbols means that an error was reported");
    return Value::failed();
  }
  if (path.primes > 0 && d->kind == Kind::coordinate && form == Form::lagrangian && d->velocities.empty()) {
    error(term.place, "'" + name + "' has no velocity yet", "it is what kinematics " + name + "' = ... says");
    return Value::failed();
  }
  if (path.primes > 0 && (d->kind != Kind::coordinate || form != Form::lagrangian)) {
    std::string hint = "only coordinates have velocities";
    if (d->kind == Kind::variable) hint = "its derivative is given by 'rate'";
    else if (d->partner && d->kind == Kind::coordinate) hint = "write it with the momentum '" + d->partner->name + "'";
    else if (d->kind == Kind::coordinate) hint = "write it with the momentum";
    error(term.place,
          form == Form::hamiltonian ? "there are no velocities in the Hamiltonian form"
                                    : "'" + name + "' has no velocity",
          hint);
    return Value::failed();
  }
  if (path.primes > 1) {
    error(term.place, "second derivatives are not variables of a model", "x' is the highest derivative");
    return Value::failed();
  }
  const std::optional<Target> part = element(*d, path, alias);
  if (!part) return Value::failed();
  return slice(d->shape, part->primed ? d->velocities : d->symbols, d->shape.size() - part->shape.size(), part->offset);
}

}  // namespace alembert::internal
