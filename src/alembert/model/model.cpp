#include "alembert/model/model.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "alembert/base/files.h"
#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/bodies/assemblies.h"
#include "alembert/model/bodies/families.h"
#include "alembert/model/consequences.h"
#include "alembert/model/declared_ranges.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port_variables.h"
#include "alembert/model/tables.h"
#include "alembert/model/units.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

std::string entry_name(const Block& block, int offset) {
  std::string text = block.name;
  int rest = block.size;
  for (int n : block.shape) {
    rest /= n;
    const std::string index = std::to_string(offset / rest + 1);
    const std::size_t hole = text.find("[]");  // cell[].q
    if (hole == std::string::npos) text += "[" + index + "]";
    else text.insert(hole + 1, index);
    offset %= rest;
  }
  return text;
}

std::vector<std::string> flat_names(const std::vector<Block>& blocks, const char* suffix) {
  std::vector<std::string> names;
  for (const Block& b : blocks)
    for (int i = 0; i < b.size; ++i) names.push_back(entry_name(b, i) + suffix);
  return names;
}

std::vector<Block> own_coordinates(const Model& model) {
  std::vector<Block> blocks;
  const std::size_t own = model.q.size() - model.auxiliary.size() - model.first_order.size();
  for (const Block& block : model.coordinates)
    if (static_cast<std::size_t>(block.first) < own) blocks.push_back(block);
  return blocks;
}

std::vector<Block> first_order_states(const Model& model) {
  std::vector<Block> blocks;
  const std::size_t last = model.q.size() - model.auxiliary.size(), first = last - model.first_order.size();
  for (const Block& block : model.coordinates) {
    const auto at = static_cast<std::size_t>(block.first);
    if (at >= first && at < last) blocks.push_back(block);
  }
  return blocks;
}

std::vector<Block> blocks_of_z(const Model& model) {
  return model.form == Form::lagrangian ? own_coordinates(model) : model.momenta;
}

std::vector<Parameter> parameters_of(const Model& model) {
  std::vector<Parameter> list;
  for (const Block& block : model.parameters) {
    Parameter parameter{block.name, block.shape, {}, block.unit};
    for (int i = 0; i < block.size; ++i)
      parameter.values.push_back(static_cast<double>(model.parameter_values.at(block.first + i)));
    list.push_back(std::move(parameter));
  }
  return list;
}

std::vector<const Declaration*> auxiliaries(Scope& scope) {
  std::vector<const Declaration*> list;
  for (const bool closed : {false, true})
    for (const Declaration& d : scope.declarations())
      if (d.auxiliary && d.ready && d.closed == closed) list.push_back(&d);
  return list;
}

std::vector<const Declaration*> first_order(const Elaboration& e) {
  std::vector<const Declaration*> list;
  if ((e.model.form == Form::general && !e.model.multibody) || e.model.form == Form::port_hamiltonian) return list;
  for (const Declaration& d : e.scope.declarations())
    if (d.kind == Kind::variable && !d.is_z && d.ready) list.push_back(&d);
  return list;
}

