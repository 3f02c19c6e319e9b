#include <quadmath.h>

#include <algorithm>
#include <cmath>

#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"
#include "alembert/model/scope/scope_impl.h"

namespace alembert::internal {

namespace {

// Of arrays: a million entries take half a gigabyte once they are derived.
constexpr long largest_size = 1'000'000;

}  // namespace

void Scope::know(Expr symbol, Quad value) {
  if (value_.size() <= symbol.id()) {
    value_.resize(graph_->size());
    known_.resize(graph_->size(), 0);
  }
  value_[symbol.id()] = value;
  known_[symbol.id()] = 1;
}

/// Parameters whose values shape the model cannot be left open; those that are only checked can.
void Scope::record(Expr e, Use use) {
  if (use == Use::value || !(contents(e) & holds_parameter)) return;
  if (use == Use::zero) return zero_tests.push_back(e);
  for (const Expr s : free_symbols(ExprSpan(&e, 1))) (use == Use::check ? checked : decided).insert(s.id());
}

std::optional<Quad> Scope::number(Expr e, std::string& missing, Use use) {
  record(e, use);
  return worked_out(e, missing);
}

std::optional<Quad> Scope::worked_out(Expr e, std::string& missing) {
  value_.resize(graph_->size());
  known_.resize(graph_->size(), 0);
  std::vector<std::uint32_t> open = {e.id()};
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    if (known_[id]) {
      open.pop_back();
      continue;
    }
    const Node n = graph_->node(id);
    if (n.op == Op::symbol) {
      missing = graph_->name(id);
      return {};
    }
    if (n.op == Op::constant) {
      value_[id] = graph_->value(id);
    } else {
      const int operands = operator_of(n.op).operands;
      const std::size_t before = open.size();
      if (!known_[n.a]) open.push_back(n.a);
      if (operands == 2 && !known_[n.b]) open.push_back(n.b);
      if (open.size() > before) continue;
      value_[id] = alembert::internal::evaluate<Quad>(n.op, value_[n.a], operands == 2 ? value_[n.b] : value_[n.a]);
    }
    known_[id] = 1;
    open.pop_back();
  }
  return value_[e.id()];
}

void Scope::mark(Expr symbol, Content content) {
  marks_[symbol.id()] = content;
  if (symbol.id() < contents_.size()) contents_.clear();  // what was worked out before rests on the old mark
}

unsigned Scope::contents(Expr e) {
  // Operands have smaller numbers, so one pass over the new nodes is enough.
  for (std::uint32_t id = static_cast<std::uint32_t>(contents_.size()); id < graph_->size(); ++id) {
    const Node& n = graph_->node(id);
    unsigned char c = 0;
    if (n.op == Op::symbol) {
      const auto found = marks_.find(id);
      if (found != marks_.end()) c = found->second;
    } else if (n.op != Op::constant) {
      c = contents_[n.a];
      if (operator_of(n.op).operands == 2) c |= contents_[n.b];
    }
    contents_.push_back(c);
  }
  return contents_[e.id()];
}

unsigned Scope::contents(const Value& value) {
  unsigned all = 0;
  for (Expr e : value.entries) all |= contents(e);
  return all;
}

/// The common index expressions (i - 1, 2*N) without going through the graph.
std::optional<Quad> Scope::quick_number(const Term& term, Use use) {
  switch (term.form) {
    case Term::Form::number: {
      Quad value;
      if (read_number(term.text, value)) return value;
      return {};
    }
    case Term::Form::name: {
      if (const Local* l = local(term.text)) return l->is_index ? std::optional<Quad>(l->index) : std::nullopt;
      Declaration* d = find(term.text);
      if (!d || d->kind != Kind::parameter) return {};
      resolve_parameter(*d, term.place);
      if (d->bad || !d->shape.empty()) return {};
      record(d->symbols[0], use);
      return value_[d->symbols[0].id()];
    }
    case Term::Form::negate: {
      const std::optional<Quad> a = quick_number(term.parts[0], use);
      return a ? std::optional<Quad>(-*a) : std::nullopt;
    }
    case Term::Form::chain: {
      std::optional<Quad> a = quick_number(term.parts[0], use);
      for (std::size_t i = 1; a && i < term.parts.size(); ++i) {
        const std::optional<Quad> b = quick_number(term.parts[i], use);
        if (!b) return {};
        switch (term.text[i - 1]) {
          case '+': *a += *b; break;
          case '-': *a -= *b; break;
          case '*': *a *= *b; break;
          default: *a /= *b;
        }
      }
      return a;
    }
    default: return {};
  }
}

