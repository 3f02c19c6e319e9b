#include "alembert/model/ports/component.h"

#include <filesystem>

#include "alembert/base/files.h"
#include "alembert/model/elaborate.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

namespace fs = std::filesystem;

/// A number as a term that reads back as the same number.
Term literal(Quad value, const Place& place) {
  Term number;
  number.place = place;
  number.text = to_text(value < 0 ? -value : value);
  if (!(value < 0)) return number;
  Term negative;
  negative.form = Term::Form::negate;
  negative.place = place;
  negative.parts.push_back(std::move(number));
  return negative;
}

Term literal(const ArrayShape& shape, std::size_t depth, const std::vector<Quad>& values, std::size_t& next,
             const Place& place) {
  if (depth == shape.size()) return literal(values[next++], place);
  Term tuple;
  tuple.form = Term::Form::tuple;
  tuple.place = place;
  for (int i = 0; i < shape[depth]; ++i) tuple.parts.push_back(literal(shape, depth + 1, values, next, place));
  return tuple;
}

// A mass with a spring has 50; a million of them would need gigabytes.
constexpr std::size_t most_operations = 2'000'000;

class Importer {
 public:
  explicit Importer(Elaboration& e)
      : e_(e), scope_(e.scope), graph_(e.scope.graph()), forwarded_(e.inner.size(), false) {}

  void statement(const Statement& s) {
    Declaration* d = s.label ? scope_.find(s.label->text) : nullptr;
    if (!d || d->statement != &s) return;
    d->bad = true;  // until all of it has been read
    const ComponentFiles::File* file = find(s);
    if (!file) return;
    if (s.ranges.size() > 1) {
      scope_.error(s.ranges[1].index.place, "a family of components has one index",
                   "a component may itself hold a family");
      return;
    }
    const bool family = !s.ranges.empty();
    const std::size_t errors_before = scope_.errors.size();
    long expected = 1;
    bool good = true, any = false;
    last_.reset();
    scope_.loop(s.ranges, {}, [&](const std::vector<long>& index) {
      any = true;
      if (family && index[0] != expected++) {
        scope_.error(s.ranges[0].first.place, "a family of components counts from 1", "write for i = 1..N");
        return good = false;
      }
      const std::size_t before = graph_.size();
      good = member(s, *file, index);
      if (good && family && index[0] == 2) good = fits(s, graph_.size() - before);
      return good;
    });
    if (good && !any && family && scope_.errors.size() == errors_before)
      scope_.error(s.ranges[0].last.place, "the family of components '" + d->name + "' is empty",
                   "its end must not be before its start");
    d->bad = !good || !any;
  }

  /// After all statements: what was meant for a member that is not there.
  void finish() {
    for (std::size_t i = 0; i < forwarded_.size() && scope_.errors.empty(); ++i) {
      if (forwarded_[i]) continue;
      const Assignment& a = e_.inner[i];
      scope_.errors.push_back({a.source, a.item.target.place,
                               "there is no component for '" + print(a.item.target) + "'",
                               "the index is outside its family"});
    }
  }

 private:
  // Files ------------------------------------------------------------------------------------------------------------

  const ComponentFiles::File* find(const Statement& s) {
    if (!s.string.ends_with(".alm")) {
      scope_.error(s.label ? s.label->place : s.place,
                   "'" + s.string + "' is no model: the names of models end in .alm");
      return nullptr;
    }
    ComponentFiles& all = *e_.files;
    const fs::path base = fs::path(scope_.source->name).parent_path();
    std::string path = (base / s.string).lexically_normal().string();
    const char* library = nullptr;
    if (!file_is_there(path)) {
      const std::string name = s.string.starts_with("components/") ? s.string.substr(11) : s.string;
      library = library_component(name);
      path = library ? "components/" + name : "";
    }
    Place place = s.place;
    if (s.label) place = s.label->place;
    if (path.empty()) {
      scope_.error(
          place, "there is no file '" + s.string + "' for the component '" + s.label->text + "'",
          "it is neither " + (base / s.string).lexically_normal().string() + " nor in the library of components");
      return nullptr;
    }
    for (std::size_t i = 0; i < all.open.size(); ++i) {
      if (all.open[i] != path) continue;
      std::string way;
      for (std::size_t k = i; k < all.open.size(); ++k) way += fs::path(all.open[k]).filename().string() + " -> ";
      scope_.error(place, "the component '" + s.label->text + "' contains itself", way + s.string);
      return nullptr;
    }
    const auto [found, fresh] = all.files.try_emplace(path);
    if (fresh) {
      std::string text = library ? library : read_file(path).value_or("");
      found->second.text = parse(std::make_shared<const Source>(Source{path, std::move(text)}), found->second.errors);
    }
    return &found->second;
  }

