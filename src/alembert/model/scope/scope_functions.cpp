#include <algorithm>

#include "alembert/expr/operators.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/scope/scope_impl.h"
#include "alembert/numerics.h"

namespace alembert::internal {

// Lets.

bool Scope::resolve_let_ranges(Declaration& d) {
  if (!d.argument_ranges.empty() || d.arguments.empty()) return true;
  for (const std::string& index : d.arguments) {
    std::pair<long, long> bounds;
    const Range* own = nullptr;
    for (const Range& r : d.statement->ranges)
      if (r.index.text == index) own = &r;
    if (own) {
      const Frame frame(*this);
      if (!range(own->first, own->last, bounds.first, bounds.second)) return false;
    } else {
      Declaration* family = find(index);
      resolve_family(*family, d.place);
      if (family->bad) return false;
      bounds = {family->first, family->last};
    }
    d.argument_ranges.push_back(bounds);
  }
  return true;
}

Value Scope::member(Declaration& d, const std::vector<long>& indices, const Place& use) {
  const auto found = d.members.find(indices);
  if (found != d.members.end()) return found->second;
  // A member may use others (a recurrence), but not itself.
  if (!d.active_members.insert(indices).second) {
    error(use, "'" + d.name + "' is defined by itself");
    return Value::failed();
  }
  Value value;
  {
    const Frame frame(*this);
    for (std::size_t k = 0; k < indices.size(); ++k) locals_.push_back({d.arguments[k], true, indices[k], {}});
    value = evaluate(*d.definition);
  }
  d.active_members.erase(indices);
  if (!value.bad && !d.shape.empty()) value = fit(std::move(value), d.shape, d.definition->place, "'" + d.name + "'");
  d.members[indices] = value;
  return value;
}

namespace {

/// quantity p[i] = EXPR: member by member, where its brackets hold the indices of families.
Value quantity_value(Scope& scope, Declaration& d) {
  const Term name = declared_member(scope, d);
  if (name.form != Term::Form::index) return scope.evaluate(*d.definition);
  Value all;
  all.shape = d.shape;
  all.entries.resize(static_cast<std::size_t>(d.size()));
  bool sound = true;
  scope.loop({}, {&name, d.definition}, [&](const std::vector<long>&) {
    const std::optional<Target> part = scope.reference(name, {Kind::quantity}, "quantity");
    if (!part) return sound = false;
    const Value one =
        scope.fit(scope.evaluate(*d.definition), part->shape, d.definition->place, "a member of '" + d.name + "'");
    if (one.bad) return sound = false;
    std::copy(one.entries.begin(), one.entries.end(), all.entries.begin() + part->offset);
    return true;
  });
  return sound ? all : Value::failed();
}

}  // namespace

Value Scope::let_value(Declaration& d, const Place& use) {
  if (d.bad) return Value::failed();
  if (d.state == Declaration::State::done) return d.value;
  if (d.state == Declaration::State::active) {
    error(use, "'" + d.name + "' is defined by itself");
    d.bad = true;
    return Value::failed();
  }
  if (!resolve_let_ranges(d)) {
    d.bad = true;
    return Value::failed();
  }
  d.state = Declaration::State::active;
  if (d.made) {
    d.value = d.made(use);
  } else if (d.arguments.empty()) {
    const Frame frame(*this);
    d.value = d.kind == Kind::quantity ? quantity_value(*this, d) : evaluate(*d.definition);
    const bool sized = d.target->form == Term::Form::index;
    if (sized || d.kind == Kind::quantity)
      d.value = fit(std::move(d.value), d.shape, d.definition->place, "'" + d.name + "'");
  } else {
    Value all;
    std::vector<long> index;
    for (const auto& bounds : d.argument_ranges) {
      index.push_back(bounds.first);
      all.shape.push_back(static_cast<int>(bounds.second - bounds.first + 1));
    }
    const int count = shape_size(all.shape);
    for (int m = 0; m < count && !all.bad; ++m) {
      const Value one = member(d, index, use);
      if (one.bad) {
        all = Value::failed();
        break;
      }
      if (m == 0) all.shape.insert(all.shape.end(), one.shape.begin(), one.shape.end());
      all.entries.insert(all.entries.end(), one.entries.begin(), one.entries.end());
      for (std::size_t k = index.size(); k-- > 0;) {
        if (++index[k] <= d.argument_ranges[k].second) break;
        index[k] = d.argument_ranges[k].first;
      }
    }
    if (!all.bad && static_cast<int>(all.entries.size()) != shape_size(all.shape)) {
      error(d.definition->place, "the members of '" + d.name + "' have different shapes");
      all = Value::failed();
    }
    d.value = all;
  }
  if (d.value.bad) d.bad = true;
  d.state = Declaration::State::done;
  return d.value;
}

Value Scope::access_let(Declaration& d, const Path& path) {
  const std::string shown = d.name;
  if (d.arguments.empty() || path.indices.empty()) return take(let_value(d, path.place), shown, path, 0);
  if (!resolve_let_ranges(d)) {
    d.bad = true;
    return Value::failed();
  }
  if (path.indices.size() < d.arguments.size()) {
    error(path.place, "'" + d.name + "' takes " + std::to_string(d.arguments.size()) + " indices");
    return Value::failed();
  }
  std::vector<long> indices;
  for (std::size_t k = 0; k < d.arguments.size(); ++k) {
    const std::optional<long> index = whole(*path.indices[k], "an index of '" + d.name + "'");
    if (!index) return Value::failed();
    const auto [first, last] = d.argument_ranges[k];
    if (*index < first || *index > last) {
      error(path.indices[k]->place, "index " + std::to_string(*index) + " of '" + d.name + "' is outside " +
                                        std::to_string(first) + ".." + std::to_string(last));
      return Value::failed();
    }
    indices.push_back(*index);
  }
  return take(member(d, indices, path.place), shown, path, d.arguments.size());
}

// Functions.

Value Scope::call(const Term& term) {
  const std::string& name = term.text;
  if (const std::size_t hole = name.find("[]"); hole != std::string::npos) {
    // link[i].point(0, 0, 1): its indices are the first parts.
    Term one = term;
    const std::optional<long> number = whole(term.parts.at(0), "an index of '" + name + "'");
    if (!number) return Value::failed();
    one.text.insert(hole + 1, std::to_string(*number));
    one.parts.erase(one.parts.begin());
    return call(one);
  }
  if (Declaration* d = find(name)) {
    if (d->kind == Kind::function) return d->table || !d->definition ? call_table(*d, term) : call_function(*d, term);
    if (!is_library_function(name) && name != "reaction") {
      if (!d->bad)
        error(term.place, "'" + name + "' is a " + kind_name(d->kind) + ", not a function",
              "write " + name + "[...] for an entry, * for a product");
      return Value::failed();
    }
  }
  if (name == "sum") return call_sum(term);
  if (name == "if") return call_if(term);
  if (name == "reaction") {
    error(term.place, "reaction(...) must stand as a term of its own in a rate", "write rate z' = f + reaction(r)");
    return Value::failed();
  }
  if (name == "dot" || name == "cross" || name == "norm" || name == "norm2") return call_vector(term);
  if (name == "friction") return call_friction(term);
  if (name == whole_tensor) return call_tensor(term);
  if (name == "identity" || name == "transpose" || name == "skew" || name == "rotation" || name == "times" ||
      name == "over")
    return call_matrix(term);
  if (find_function(name)) return call_library(term);
  unknown(Place{term.place.line, term.place.column, static_cast<int>(name.size())}, name, true);
  for (const Term& part : term.parts) evaluate(part);
  return Value::failed();
}

Value Scope::call_function(Declaration& d, const Term& term) {
  if (d.bad) return Value::failed();
  std::vector<Value> arguments;
  bool bad = false;
  for (const Term& part : term.parts) {
    arguments.push_back(evaluate(part));
    bad |= arguments.back().bad;
  }
  if (arguments.size() != d.arguments.size()) {
    error(term.place,
          "'" + d.name + "' takes " + std::to_string(d.arguments.size()) +
              (d.arguments.size() == 1 ? " argument, not " : " arguments, not ") + std::to_string(arguments.size()),
          "declared as " + print(*d.target) + " in line " + std::to_string(d.place.line));
    return Value::failed();
  }
  if (bad) return Value::failed();
  if (d.state == Declaration::State::active) {
    error(term.place, "the function '" + d.name + "' uses itself",
          "functions are written out where they are used and cannot recur");
    return Value::failed();
  }
  d.state = Declaration::State::active;
  Value value;
  {
    const Frame frame(*this);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      locals_.push_back({d.arguments[i], false, 0, std::move(arguments[i])});
    value = evaluate(*d.definition);
  }
  d.state = Declaration::State::untouched;
  return value;
}

Value Scope::call_library(const Term& term) {
  const Operator& op = *find_function(term.text);
  std::vector<Expr> x;
  bool bad = false;
  for (const Term& part : term.parts) {
    const Value v = evaluate(part);
    if (!v.bad && !v.shape.empty()) error(part.place, "'" + term.text + "' takes scalars, not " + shape_text(v.shape));
    bad |= v.bad || !v.shape.empty();
    if (!bad) x.push_back(v.entries[0]);
  }
  const bool any_number = op.op == Op::min || op.op == Op::max;
  const int given = static_cast<int>(term.parts.size());
  if (any_number ? given < 2 : given != op.operands) {
    error(term.place, "'" + term.text + "' takes " + (any_number ? "at least " : "") + std::to_string(op.operands) +
                          (op.operands == 1 ? " argument, not " : " arguments, not ") + std::to_string(given));
    return Value::failed();
  }
  if (bad) return Value::failed();
  if (op.operands == 1) return Value::scalar(graph_->make(op.op, x[0]));
  Expr all = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) all = graph_->make(op.op, all, x[i]);
  return Value::scalar(all);
}