namespace {

/// What looks like s = EXPR is one only where the names in EXPR do not bring an auxiliary variable back in.
void confirm_closed(Elaboration& e) {
  Exprs symbols;
  for (const Declaration& d : e.scope.declarations())
    if (d.auxiliary) symbols.insert(symbols.end(), d.symbols.begin(), d.symbols.end());
  for (Declaration& d : e.scope.declarations()) {
    if (!d.auxiliary || !d.ready || !d.closed) continue;
    const Value value = e.scope.evaluate(*d.statement->right);
    d.closed = !value.bad && value.shape == d.shape && !depends(value.entries, symbols);
  }
}

void flatten(Elaboration& e) {
  Model& m = e.model;
  const auto append = [](const Declaration& d, std::vector<Block>& blocks, Exprs& symbols) {
    blocks.push_back({d.name, d.shape, static_cast<int>(symbols.size()), d.size(), d.place, d.unit});
    symbols.insert(symbols.end(), d.symbols.begin(), d.symbols.end());
  };
  for (const Declaration& d : e.scope.declarations()) {
    if (!d.ready) continue;
    if (d.kind == Kind::parameter) append(d, m.parameters, m.parameter_symbols);
    if (d.auxiliary) continue;
    const bool general = m.form == Form::general && !m.multibody;
    if (d.kind == Kind::coordinate || (d.kind == Kind::variable && !d.is_z && general)) append(d, m.coordinates, m.q);
    if (d.kind == Kind::coordinate && !m.multibody) m.v.insert(m.v.end(), d.velocities.begin(), d.velocities.end());
    if (d.kind == Kind::coordinate && d.partner) append(*d.partner, m.momenta, m.p);
    if (d.kind == Kind::variable && d.is_z) append(d, m.momenta, m.p);
  }
  for (const Declaration* d : first_order(e)) append(*d, m.coordinates, m.q);
  for (const Declaration* d : auxiliaries(e.scope)) append(*d, m.coordinates, m.q);
  for (Expr s : m.parameter_symbols) {
    std::string missing;
    m.parameter_values.push_back(*e.scope.number(s, missing, Use::value));
  }
  for (const Declaration& d : e.scope.declarations())
    if (d.ready && d.kind == Kind::parameter)
      for (int i = 0; i < d.size(); ++i)
        m.parameter_definitions.push_back(d.definitions.empty() ? d.symbols[i] : d.definitions[i]);
}

/// Whatever decides something does so through the parameters that it is made of.
void record_uses(Elaboration& e) {
  Model& m = e.model;
  const auto marked = [&](const std::set<std::uint32_t>& used) {
    std::map<std::uint32_t, std::size_t> number;
    for (std::size_t i = 0; i < m.parameter_symbols.size(); ++i) number[m.parameter_symbols[i].id()] = i;
    std::vector<bool> result(m.parameter_symbols.size(), false);
    std::vector<std::uint32_t> open(used.begin(), used.end());
    while (!open.empty()) {
      const auto found = number.find(open.back());
      open.pop_back();
      if (found == number.end() || result[found->second]) continue;
      result[found->second] = true;
      for (const Expr s : free_symbols(ExprSpan(&m.parameter_definitions[found->second], 1))) open.push_back(s.id());
    }
    return result;
  };
  m.shapes_model = marked(e.scope.decided);
  m.checked_on_read = marked(e.scope.checked);
  m.zero_tests = e.scope.zero_tests;
}

std::vector<Assignment> read_overrides(const std::vector<Override>& overrides, std::vector<Diagnostic>& errors) {
  std::vector<Assignment> assignments;
  for (const Override& o : overrides) {
    try {
      assignments.push_back({o.source, parse_assignment(o.source)});
    } catch (const InputError& e) { errors.insert(errors.end(), e.diagnostics().begin(), e.diagnostics().end()); }
  }
  return assignments;
}

/// leg[2].length as the name that an assembly gave it.
void make_concrete(Scope& scope, Assignment& assignment) {
  const Term* root = &assignment.item.target;
  while (root->form == Term::Form::index || root->form == Term::Form::prime) root = &root->parts[0];
  if (root->form != Term::Form::name || root->text.find("[]") == std::string::npos || scope.find(root->text)) return;
  const std::string base = root->text.substr(0, root->text.find('['));
  if (const Declaration* owner = scope.find(base); owner && owner->kind == Kind::component) return;
  const std::shared_ptr<const Source> before = std::exchange(scope.source, assignment.source);
  if (const std::optional<Term> one = scope.concrete(assignment.item.target)) assignment.item.target = *one;
  scope.source = before;
}

/// Sends each assignment to the parameter or the component it names, or keeps it as an initial value.
std::vector<const Assignment*> sort_assignments(Elaboration& e, const std::vector<Assignment>& assignments) {
  Scope& scope = e.scope;
  std::vector<const Assignment*> initial;
  for (const Assignment& given : assignments) {
    e.given.push_back(given);
    Assignment& one = e.given.back();
    make_concrete(scope, one);
    const Item& item = one.item;
    const Term* root = &item.target;
    bool primed = false;
    while (root->form == Term::Form::index || root->form == Term::Form::prime) {
      primed |= root->form == Term::Form::prime;
      root = &root->parts[0];
    }
    Declaration* d = root->form == Term::Form::name ? scope.find(root->text) : nullptr;
    const std::size_t cut = root->text.find_first_of(".[");
    const Declaration* owner = cut == std::string::npos ? nullptr : scope.find(root->text.substr(0, cut));
    if (owner && owner->kind == Kind::component && owner->statement->ranges.empty() == (root->text[cut] == '.'))
      e.inner.push_back(one);
    else if (d && d->kind == Kind::parameter && !primed)
      d->replacements.push_back({&item.target, &*item.value, one.source});
    else initial.push_back(&one);
  }
  return initial;
}

std::vector<Exported> exported(Scope& scope) {
  std::vector<Exported> names;
  for (Declaration& d : scope.declarations()) {
    if (d.bad || d.made) continue;
    if (d.kind == Kind::let && d.arguments.empty()) {
      const Value value = scope.let_value(d, d.place);
      if (!value.bad) names.push_back({d.kind, d.name, value.shape, value.entries, {}});
    } else if (d.ready && (d.kind == Kind::parameter || d.kind == Kind::state || d.kind == Kind::input ||
                           d.kind == Kind::output)) {
      names.push_back({d.kind, d.name, d.shape, d.symbols, d.kind == Kind::state ? d.start : std::vector<Start>()});
    }
  }
  return names;
}

/// A text whose assemblies and families of elements are written out.
struct WrittenOut {
  Text text;
  std::set<std::string> deciding;  // parameters that say how many there are
  std::vector<Diagnostic> errors;  // also of the files of assemblies
  std::set<std::string> lost;      // elements and components that could not be written out
};

Text parameters_and_families(const Text& text) {
  Text known;
  known.source = text.source;
  for (const Statement& s : text.statements)
    if (s.keyword == "parameter" || s.keyword == "family") known.statements.push_back(s);
  return known;
}

/// Elements one by one, by the parameters of the text.
WrittenOut written_out(const Text& text, const std::vector<Assignment>& assignments, ComponentFiles& files) {
  WrittenOut out;
  const auto take = [&](Scope& from) {
    out.errors.insert(out.errors.end(), from.errors.begin(), from.errors.end());
    for (const std::uint32_t id : from.decided) out.deciding.insert(from.graph().name(id));
  };
  Model model;
  const Text own = parameters_and_families(text);
  Scope scope(text.source, std::make_shared<Graph>());
  Elaboration e{scope, model, own, true, false, &files, {}, {}, {}, {}};
  declare_names(e);
  sort_assignments(e, assignments);
  BrokenFiles broken;
  out.text = has_components(text) ? with_assemblies(text, scope, files, broken) : text;
  out.errors = std::move(broken.errors);
  out.lost = std::move(broken.names);
  take(scope);
  out.text = with_declared_families(out.text, out.errors);
  if (scope.errors.empty() && has_families_of_elements(out.text)) {
    // Assemblies bring parameters and families of their own.
    const Text known = parameters_and_families(out.text);
    Scope all(text.source, std::make_shared<Graph>());
    Elaboration inner{all, model, known, true, false, &files, {}, {}, {}, {}};
    declare_names(inner);
    sort_assignments(inner, assignments);
    const Text before = std::exchange(out.text, {});
    out.text = without_families_of_elements(before, all);
    take(all);
    if (!all.errors.empty())
      for (const std::string& name : families_of_elements(before)) out.lost.insert(name);
  }
  return out;
}

/// What draw statements say is always checked; the rest is only there for a page that wants it.
void draw(Elaboration& e, const Expansion& expansion, bool sound, Drawing* wanted) {
  Drawing drawing;
  check_drawing(e, expansion, drawing);
  if (!wanted || !sound || !e.scope.errors.empty()) return;
  make_drawing(e, expansion, drawing);
  *wanted = std::move(drawing);
}

/// A port-Hamiltonian text with its first-order states as states; nothing where there are none.
std::optional<Text> first_order_as_states(const Text& text, std::vector<Diagnostic>& errors) {
  const auto is_variable = [](const Statement& s) { return s.keyword == "variable"; };
  const bool variables = std::any_of(text.statements.begin(), text.statements.end(), is_variable);
  if (!variables || !says_ports(text) || has_elements(text)) return {};
  return with_variables_as_states(text, errors);
}

/// A text in the plain language: families, assemblies and elements written out. What is wrong is added to `errors`.
struct PlainText {
  WrittenOut known;
  std::optional<Text> stated;
  Expansion expansion;
  bool elements = false;
  std::set<std::string> lost;  // names that could not be read