  // One component ----------------------------------------------------------------------------------------------------

  bool member(const Statement& s, const ComponentFiles::File& file, const std::vector<long>& index) {
    const std::string name = s.label->text + brackets(index);
    std::string key;
    std::vector<Assignment> assignments;
    for (const Item& item : s.items)
      if (item.value && !add_assignment(item, assignments)) return false;
    for (std::size_t i = 0; i < e_.inner.size(); ++i)
      if (!forward(i, s, index, assignments)) return false;
    for (const Assignment& a : assignments) key += print(a.item.target) + "=" + print(*a.item.value) + "\n";
    if (!last_ || key != last_key_) {
      try {
        last_ = read_component(file, assignments, *e_.files);
      } catch (const InputError& error) {
        for (Diagnostic d : error.diagnostics()) {
          if (d.source != scope_.source) d.message += " (in component '" + name + "')";
          scope_.errors.push_back(std::move(d));
        }
        return false;
      }
      last_key_ = key;
      if (!last_->model.port) {
        scope_.error(s.label->place, "'" + s.string + "' is no port-Hamiltonian model",
                     "a component has states, structure and ports: see docs/components.md");
        return false;
      }
    }
    carry(s, name, index);
    if (graph_.size() <= most_operations) return true;
    scope_.error(s.label->place,
                 "the model is too large: up to '" + name + "' its components have more than 2 million operations",
                 "use fewer of them: families in families multiply");
    return false;
  }

  /// All members behind the second are as large as it: what is far too large is not made first.
  bool fits(const Statement& s, std::size_t each) {
    const std::optional<long> last = scope_.whole(s.ranges[0].last, "the end of the range");
    if (!last || static_cast<double>(each) * static_cast<double>(*last) <= 2.0 * most_operations) return true;
    scope_.error(s.label->place,
                 "the model is too large: the " + std::to_string(*last) + " components '" + s.label->text +
                     "' have more than 2 million operations",
                 "use fewer of them: families in families multiply");
    return false;
  }

  /// The value means what it means here, the target what it means there.
  bool add_assignment(const Item& item, std::vector<Assignment>& assignments) {
    const Value value = scope_.evaluate(*item.value);
    if (value.bad) return false;
    const std::string what = "the value of '" + print(item.target) + "'";
    std::vector<Quad> numbers;
    for (const Expr entry : value.entries) {
      std::string missing;
      const bool fixed = (scope_.contents(entry) & ~unsigned(holds_parameter)) == 0;
      const std::optional<Quad> number = fixed ? scope_.number(entry, missing) : std::nullopt;
      if (!number) {
        scope_.error(item.value->place, what + " must be a number", "use parameters and the index of the family");
        return false;
      }
      numbers.push_back(*number);
    }
    std::size_t next = 0;
    assignments.push_back(
        {scope_.source, {item.target, {}, literal(value.shape, 0, numbers, next, item.value->place)}, "'with'"});
    return true;
  }

  /// --set motor.R=2 without "motor.", where it is meant for this component.
  bool forward(std::size_t number, const Statement& s, const std::vector<long>& index,
               std::vector<Assignment>& assignments) {
    const Assignment& a = e_.inner[number];
    Assignment inner = a;
    Term* root = &inner.item.target;
    Term* above = nullptr;
    while (root->form == Term::Form::index || root->form == Term::Form::prime) {
      above = root;
      root = &root->parts[0];
    }
    const std::string begin = s.label->text + (index.empty() ? "." : "[].");
    if (!root->text.starts_with(begin)) return true;
    root->text.erase(0, begin.size());
    if (!index.empty()) {
      const std::shared_ptr<const Source> here = std::exchange(scope_.source, a.source);
      const std::optional<long> meant = scope_.whole(above->parts[1], "the index of '" + s.label->text + "'");
      scope_.source = here;
      if (!meant) return false;
      if (*meant != index[0]) return true;
      Term rest = std::move(*root);
      *above = std::move(rest);
    }
    assignments.push_back(std::move(inner));
    forwarded_[number] = true;
    return true;
  }