Value Scope::call_vector(const Term& term) {
  const std::size_t wanted = term.text == "dot" || term.text == "cross" ? 2 : 1;
  std::vector<Value> x;
  bool bad = false;
  for (const Term& part : term.parts) {
    x.push_back(evaluate(part));
    bad |= x.back().bad;
  }
  if (x.size() != wanted) {
    error(term.place, "'" + term.text + "' takes " + std::to_string(wanted) +
                          (wanted == 1 ? " vector, not " : " vectors, not ") + std::to_string(x.size()));
    return Value::failed();
  }
  if (bad) return Value::failed();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i].shape.empty() || (term.text == "cross" && x[i].shape != ArrayShape{3})) {
      error(term.parts[i].place,
            "'" + term.text + "' takes " + (term.text == "cross" ? "vectors of 3" : "vectors") + ", not " +
                shape_text(x[i].shape),
            term.text == "norm" ? "abs(x) is the size of a scalar" : "");
      return Value::failed();
    }
  if (wanted == 2 && x[0].shape != x[1].shape) {
    error(term.parts[1].place,
          "'" + term.text + "' takes vectors alike, not " + shape_text(x[0].shape) + " and " + shape_text(x[1].shape));
    return Value::failed();
  }
  const Exprs& a = x[0].entries;
  if (term.text == "cross") {
    const Exprs& b = x[1].entries;
    return {{3}, {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, false};
  }
  Exprs terms;
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(wanted == 2 ? a[i] * x[1].entries[i] : pow(a[i], Quad(2)));
  const Expr total = alembert::sum(*graph_, terms);
  return Value::scalar(term.text == "norm" ? sqrt(total) : total);
}