  PlainText(const Text& written, const std::vector<Assignment>& assignments, ComponentFiles& files, bool component,
            std::vector<Diagnostic>& errors)
      : lost(lost_names(*written.source, errors)) {
    known.text = with_declared_families(written, errors);
    if (has_components(known.text) || has_families_of_elements(known.text))
      known = written_out(known.text, assignments, files);
    leave_out_consequences(known.errors, lost, errors);
    errors.insert(errors.end(), known.errors.begin(), known.errors.end());
    lost.insert(known.lost.begin(), known.lost.end());
    if (!component) follow_files(known.text, files.inputs, errors);
    stated = first_order_as_states(known.text, errors);
    elements = has_elements(whole());
    if (!elements) return;
    std::vector<Diagnostic> wrong;
    expansion = expand_elements(whole(), wrong);
    leave_out_consequences(wrong, lost, errors);
    errors.insert(errors.end(), wrong.begin(), wrong.end());
  }
  PlainText(const PlainText&) = delete;  // its parts point into each other
  PlainText& operator=(const PlainText&) = delete;

  const Text& whole() const { return stated ? *stated : known.text; }
  const Text& text() const { return elements ? expansion.text : whole(); }
};

/// In the order of the text; those of other files behind.
void sort_by_place(std::vector<Diagnostic>& errors, const Source* source) {
  std::stable_sort(errors.begin(), errors.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto key = [&](const Diagnostic& d) {
      return std::tuple(d.source.get() != source, d.place.line, d.place.column);
    };
    return key(a) < key(b);
  });
}

