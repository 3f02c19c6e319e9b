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

namespace {

/// Functions that mean one thing to every reader. What only this language has (friction, times) may be defined anew.
bool is_mathematics(const std::string& name) {
  for (const char* one : {"dot", "cross", "norm", "norm2", "sum", "if"})
    if (name == one) return true;
  return find_function(name) && name != "positive" && name != "where";
}

}  // namespace

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

void Scope::silence(const Place& place, bool more) {
  std::erase_if(errors, [&](const Diagnostic& d) {
    return d.source == source && d.place.line == place.line && d.place.column == place.column;
  });
  const std::pair key(source.get(), std::pair(place.line, place.column));
  if (more) reported_.insert(key);
  else reported_.erase(key);
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
  if (kind == Kind::function && is_mathematics(name.text)) {
    error(name.place, "'" + name.text + "' cannot be declared", "it is a function already: give yours another name");
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

}  // namespace

bool has_entries(Kind kind) {
  return kind == Kind::coordinate || kind == Kind::momentum || kind == Kind::variable || kind == Kind::state ||
         kind == Kind::input || kind == Kind::output;
}

std::vector<std::string> library_functions() {
  std::vector<std::string> names(std::begin(vector_functions), std::end(vector_functions));
  for (const Operator& op : operators())
    if (find_function(op.name)) names.emplace_back(op.name);
  return names;
}

bool is_library_function(const std::string& name) {
  return find_function(name) ||
         std::find(std::begin(vector_functions), std::end(vector_functions), name) != std::end(vector_functions);
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
  if (!d && name == "t") {
    error(path.root->place, "the time cannot be the target of " + std::string(purpose));
    return {};
  }
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
      allowed += (i == 0 ? "a " : i + 1 == kinds.size() ? " or a " : ", a ") + called(kinds[i]);
    error(path.root->place,
          "'" + name + "' is " + (d->kind == Kind::input || d->kind == Kind::output ? "an " : "a ") + called(d->kind) +
              " and cannot be the target of " + purpose,
          d->kind == Kind::input ? "its value is what 'input " + name + " = ...' says, or a file that `input` names"
                                 : "it takes " + allowed);
    return {};
  }
  if (path.primes > 1) {
    error(target.place, "second derivatives are not variables of a model", "x' is the highest derivative");
    return {};
  }
  return element(*d, path, alias);
}

}  // namespace alembert::internal