/// Coulomb and power-law friction: -mu |normal|^exponent v/|v|, with |v| replaced by sqrt(|v|^2 + rest^2), so that the
/// force falls to zero below the speed `rest` instead of jumping.
Value Scope::call_friction(const Term& term) {
  std::vector<Value> x;
  bool bad = false;
  for (const Term& part : term.parts) {
    x.push_back(evaluate(part));
    bad |= x.back().bad;
  }
  if (x.size() < 3 || x.size() > 5) {
    error(term.place, "'friction' takes 3 to 5 arguments, not " + std::to_string(x.size()),
          "write friction(mu, normal, velocity), or friction(mu, normal, velocity, exponent, rest)");
    return Value::failed();
  }
  if (bad) return Value::failed();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i == 2 ? x[i].shape.size() > 1 : !x[i].shape.empty()) {
      error(term.parts[i].place, std::string("'friction' takes ") +
                                     (i == 2 ? "a scalar or a vector here" : "a scalar here") + ", not " +
                                     shape_text(x[i].shape));
      return Value::failed();
    }
  const Expr exponent = x.size() > 3 ? x[3].entries[0] : graph_->constant(1);
  const Expr rest = x.size() > 4 ? x[4].entries[0] : graph_->constant(Quad(1) / 1000000);
  Exprs squares{pow(rest, Quad(2))};
  for (const Expr v : x[2].entries) squares.push_back(pow(v, Quad(2)));
  const Expr size = x[0].entries[0] * pow(abs(x[1].entries[0]), exponent) / sqrt(alembert::sum(*graph_, squares));
  Value force = x[2];
  for (Expr& v : force.entries) v = -(size * v);
  return force;
}