ComponentModel elaborate(const Text& written, const std::vector<Assignment>& assignments,
                         std::vector<Diagnostic> errors, ComponentFiles& files, bool component,
                         Drawing* drawing = nullptr) {
  const bool complete = errors.empty();
  const PlainText plain(written, assignments, files, component, errors);
  const Expansion& expansion = plain.expansion;
  const Text& text = plain.text();
  Model model;
  model.source = text.source;
  model.graph = std::make_shared<Graph>();
  Scope scope(text.source, model.graph);
  scope.lost = lost_names(*text.source, errors);
  scope.lost.insert(plain.lost.begin(), plain.lost.end());
  model.t = scope.t;
  for (const Statement& s : text.statements) {
    if (s.keyword == "model") model.title = s.string;
    if (s.keyword == "source") model.origin = s.string;
    if (s.keyword == "event" && s.label) scope.events.insert(print(*s.label));
    // What is asked for by its expression is observed by that name.
    if (s.keyword == "observe" && s.label && !(s.left && *s.left == *s.label)) scope.observed.insert(print(*s.label));
  }
  Elaboration e{scope, model, text, complete && errors.empty(), component, &files, {}, {}, {}, {}};
  choose_form(e);
  declare_names(e);
  declare_tables(e);
  if (plain.elements) declare_reactions(e, expansion);
  const auto initial = sort_assignments(e, assignments);
  make_components(e);
  make_symbols(e);
  check_reserved(e);
  for (const Declaration& d : scope.declarations())
    for (const Expr s : d.symbols)
      if (d.kind == Kind::parameter && plain.known.deciding.contains(scope.graph().name(s.id())))
        scope.decided.insert(s.id());
  make_inputs(e);
  make_rates(e);
  make_kinematics(e);
  make_port(e);
  confirm_closed(e);
  flatten(e);
  make_constraints(e);
  if (errors.empty() && scope.errors.empty()) make_joints(e, expansion);
  make_contacts(e);
  make_energies(e);
  make_invariants(e);
  make_observed(e);
  make_events(e);
  check_elements(e, expansion);
  make_start(e, initial);
  make_solve(e);
  draw(e, expansion, errors.empty(), drawing);
  check_unit_texts(e);
  if (errors.empty() && scope.errors.empty()) check_units(e, expansion);
  if (errors.empty() && scope.errors.empty()) check_port(e);
  scope.contacts_known = true;
  for (Declaration& d : scope.declarations())  // what nobody uses may still be wrong
    if (d.kind == Kind::let && d.arguments.empty() && !d.made) scope.let_value(d, d.place);
    else if (d.kind == Kind::function && d.statement && d.statement->keyword == "table") scope.read_table(d);

  leave_out_consequences(scope.errors, plain.known.lost, errors);
  errors.insert(errors.end(), scope.errors.begin(), scope.errors.end());
  for (const Declaration& d : scope.declarations())
    check(!d.bad || !errors.empty(), "a bad name means that an error was reported");
  if (!errors.empty()) {
    sort_by_place(errors, text.source.get());
    throw InputError(std::move(errors));
  }
  record_uses(e);
  name_jumps(e);
  model.tables = scope.tables;
  files.tables.insert(files.tables.end(), scope.files.begin(), scope.files.end());
  ComponentModel result{std::move(model), {}};
  if (component) result.names = exported(scope);
  return result;
}

/// Expressions that are observed beside the model's own. In messages their places are those of their own texts: in the
/// tree they stand in the lines -1, -2, ...
class ObservedBeside {
 public:
  ObservedBeside(const std::vector<std::string>& expressions, Text& text, std::vector<Diagnostic>& wrong) {
    for (const std::string& expression : expressions) {
      sources_.push_back(std::make_shared<const Source>(Source{"`observed` " + expression, expression}));
      try {
        Statement s;
        s.keyword = "observe";
        s.left = parse_term(sources_.back());
        move(*s.left);
        s.place = s.left->place;
        s.label = name_term(expression, s.place);
        text.statements.push_back(std::move(s));
      } catch (const InputError& e) { wrong.insert(wrong.end(), e.diagnostics().begin(), e.diagnostics().end()); }
    }
  }