  // Into the graph here ----------------------------------------------------------------------------------------------

  void carry(const Statement& s, const std::string& name, const std::vector<long>& index) {
    const Model& m = last_->model;
    const PortSystem& port = *m.port;
    const std::string prefix = name + ".";
    Exprs from = {m.t}, to = {scope_.t};
    const auto fresh = [&](const Exprs& symbols, Content content) {
      for (const Expr symbol : symbols) {
        from.push_back(symbol);
        to.push_back(graph_.symbol(prefix + symbol.graph().name(symbol.id())));
        scope_.mark(to.back(), content);
      }
    };
    fresh(m.parameter_symbols, holds_parameter);
    for (std::size_t i = 0; i < m.parameter_values.size(); ++i) scope_.know(to[1 + i], m.parameter_values[i]);
    fresh(port.x, holds_z);
    fresh(port.u, holds_port);
    fresh(port.y, holds_port);
    const auto map = [&](const Exprs& list) { return list.empty() ? list : substitute(list, from, to, graph_); };

    for (const Exported& one : last_->names) import(one, s, index, map(one.entries));

    Component& part = e_.components.emplace_back();
    part.name = name;
    part.system = carried(port, map);
    for (std::vector<Block>* blocks : {&part.system.states, &part.system.inputs, &part.system.outputs})
      for (Block& block : *blocks) block.name = prefix + block.name, block.place = s.label->place;
    part.invariants = m.invariants;
    part.observed = m.observed;
    for (std::vector<Block>* blocks : {&part.invariants, &part.observed})
      for (Block& block : *blocks) {
        block.name = prefix + block.name;
        block.place = s.label->place;
      }
    part.invariant_values = map(m.invariant_values);
    part.observed_values = map(m.observed_values);
    for (const Event& event : m.events) {
      if (!event.actions.empty())
        scope_.error(s.label->place, "'" + event.name + "' of '" + name + "' sets values, which no component can",
                     "say when '" + prefix + event.name + "' in the model that takes the component");
      Event& own = part.events.emplace_back(event);
      own.name = prefix + event.name;
      own.value = map({event.value})[0];
      own.place = s.label->place;
      own.actions.clear();
    }
  }

  /// A family makes one name with an index more: cell[].q.
  void import(const Exported& one, const Statement& s, const std::vector<long>& index, const Exprs& entries) {
    const Term term = name_term(s.label->text + (index.empty() ? "." : "[].") + one.name, s.label->place);
    Declaration* d = scope_.find(term.text);
    if (!d) {
      d = scope_.declare(one.kind, term, nullptr);
      d->ready = d->imported = true;
      d->state = Declaration::State::done;
      d->shape = one.shape;
      if (!index.empty()) d->shape.insert(d->shape.begin(), 0);
    }
    if (!d->imported) {
      scope_.error(s.label->place, "'" + term.text + "' has been declared already, by something that is no component");
      return;
    }
    if (!index.empty()) ++d->shape[0];
    d->symbols.insert(d->symbols.end(), entries.begin(), entries.end());
    for (std::size_t k = 0; k < one.start.size(); ++k) {
      Start start = one.start[k];
      start.expression = {};  // it belongs to the component's own graph
      start.given = start.inherited = start.given || start.overridden;
      start.overridden = false;
      d->start.push_back(start);
      scope_.know(entries[k], start.value);
    }
    if (one.kind == Kind::let) d->value = {d->shape, d->symbols, false};
  }

  Elaboration& e_;
  Scope& scope_;
  Graph& graph_;
  std::optional<ComponentModel> last_;  // the member read last, and what was given to it
  std::string last_key_;
  std::vector<bool> forwarded_;  // which of Elaboration::inner have found their component
};

}  // namespace

void make_components(Elaboration& e) {
  Importer importer(e);
  e.each("component", [&](const Statement& s) { importer.statement(s); });
  importer.finish();
}

}  // namespace alembert::internal