/// How many terms evaluating this takes at least; ranges that cannot be known yet count once.
double Scope::least_cost(const Term& term) {
  if (term.form == Term::Form::call && term.text == "sum" && term.parts.size() == 2 &&
      term.parts[0].form == Term::Form::range) {
    const std::vector<Term>& range = term.parts[0].parts;
    const std::optional<Quad> first = quick_number(range[1]), last = quick_number(range[2]);
    if (!first || !last || *last < *first) return 1;
    return 1 + static_cast<double>(*last - *first + 1) * least_cost(term.parts[1]);
  }
  double cost = 1;
  for (const Term& part : term.parts) cost += least_cost(part);
  return cost;
}

Value Scope::call_sum(const Term& term) {
  const char* form_of_sum = "write sum(i, EXPR) over a family, sum(i = 1..N, EXPR), or sum(VECTOR)";
  if (term.parts.size() == 1 && term.parts[0].form != Term::Form::range) {
    Value v = evaluate(term.parts[0]);
    if (v.bad) return v;
    if (v.shape.size() != 1) {
      error(term.parts[0].place, "'sum' of one argument takes a vector, not " + shape_text(v.shape), form_of_sum);
      return Value::failed();
    }
    return Value::scalar(alembert::sum(*graph_, v.entries));
  }
  if (term.parts.size() != 2) {
    error(term.place, "'sum' takes an index and an expression", form_of_sum);
    return Value::failed();
  }
  const Term& head = term.parts[0];
  std::string index;
  long first = 1, last = 0;
  if (head.form == Term::Form::range) {
    index = head.parts[0].text;
    if (!range(head.parts[1], head.parts[2], first, last)) return Value::failed();
  } else if (head.form == Term::Form::name) {
    index = head.text;
    Declaration* family = find(index);
    if (!family) {
      unknown(head.place, index);
      return Value::failed();
    }
    if (family->bad) return Value::failed();
    if (family->kind != Kind::family) {
      error(head.place, "'" + index + "' is a " + std::string(kind_name(family->kind)) + ", not a family", form_of_sum);
      return Value::failed();
    }
    resolve_family(*family, head.place);
    if (family->bad) return Value::failed();
    first = family->first;
    last = family->last;
  } else {
    error(head.place, "'sum' needs an index first", form_of_sum);
    return Value::failed();
  }

  // Sums in sums may be hopeless: better said at once than after the first twelve million terms.
  if (static_cast<double>(last - first + 1) * least_cost(term.parts[1]) > static_cast<double>(budget_)) {
    budget_ = 0;
    return evaluate(term.parts[1]);
  }
  ArrayShape shape;
  std::vector<Exprs> terms;  // one list an entry
  for (long i = first; i <= last; ++i) {
    locals_.push_back({index, true, i, {}});
    Value v = evaluate(term.parts[1]);
    locals_.pop_back();
    if (v.bad) return v;
    if (i == first) {
      shape = v.shape;
      terms.resize(v.entries.size());
    } else if (v.shape != shape) {
      error(term.parts[1].place,
            "the terms of this sum have different shapes: " + shape_text(shape) + " and " + shape_text(v.shape));
      return Value::failed();
    }
    for (std::size_t k = 0; k < terms.size(); ++k) terms[k].push_back(v.entries[k]);
  }
  if (last < first) return Value::scalar(graph_->constant(0));
  Value all{shape, {}, false};
  for (const Exprs& list : terms) all.entries.push_back(alembert::sum(*graph_, list));
  return all;
}

