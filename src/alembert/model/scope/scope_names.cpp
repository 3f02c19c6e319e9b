#include <algorithm>

#include "alembert/expr/operators.h"
#include "alembert/model/scope/scope_impl.h"

namespace alembert::internal {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::parameter: return "parameter";
    case Kind::family: return "family";
    case Kind::coordinate: return "coordinate";
    case Kind::momentum: return "momentum";
    case Kind::variable: return "variable";
    case Kind::multiplier: return "multiplier";
    case Kind::quantity: return "quantity";
    case Kind::let: return "let";
    case Kind::function: return "function";
    case Kind::state: return "state";
    case Kind::input: return "input";
    case Kind::output: return "output";
    case Kind::component: return "component";
  }
  return "";
}

Scope::Scope(std::shared_ptr<const Source> text, std::shared_ptr<Graph> graph)
    : source(text), text_(std::move(text)), graph_(std::move(graph)) {
  t = graph_->symbol("t");
  mark(t, holds_time);
  know(t, 0);
}

void Scope::error(const Place& place, std::string message, std::string hint) {
  if (place.line > 0 && !reported_.insert({source.get(), {place.line, place.column}}).second) return;
  errors.push_back({source, place, std::move(message), std::move(hint)});
}

Declaration* Scope::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Declaration* Scope::declare(Kind kind, const Term& name, const Term* target) {
  if (name.form != Term::Form::name) {
    error(name.place, std::string("a ") + kind_name(kind) + " needs a name here", "for example x, q[3], r[i][3]");
    return nullptr;
  }
  if (name.text == "t" || name.text == "pi") {
    error(name.place, "'" + name.text + "' cannot be declared",
          name.text == "t" ? "it is the time" : "it is the number 3.14159...");
    return nullptr;
  }
  if (Declaration* first = find(name.text)) {
    error(name.place, "'" + name.text + "' is declared twice",
          std::string("first as ") + kind_name(first->kind) + " in line " + std::to_string(first->place.line));
    // Its uses may mean either one: nothing more is said about them.
    if (first->kind != kind) first->bad = true;
    return nullptr;
  }
  Declaration& d = declarations_.emplace_back();
  d.kind = kind;
  d.name = name.text;
  d.place = name.place;
  d.target = target;
  by_name_[d.name] = &d;
  return &d;
}

namespace {

/// Functions that take vectors or ranges; the others are in the table of operators.
const char* const vector_functions[] = {"dot",      "cross",     "norm", "norm2",    "sum",   "friction", "if",
                                        "identity", "transpose", "skew", "rotation", "times", "over"};

constexpr std::size_t most_hints = 200;  // unknown names that are compared with all others

bool has_entries(Kind kind) {
  return kind == Kind::coordinate || kind == Kind::momentum || kind == Kind::variable || kind == Kind::state ||
         kind == Kind::input || kind == Kind::output;
}

/// How the user calls it: what the general form knows as a variable is a velocity of the multibody form.
std::string called(Kind kind, bool multibody) {
  return kind == Kind::variable && multibody ? "velocity" : kind_name(kind);
}

bool is_multibody(Form form, const std::deque<Declaration>& declarations) {
  const auto variable = [](const Declaration& d) { return d.kind == Kind::variable && d.is_z; };
  return form != Form::general && std::any_of(declarations.begin(), declarations.end(), variable);
}

}  // namespace

bool is_library_function(const std::string& name) {
  return find_function(name) ||
         std::find(std::begin(vector_functions), std::end(vector_functions), name) != std::end(vector_functions);
}