/// A symbol in it that is no parameter, or "": time and coordinates may have a value at the start, but do not keep it.
std::string Scope::changing(const Value& value) {
  if ((contents(value) & ~static_cast<unsigned>(holds_parameter)) == 0) return "";
  for (Expr s : free_symbols(value.entries))
    if (contents(s) != holds_parameter) return graph_->name(s.id());
  return "";
}

std::optional<Quad> Scope::number_of(const Term& term, const std::string& what, Use use) {
  if (const std::optional<Quad> quick = quick_number(term, use)) return quick;
  const Value value = evaluate(term);
  if (value.bad) return {};
  if (!value.shape.empty()) {
    error(term.place, what + " must be a number, not " + shape_text(value.shape));
    return {};
  }
  std::string missing = changing(value);
  const std::optional<Quad> result = missing.empty() ? number(value.entries[0], missing, use) : std::nullopt;
  if (!result)
    error(term.place, what + " must be a number, but '" + missing + "' changes", "use parameters and indices only");
  return result;
}

std::optional<long> Scope::whole(const Term& term, const std::string& what) {
  const std::optional<Quad> value = number_of(term, what);
  if (!value) return {};
  if (finiteq(*value)) {
    const Quad nearest = roundq(*value);
    if (fabsq(nearest) < Quad(1e15) && fabsq(*value - nearest) <= Quad(1e-12)) return static_cast<long>(nearest);
  }
  error(term.place, what + " must be a whole number, not " + to_text(static_cast<double>(*value)));
  return {};
}

bool Scope::range(const Term& first, const Term& last, long& a, long& b) {
  const std::optional<long> from = whole(first, "the start of a range");
  const std::optional<long> to = whole(last, "the end of a range");
  if (!from || !to) return false;
  a = *from;
  b = *to;
  if (b - a >= largest_size) {
    error(last.place, "the range " + std::to_string(a) + ".." + std::to_string(b) + " is too long",
          "at most 1,000,000 are possible");
    return false;
  }
  return true;
}

void Scope::resolve_family(Declaration& d, const Place& use) {
  if (d.state == Declaration::State::done || d.bad) return;
  if (d.state == Declaration::State::active) {
    error(use, "the range of '" + d.name + "' depends on itself");
    d.bad = true;
    return;
  }
  d.state = Declaration::State::active;
  const Frame frame(*this);
  const Range* own = nullptr;
  for (const Range& r : d.statement->ranges)
    if (&r.index == d.target) own = &r;
  if (!range(own->first, own->last, d.first, d.last)) {
    d.bad = true;
  } else if (d.last < d.first) {
    error(own->last.place,
          "family '" + d.name + "' is empty: " + std::to_string(d.first) + ".." + std::to_string(d.last),
          "its end must not be before its start");
    d.bad = true;
  }
  d.state = Declaration::State::done;
}

bool Scope::resolve_shape(Declaration& d) {
  const Path path(*d.target);
  double total = 1;
  for (const Term* bracket : path.indices) {
    long size = 0;
    Declaration* family = bracket->form == Term::Form::name ? find(bracket->text) : nullptr;
    if (family && family->kind == Kind::family) {
      resolve_family(*family, bracket->place);
      if (family->bad) {
        d.bad = true;
        return false;
      }
      if (family->first != 1) {
        error(bracket->place, "'" + d.name + "' counts from 1, but family '" + family->name + "' starts at " +
                                  std::to_string(family->first));
        d.bad = true;
        return false;
      }
      size = family->last;
    } else {
      const std::optional<long> number = whole(*bracket, "the size of '" + d.name + "'");
      if (number && *number < 1)
        error(bracket->place, "the size of '" + d.name + "' must be at least 1, not " + std::to_string(*number));
      if (!number || *number < 1) {
        d.bad = true;
        return false;
      }
      size = *number;
    }
    total *= static_cast<double>(size);
    if (total > static_cast<double>(largest_size)) {
      error(bracket->place, "'" + d.name + "' has more than 1,000,000 entries");
      d.bad = true;
      return false;
    }
    d.shape.push_back(static_cast<int>(size));
  }
  return true;
}