  std::vector<Diagnostic> placed(std::vector<Diagnostic> list) const {
    for (Diagnostic& d : list)
      if (d.place.line < 0) {
        d.source = sources_.at(static_cast<std::size_t>(-d.place.line - 1));
        d.place.line = 1;
      }
    return list;
  }

 private:
  void move(Term& term) const {
    term.place.line = -static_cast<int>(sources_.size());
    for (Term& part : term.parts) move(part);
  }

  std::vector<std::shared_ptr<const Source>> sources_;
};

/// What was read beside the text, each file once.
std::vector<FileText> all_files(const ComponentFiles& read) {
  std::map<std::string, std::string> texts;
  for (const auto& [path, file] : read.files) texts[path] = file.text.source->text;
  for (const FileText& table : read.tables) texts[table.path] = table.text;
  std::vector<FileText> files;
  for (auto& [path, text] : texts) files.push_back({path, std::move(text)});
  return files;
}

Model read_whole(Text text, const std::vector<Override>& overrides, const std::vector<std::string>& observed,
                 const std::vector<std::string>& inputs, std::vector<Diagnostic> errors, Drawing* drawing = nullptr) {
  ComponentFiles files;
  files.open.push_back(std::filesystem::path(text.source->name).lexically_normal().string());
  std::vector<Diagnostic> wrong;
  const std::vector<Assignment> assignments = read_overrides(overrides, wrong);
  const ObservedBeside beside(observed, text, wrong);
  files.inputs = inputs;
  // What is wrong with the rest is said too.
  try {
    ComponentModel read = elaborate(text, assignments, std::move(errors), files, false, drawing);
    if (wrong.empty()) {
      for (const Override& one : overrides) read.model.overrides.push_back(one.source->text);
      read.model.input_files = inputs;
      read.model.observed_beside = observed;
      read.model.files = all_files(files);
      return std::move(read.model);
    }
  } catch (const InputError& e) {
    const std::vector<Diagnostic> found = beside.placed(e.diagnostics());
    wrong.insert(wrong.begin(), found.begin(), found.end());
  }
  throw InputError(std::move(wrong));
}

std::vector<Override> as_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts)
    overrides.push_back({std::make_shared<const Source>(Source{"`set` " + text, text})});
  return overrides;
}

}  // namespace

ComponentModel read_component(const ComponentFiles::File& file, const std::vector<Assignment>& assignments,
                              ComponentFiles& files) {
  files.open.push_back(file.text.source->name);
  try {
    ComponentModel result = elaborate(file.text, assignments, file.errors, files, true);
    files.open.pop_back();
    return result;
  } catch (...) {
    files.open.pop_back();
    throw;
  }
}

Model make_model(const Text& text, const std::vector<Override>& overrides, const std::vector<std::string>& observed,
                 const std::vector<std::string>& inputs) {
  return read_whole(text, overrides, observed, inputs, {});
}

Model read_model(const std::string& path, const std::vector<std::string>& overrides,
                 const std::vector<std::string>& observed, const std::vector<std::string>& inputs) {
  std::optional<std::string> text = read_file(path);
  if (!text) throw InputError("cannot read the model '" + path + "'", "is it there, a file, and may it be read?");
  return read_model(std::make_shared<const Source>(Source{path, std::move(*text)}), overrides, observed, inputs);
}

Model read_model(const std::shared_ptr<const Source>& source, const std::vector<std::string>& overrides,
                 const std::vector<std::string>& observed, const std::vector<std::string>& inputs) {
  std::vector<Diagnostic> errors;
  Text text = parse(source, errors);
  return read_whole(std::move(text), as_overrides(overrides), observed, inputs, std::move(errors));
}

Model read_again(const Model& model, const std::vector<std::string>& overrides) {
  return read_model(model.source, joined<std::string>(model.overrides, overrides), model.observed_beside,
                    model.input_files);
}

DrawnModel read_drawn_model(const std::shared_ptr<const Source>& source, const std::vector<std::string>& overrides) {
  std::vector<Diagnostic> errors;
  Text text = parse(source, errors);
  DrawnModel result;
  result.model = read_whole(std::move(text), as_overrides(overrides), {}, {}, std::move(errors), &result.drawing);
  return result;
}

}  // namespace alembert::internal