void Scope::unknown(const Place& place, const std::string& name, bool call) {
  if (lost.contains(name) || lost.contains(name.substr(0, name.find_first_of(".[")))) return;
  if (!unknown_.insert(name).second) return;
  if (const std::size_t cut = name.find_first_of(".["); cut != std::string::npos) {
    const Declaration* d = find(name.substr(0, cut));
    if (d && d->kind == Kind::component && d->bad) return;  // what it has is not known
  }
  const std::string message =
      (call ? "unknown function '" : "unknown name '") + (name.size() > 80 ? name.substr(0, 80) + "..." : name) + "'";
  if (unknown_.size() > most_hints) return error(place, message);
  std::vector<std::string> candidates;
  for (const Declaration& d : declarations_) candidates.push_back(d.name);
  for (std::size_t i = visible_; i < locals_.size(); ++i) candidates.push_back(locals_[i].name);
  if (call) {
    for (const char* f : vector_functions) candidates.emplace_back(f);
    for (const Operator& op : operators())
      if (find_function(op.name)) candidates.emplace_back(op.name);
  } else {
    for (const char* constant : {"pi", "deg", "rpm"}) candidates.emplace_back(constant);
  }
  // q4 where q has three entries deserves to hear that, not the name of a neighbour.
  for (std::size_t cut = name.size(), digits = 0;
       cut > 1 && digits < 7 && std::isdigit(static_cast<unsigned char>(name[cut - 1])); --cut, ++digits) {
    const Declaration* d = find(name.substr(0, cut - 1));
    if (d && has_entries(d->kind) && d->ready && d->shape.size() == 1) {
      error(place, message, "'" + d->name + "' has only " + std::to_string(d->shape[0]) + " entries");
      return;
    }
  }
  const std::string near = nearest_name(name, candidates);
  std::string hint;
  if (near.empty() && name.starts_with("lambda"))
    hint = "the multiplier of a constraint gets its name there: constraint rod(pull): x^2 + y^2 = l^2";
  const bool like_index = (name == "i" || name == "j") && (near.empty() || near == "pi");
  if (like_index && !call) {
    hint = "an index is one of a family, family " + name + " = 1..N, or of the statement, for " + name + " = 1..N";
  } else if (!near.empty()) {
    hint = "did you mean '" + near + "'";
    if (const Declaration* d = find(near))
      hint +=
          " (" + called(d->kind, is_multibody(form, declarations_)) + ", line " + std::to_string(d->place.line) + ")";
    else if (is_library_function(near)) hint += " (function)";
    hint += "?";
  }
  if (const std::string ports = ports_of(name.substr(0, name.rfind('.'))); !ports.empty())
    hint += (hint.empty() ? "" : " ") + ports;
  error(place, message, hint);
}

std::string Scope::ports_of(const std::string& component) const {
  std::string list;
  for (const Declaration& d : declarations_) {
    const std::size_t dot = d.name.rfind('.');
    if ((d.kind != Kind::input && d.kind != Kind::output) || dot == std::string::npos) continue;
    if (d.name.compare(0, dot, component) != 0) continue;
    list += (list.empty() ? "" : ", ") + d.name + " (" + kind_name(d.kind) + ")";
  }
  return list.empty() ? "" : "the ports of '" + component + "' are " + list;
}

Declaration* Scope::find_alias(const std::string& name, long& index) {
  if (sizes_only) return nullptr;
  std::size_t stem = name.size();
  while (stem > 0 && std::isdigit(static_cast<unsigned char>(name[stem - 1]))) --stem;
  for (; stem > 0 && stem < name.size(); ++stem) {
    if (name[stem] == '0' || name.size() - stem > 7) continue;
    Declaration* d = find(name.substr(0, stem));
    if (!d || !has_entries(d->kind) || !d->ready || d->shape.size() != 1) continue;
    index = std::stol(name.substr(stem));
    if (index <= d->shape[0]) return d;
  }
  return nullptr;
}

std::optional<long> Scope::index_value(const std::string& name) const {
  const Local* found = local(name);
  return found && found->is_index ? std::optional<long>(found->index) : std::nullopt;
}

std::optional<Term> Scope::concrete(const Term& term) {
  std::vector<const Term*> around;  // from the outside to the inside
  const Term* root = &term;
  for (; root->form == Term::Form::index || root->form == Term::Form::prime; root = &root->parts[0])
    around.push_back(root);
  Term made = *root;
  std::size_t at = made.text.find("[]");
  while (!around.empty() && at != std::string::npos && around.back()->form == Term::Form::index) {
    const std::optional<long> number = whole(around.back()->parts[1], "an index of '" + root->text + "'");
    if (!number) return {};
    made.text.insert(at + 1, std::to_string(*number));
    around.pop_back();
    at = made.text.find("[]");
  }
  if (at != std::string::npos) {
    error(term.place, "'" + root->text + "' needs an index in every bracket", "as in link[2].r");
    return {};
  }
  for (std::size_t i = around.size(); i-- > 0;) {
    Term outer = *around[i];
    outer.parts[0] = std::move(made);
    made = std::move(outer);
  }
  return made;
}