// Statements over ranges.

void Scope::free_indices(const Term& term, std::vector<std::string>& bound, std::vector<std::string>& found) {
  if (term.form == Term::Form::name) {
    const Declaration* d = find(term.text);
    const auto in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), term.text) != list.end();
    };
    if (d && d->kind == Kind::family && !in(bound) && !in(found)) found.push_back(term.text);
    return;
  }
  if (term.form == Term::Form::call && term.text == "sum" && term.parts.size() == 2 &&
      (term.parts[0].form == Term::Form::range || term.parts[0].form == Term::Form::name)) {
    const bool is_range = term.parts[0].form == Term::Form::range;
    if (is_range)
      for (int k : {1, 2}) free_indices(term.parts[0].parts[static_cast<std::size_t>(k)], bound, found);
    bound.push_back(is_range ? term.parts[0].parts[0].text : term.parts[0].text);
    free_indices(term.parts[1], bound, found);
    bound.pop_back();
    return;
  }
  for (const Term& part : term.parts) free_indices(part, bound, found);
}

void Scope::loop(const std::vector<Range>& ranges, const std::vector<const Term*>& terms,
                 const std::function<bool(const std::vector<long>&)>& body) {
  std::vector<std::string> bound, families;
  for (const Range& r : ranges) {
    const Declaration* d = find(r.index.text);
    if (d && d->kind != Kind::family) {
      error(r.index.place, "'" + r.index.text + "' cannot be an index: it is a " + std::string(kind_name(d->kind)) +
                               " (line " + std::to_string(d->place.line) + ")");
      return;
    }
    bound.push_back(r.index.text);
  }
  for (const Term* term : terms) free_indices(*term, bound, families);
  for (const std::string& name : families) {
    Declaration* family = find(name);
    resolve_family(*family, terms[0]->place);
    if (family->bad) return;
  }
  // Hopeless sizes are better refused at once than after the first twelve million members.
  double members = 1;
  for (const std::string& name : families) members *= static_cast<double>(find(name)->last - find(name)->first + 1);
  for (const Range& r : ranges) {
    const std::optional<Quad> first = quick_number(r.first), last = quick_number(r.last);
    if (first && last && *last > *first) members *= static_cast<double>(*last - *first + 1);
  }
  if (members > static_cast<double>(budget_)) {
    const Place place = !ranges.empty() ? ranges[0].index.place : terms[0]->place;
    error(place, "the model is too large: this statement has " + to_text(members) + " members",
          "all statements together may have 12 million terms");
    spent_ = true;
    budget_ = 0;
    return;
  }
  const std::size_t depth = ranges.size() + families.size();
  std::vector<long> index;
  bool go_on = true;
  const std::function<void()> descend = [&] {
    if (index.size() == depth) {
      go_on = body(index);
      return;
    }
    const std::size_t k = index.size();
    long first = 0, last = 0;
    std::string name;
    if (k < ranges.size()) {
      name = ranges[k].index.text;
      if (!range(ranges[k].first, ranges[k].last, first, last)) {
        go_on = false;
        return;
      }
    } else {
      const Declaration* family = find(families[k - ranges.size()]);
      name = family->name;
      first = family->first;
      last = family->last;
    }
    for (long i = first; i <= last && go_on; ++i) {
      locals_.push_back({name, true, i, {}});
      index.push_back(i);
      descend();
      index.pop_back();
      locals_.pop_back();
    }
  };
  descend();
}

}  // namespace alembert::internal