/// Evaluates a parameter's text: once, or for each member of the families among its brackets.
bool Scope::parameter_values(Declaration& d, const Term& term, std::vector<Quad>& values, Exprs& definitions) {
  struct Dimension {
    std::string index;
    int size;
  };
  std::vector<Dimension> families;
  ArrayShape rest;
  const Path path(*d.target);
  for (std::size_t k = 0; k < path.indices.size(); ++k) {
    const Declaration* family = path.indices[k]->form == Term::Form::name ? find(path.indices[k]->text) : nullptr;
    if (family && family->kind == Kind::family && rest.empty()) families.push_back({family->name, d.shape[k]});
    else rest.push_back(d.shape[k]);
  }
  values.assign(static_cast<std::size_t>(d.size()), 0);
  definitions.assign(values.size(), graph_->constant(0));
  const int rest_size = shape_size(rest);
  const int members = d.size() / rest_size;
  for (int m = 0; m < members; ++m) {
    const Frame frame(*this, source);
    for (std::size_t k = families.size(), left = static_cast<std::size_t>(m); k-- > 0;) {
      locals_.push_back({families[k].index, true, static_cast<long>(left % families[k].size) + 1, {}});
      left /= static_cast<std::size_t>(families[k].size);
    }
    const Value value = evaluate(term);
    if (value.bad) return false;
    const bool everything = value.shape == d.shape && !families.empty();
    if (!everything && value.shape != rest && !value.shape.empty()) {
      error(term.place, "'" + d.name + "' is " + shape_text(rest) + ", but its value is " + shape_text(value.shape));
      return false;
    }
    const int count = everything ? d.size() : rest_size;
    const std::string changes = changing(value);
    for (int i = 0; i < count; ++i) {
      std::string missing = changes;
      const Expr entry = value.entries[value.shape.empty() ? 0 : static_cast<std::size_t>(i)];
      const std::optional<Quad> number = changes.empty() ? this->number(entry, missing, Use::value) : std::nullopt;
      if (!number) {
        error(term.place, "the value of parameter '" + d.name + "' depends on '" + missing + "'",
              "a parameter is a fixed number");
        return false;
      }
      if (!std::isfinite(static_cast<double>(*number))) {
        error(term.place,
              "the value of parameter '" + d.name + "' is not finite (" + to_text(static_cast<double>(*number)) + ")");
        return false;
      }
      const auto place = static_cast<std::size_t>(everything ? i : m * rest_size + i);
      values[place] = *number;
      definitions[place] = entry;
    }
    if (everything) break;
  }
  return true;
}

void Scope::resolve_parameter(Declaration& d, const Place& use) {
  if (d.state == Declaration::State::done || d.bad) return;
  if (d.state == Declaration::State::active) {
    error(use, "the value of parameter '" + d.name + "' depends on itself");
    d.bad = true;
    return;
  }
  d.state = Declaration::State::active;
  const Frame frame(*this);
  std::vector<Quad> values;
  const Replacement* whole_value = nullptr;
  for (const Replacement& r : d.replacements)
    if (Path(*r.target).indices.empty()) whole_value = &r;

  // In a text of its own each: the declaration in the model, replacements in their options.
  bool good = resolve_shape(d);
  if (good && whole_value) {
    source = whole_value->source;
    good = parameter_values(d, *whole_value->value, values, d.definitions);
  } else if (good && d.definition) {
    good = parameter_values(d, *d.definition, values, d.definitions);
  } else if (good) {
    error(d.place, "parameter '" + d.name + "' has no value", "write parameter " + d.name + " = ...");
    good = false;
  }
  for (const Replacement& r : d.replacements) {
    const Path path(*r.target);
    if (!good || path.indices.empty()) continue;
    source = r.source;
    const std::optional<Target> part = element(d, path, 0);
    if (!part) continue;
    const std::optional<Quad> number = number_of(*r.value, "the value of '" + d.name + "'", Use::value);
    if (number && !std::isfinite(static_cast<double>(*number)))
      error(r.value->place, "the value of parameter '" + d.name + "' is not finite");
    if (number)
      for (int i = 0; i < shape_size(part->shape); ++i) {
        values[part->offset + i] = *number;
        d.definitions[part->offset + i] = graph_->constant(*number);
      }
  }
  if (good && !d.bad) {
    Block block{d.name, d.shape, 0, d.size(), d.place};
    for (int i = 0; i < block.size; ++i) {
      d.symbols.push_back(graph_->symbol(entry_name(block, i)));
      mark(d.symbols.back(), holds_parameter);
      owner_of[d.symbols.back().id()] = &d;
      know(d.symbols.back(), values[static_cast<std::size_t>(i)]);
    }
    d.ready = true;
  } else {
    d.bad = true;
  }
  d.state = Declaration::State::done;
}

}  // namespace alembert::internal