const Scope::Local* Scope::local(const std::string& name) const {
  for (std::size_t i = locals_.size(); i > visible_; --i)
    if (locals_[i - 1].name == name) return &locals_[i - 1];
  return nullptr;
}

std::optional<int> Scope::offset_of(const Declaration& d, const ArrayShape& shape,
                                    const std::vector<const Term*>& indices, std::size_t first, long alias) {
  const std::size_t count = indices.size() - first + (alias > 0 ? 1 : 0);
  if (count > shape.size()) {
    error(indices.back()->place, "'" + d.name + "' is " + shape_text(shape) + " and cannot take " +
                                     std::to_string(count) + (count == 1 ? " index" : " indices"));
    return {};
  }
  int offset = 0;
  bool good = true;
  for (std::size_t k = 0; k < count; ++k) {
    long index = alias;
    if (alias <= 0 || k > 0) {
      const Term& term = *indices[first + k - (alias > 0 ? 1 : 0)];
      const std::optional<long> number = whole(term, "an index of '" + d.name + "'");
      const long origin = d.origin.empty() ? 1 : d.origin[k];
      if (number && (*number < origin || *number >= origin + shape[k])) {
        error(term.place, "index " + std::to_string(*number) + " of '" + d.name + "' is outside " +
                              std::to_string(origin) + ".." + std::to_string(origin + shape[k] - 1));
        good = false;
      } else if (!number) {
        good = false;
      } else {
        index = *number - origin + 1;
      }
    }
    if (good) offset = offset * shape[k] + static_cast<int>(index) - 1;
  }
  if (!good) return {};
  for (std::size_t k = count; k < shape.size(); ++k) offset *= shape[k];
  return offset;
}

std::optional<Target> Scope::element(Declaration& d, const Path& path, long alias) {
  const std::optional<int> offset = offset_of(d, d.shape, path.indices, 0, alias);
  if (!offset) return {};
  Target r;
  r.declaration = &d;
  r.primed = path.primes > 0;
  r.offset = *offset;
  const std::size_t count = path.indices.size() + (alias > 0 ? 1 : 0);
  r.shape.assign(d.shape.begin() + static_cast<std::ptrdiff_t>(count), d.shape.end());
  return r;
}

std::optional<Target> Scope::reference(const Term& target, const std::vector<Kind>& kinds, const char* purpose) {
  const Path path(target);
  if (path.root->form != Term::Form::name) {
    error(target.place, std::string("this cannot be the target of ") + purpose, "write a name, as in x, q[2] or x'");
    return {};
  }
  long alias = 0;
  const std::string& name = path.root->text;
  Declaration* d = find(name);
  if (!d && name.find("[]") != std::string::npos) {
    const std::optional<Term> one = concrete(target);
    return one ? reference(*one, kinds, purpose) : std::nullopt;
  }
  if (!d) d = find_alias(name, alias);
  if (!d) {
    unknown(path.root->place, name);
    return {};
  }
  if (d->bad ||
      (!d->ready && std::find(kinds.begin(), kinds.end(), d->kind) != kinds.end() && d->kind != Kind::quantity))
    return {};
  if (std::find(kinds.begin(), kinds.end(), d->kind) == kinds.end()) {
    std::string allowed;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      allowed += (i == 0                  ? "a "
                  : i + 1 == kinds.size() ? " or a "
                                          : ", a ") +
                 called(kinds[i], is_multibody(form, declarations_));
    error(path.root->place,
          "'" + name + "' is " + (d->kind == Kind::input || d->kind == Kind::output ? "an " : "a ") +
              called(d->kind, is_multibody(form, declarations_)) + " and cannot be the target of " + purpose,
          "it takes " + allowed);
    return {};
  }
  if (path.primes > 1) {
    error(target.place, "second derivatives are not variables of a model", "x' is the highest derivative");
    return {};
  }
  return element(*d, path, alias);
}

}  // namespace alembert::internal
