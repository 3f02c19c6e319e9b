#include "alembert/model/bodies/assemblies.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "alembert/base/files.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/bodies/families.h"

namespace alembert::internal {

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 20;  // assemblies in assemblies

bool counts_alone(const std::string& keyword) {
  return keyword == "model" || keyword == "source" || keyword == "solve" || keyword == "density" ||
         keyword == "gravity";
}

bool declares(const std::string& keyword) {
  static const std::set<std::string> words = {"parameter", "coordinate", "velocity", "momentum",
                                              "variable",  "multiplier", "quantity", "let",
                                              "state",     "input",      "output"};
  return words.contains(keyword);
}

const Term& root_of_target(const Term& term) {
  const Term* at = &term;
  while (at->form == Term::Form::index || at->form == Term::Form::prime) at = &at->parts[0];
  return *at;
}

std::set<std::string> declared_names(const Text& text) {
  std::set<std::string> names;
  for (const Statement& s : text.statements) {
    if (declares(s.keyword))
      for (const Item& item : s.items) names.insert(root_of_target(item.target).text);
    if (s.keyword == "family")
      for (const Range& range : s.ranges) names.insert(range.index.text);
    const bool labelled = is_element(s) || s.keyword == "table" || s.keyword == "auxiliary" || s.keyword == "component";
    if (labelled && s.label && s.keyword != "draw") names.insert(root_of_target(*s.label).text);
  }
  return names;
}

Term named_term(const std::string& name, const Place& place) { return {Term::Form::name, place, name, {}}; }

/// a + b, a*b.
Term joined_terms(const char* sign, Term a, Term b) {
  Term chain{Term::Form::chain, a.place, sign, {}};
  chain.parts.push_back(std::move(a));
  chain.parts.push_back(std::move(b));
  return chain;
}

/// Gives the names of a file a prefix, and all its statements the place of the component.
class Renamer {
 public:
  Renamer(const std::set<std::string>& names, std::string prefix, const Place& place)
      : names_(names), prefix_(std::move(prefix)), place_(place) {}

  void rename(Term& term, const std::set<std::string>& hidden = {}) const {
    term.place = place_;
    if (term.form == Term::Form::name || term.form == Term::Form::call) {
      const std::string root = term.text.substr(0, term.text.find_first_of(".["));
      if (names_.contains(root) && !hidden.contains(term.text)) term.text = prefix_ + term.text;
    }
    for (Term& part : term.parts) rename(part, hidden);
  }

  /// A name that only its own kind of statement knows: constraints, events, what is watched.
  void rename_label(Term& label) const {
    Term* root = &label;
    while (root->form == Term::Form::index) root = &root->parts[0];
    const std::string text = root->text;
    rename(label);
    if (!names_.contains(text)) root->text = prefix_ + text;
  }

  void rename(Statement& s) const {
    s.place = place_;
    s.comments.clear();
    // input part.F = ... gives a value to what another file has declared.
    if (s.keyword == "input" &&
        (s.items.empty() || root_of_target(s.items[0].target).text.find('.') == std::string::npos))
      s.string = from_assembly;
    // A draw names a body, or the ground, which has one name for all.
    if (s.label && s.keyword == "draw") rename(*s.label);
    else if (s.label) rename_label(*s.label);
    for (Item& item : s.items) {
      const bool word = is_element(s.keyword) || s.keyword == "table" || s.keyword == "contact";
      std::set<std::string> hidden;  // arguments of a function
      if (s.keyword == "let" && item.target.form == Term::Form::call)
        for (const Term& argument : item.target.parts) hidden.insert(argument.text);
      if (word) item.target.place = place_;
      else rename(item.target, hidden);
      if (item.owner) rename(*item.owner);
      if (item.value && !(s.keyword == "table" && item.target.text == "column")) rename(*item.value, hidden);
    }
    if (s.left) rename(*s.left);
    if (s.right) rename(*s.right);
    for (Range& range : s.ranges) {
      rename(range.index);
      rename(range.first);
      rename(range.last);
    }
  }

 private:
  const std::set<std::string>& names_;
  std::string prefix_;
  Place place_;
};

/// One rotation of an assembly; in the plane it has no axis.
struct Turn {
  Term angle;
  std::optional<Term> axis;
};

/// Where an assembly stands: at A, rotated by R, the product of the rotations of all assemblies around it and its own.
struct Placement {
  std::optional<Term> at;
  std::vector<Turn> turns;

  Term direction(Term v) const {
    for (std::size_t i = turns.size(); i-- > 0;) {
      Term rotation{Term::Form::call, v.place, "rotation", {}};
      if (turns[i].axis) rotation.parts.push_back(*turns[i].axis);
      rotation.parts.push_back(turns[i].angle);
      v = joined_terms("*", std::move(rotation), std::move(v));
    }
    return v;
  }
  Term point(const std::optional<Term>& p, const Place& place) const {
    if (!p) return at ? *at : named_term("", place);
    Term turned = direction(*p);
    return at ? joined_terms("+", *at, std::move(turned)) : turned;
  }
};

Item* find_word(Statement& s, const char* word) {
  for (Item& item : s.items)
    if (item.target.text == word && item.value) return &item;
  return nullptr;
}

void put_word(Statement& s, const char* word, Term value) {
  if (Item* found = find_word(s, word)) found->value = std::move(value);
  else s.items.push_back({named_term(word, s.place), {}, std::move(value)});
}

class Assembler {
 public:
  Assembler(Scope& scope, ComponentFiles& files, BrokenFiles& broken) : scope_(scope), files_(files), broken_(broken) {}

  /// One pass; whether an assembly was found.
  bool pass(const Text& text, Text& result) {
    bool any = false;
    result.source = text.source;
    result.comments = text.comments;
    const bool elements = has_elements(text);
    for (const Statement& s : text.statements) {
      if (elements && s.keyword == "component" && s.label && is_missing(s)) continue;
      const Text* file = s.keyword == "component" && s.label ? assembly_of(s) : nullptr;
      if (file && is_broken(s)) continue;
      if (!file) {
        result.statements.push_back(s);
        normalise(result.statements.back());
        continue;
      }
      any = true;
      members(s, *file, result.statements);
    }
    return any;
  }

 private:
  /// component cell[i] = ... for i = 1..N means component cell = ... for i = 1..N.
  void normalise(Statement& s) {
    if (s.keyword != "component" || !s.label || s.label->form != Term::Form::index || s.ranges.empty()) return;
    const Term& index = s.label->parts[1];
    if (index.form == Term::Form::name && index.text == s.ranges[0].index.text) s.label = Term(s.label->parts[0]);
  }

  static std::string path_of(const Statement& s, const fs::path& folder) {
    const fs::path given(s.string);
    return (given.is_absolute() ? given : folder / given).lexically_normal().string();
  }

  const Text& parsed(const std::string& path) {
    const auto [found, fresh] = files_.files.try_emplace(path);
    if (fresh) {
      std::string text = read_file(path).value_or("");
      found->second.text = parse(std::make_shared<const Source>(Source{path, std::move(text)}), found->second.errors);
    }
    return found->second.text;
  }

  /// A file of bodies and joints, or of assemblies alone.
  bool is_assembly(const std::string& path) {
    if (!path.ends_with(".alm") || !file_is_there(path)) return false;
    const auto [known, fresh] = assemblies_.try_emplace(path, false);  // one that holds itself is none by that
    if (!fresh) return known->second;
    const Text& text = parsed(path);
    const auto holds_one = [&](const Statement& s) {
      return s.keyword == "component" && is_assembly(path_of(s, fs::path(path).parent_path()));
    };
    known->second = has_elements(text) || std::any_of(text.statements.begin(), text.statements.end(), holds_one);
    return known->second;
  }

  const Text* assembly_of(const Statement& s) {
    const std::string path = path_of(s, fs::path(scope_.source->name).parent_path());
    if (!is_assembly(path)) return nullptr;
    if (std::find(files_.open.begin(), files_.open.end(), path) != files_.open.end()) {
      scope_.error(s.label->place, "the component '" + print(*s.label) + "' contains itself");
      return nullptr;
    }
    path_ = path;
    return &parsed(path);
  }

  /// Among bodies a component is an assembly, so that its file must be there.
  bool is_missing(const Statement& s) {
    const fs::path path = (fs::path(scope_.source->name).parent_path() / s.string).lexically_normal();
    const std::string name = s.string.starts_with("components/") ? s.string.substr(11) : s.string;
    if (file_is_there(path.string()) || library_component(name)) return false;
    Diagnostic wrong{scope_.source, s.label->place,
                     "there is no file '" + s.string + "' for the component '" + print(*s.label) + "'",
                     "it would be " + path.string()};
    broken_.errors.push_back(std::move(wrong));
    note_broken(s);
    return true;
  }

  void note_broken(const Statement& s) {
    const std::string& name = root_of_target(*s.label).text;
    broken_.names.insert(name.substr(0, name.find_first_of(".[")));
  }

  /// Whether the file that was found last is wrong, which is said at its own places.
  bool is_broken(const Statement& s) {
    if (checked_.insert(path_).second) {
      try {
        read_component(files_.files.at(path_), {}, files_);
      } catch (const InputError& error) {
        broken_.errors.insert(broken_.errors.end(), error.diagnostics().begin(), error.diagnostics().end());
        wrong_.insert(path_);
      }
    }
    if (!wrong_.contains(path_)) return false;
    note_broken(s);
    return true;
  }

  void members(const Statement& s, const Text& file, std::vector<Statement>& out) {
    std::vector<const Term*> terms = {&*s.label};
    for (const std::optional<Term>* term : {&s.left, &s.right})
      if (*term) terms.push_back(&**term);
    for (const Item& item : s.items)
      if (item.value) terms.push_back(&*item.value);
    const bool indexed = s.label->form == Term::Form::index;
    scope_.loop(s.ranges, terms, [&](const std::vector<long>& index) {
      Statement one = s;
      const std::size_t before = scope_.errors.size();
      if (indexed) put_element_name(*one.label, scope_);
      if (scope_.errors.size() > before || one.label->form != Term::Form::name) return false;
      for (std::optional<Term>* term : {&one.left, &one.right})
        if (*term) put_index_numbers(**term, scope_);
      for (Item& item : one.items)
        if (item.value) put_index_numbers(*item.value, scope_);
      std::string name = one.label->text;
      if (!indexed)
        for (const long i : index) name += "[" + std::to_string(i) + "]";
      return member(one, name, file, out);
    });
  }

  bool member(const Statement& s, const std::string& name, const Text& file, std::vector<Statement>& out) {
    const std::set<std::string> names = declared_names(file);
    const Renamer renamer(names, name + ".", s.label->place);
    if (!is_placed_well(s, file)) return false;
    Placement placement;
    placement.at = s.left;
    placement.turns = turns_of(s);
    const std::size_t first = out.size();
    std::set<const Item*> used;
    for (const Statement& from : file.statements) {
      if (counts_alone(from.keyword)) continue;
      Statement one = from;
      renamer.rename(one);
      if (one.keyword == "component" && !fs::path(one.string).is_absolute())
        one.string = fs::absolute(fs::path(file.source->name).parent_path() / one.string).string();
      if (one.keyword == "table" && !one.string.empty() && !fs::path(one.string).is_absolute())
        one.string = fs::absolute(fs::path(file.source->name).parent_path() / one.string).string();
      if (from.keyword == "parameter")
        for (std::size_t i = 0; i < from.items.size(); ++i)
          for (const Item& given : s.items)
            if (given.target == root_of_target(from.items[i].target)) {
              one.items[i].value = given.value;
              used.insert(&given);
            }
      if (holds_initial_values(from.keyword)) leave_out_replaced(from, s.items, one);
      if (one.items.empty() && !from.items.empty()) continue;
      if (!place(one, placement)) return false;
      out.push_back(std::move(one));
    }
    if (out.size() > most_elements) {
      scope_.error(s.label->place,
                   "the model is too large: up to '" + name + "' its assemblies have more than " + "200,000 statements",
                   "use fewer of them: families in families multiply");
      return false;
    }
    return take_initial(s, file, names, renamer, used, out) && out.size() > first;
  }

  static bool holds_initial_values(const std::string& keyword) {
    return keyword == "coordinate" || keyword == "variable" || keyword == "initial";
  }

  /// Initial values of the file that `with` replaces; one: the statement as it goes out.
  static void leave_out_replaced(const Statement& from, const std::vector<Item>& given, Statement& one) {
    for (std::size_t i = from.items.size(); i-- > 0;) {
      const auto replaces = [&](const Item& item) { return item.target == from.items[i].target; };
      if (std::none_of(given.begin(), given.end(), replaces)) continue;
      if (from.keyword == "initial") one.items.erase(one.items.begin() + static_cast<std::ptrdiff_t>(i));
      else one.items[i].value.reset();
    }
  }

  /// What stands behind 'with' and is no parameter is an initial value.
  bool take_initial(const Statement& s, const Text& file, const std::set<std::string>& names, const Renamer& renamer,
                    const std::set<const Item*>& used, std::vector<Statement>& out) {
    std::set<std::string> states, inputs, parameters;
    std::vector<std::string> known;
    for (auto item = s.items.begin(); item != s.items.end(); ++item) {
      const auto same = [&](const Item& other) { return other.target == item->target; };
      if (std::none_of(s.items.begin(), item, same)) continue;
      scope_.error(item->target.place, "'" + print(item->target) + "' is given twice");
      return false;
    }
    for (const Statement& from : file.statements)
      for (const Item& item : from.items) {
        if (from.keyword == "parameter") parameters.insert(root_of_target(item.target).text);
        if (from.keyword == "input") inputs.insert(root_of_target(item.target).text);
        if (from.keyword == "coordinate" || from.keyword == "variable") states.insert(root_of_target(item.target).text);
      }
    known.insert(known.end(), parameters.begin(), parameters.end());
    known.insert(known.end(), states.begin(), states.end());
    for (const Item& item : s.items) {
      if (used.contains(&item)) continue;
      const std::string& root = root_of_target(item.target).text;
      const std::string body = root.substr(0, root.find('.'));
      if (!states.contains(root) && !(root.find('.') != std::string::npos && names.contains(body))) {
        const std::string near = nearest_name(root, known);
        scope_.error(item.target.place,
                     "the assembly '" + s.string + "' has no parameter or initial value '" + root + "'",
                     inputs.contains(root) ? "it is an input: write input " + s.label->text + "." + root + " = ..."
                     : parameters.contains(root) ? "a parameter is given as a whole: with " + root + " = (...)"
                     : near.empty()              ? ""
                                                 : "did you mean '" + near + "'?");
        return false;
      }
      Statement initial;
      initial.keyword = "initial";
      initial.place = s.label->place;
      initial.items.push_back(item);
      renamer.rename(initial.items[0].target);
      out.push_back(std::move(initial));
    }
    return true;
  }

  /// The rotations of a component, the outermost first: angle and axis one after the other in `right`; in the plane
  /// an angle alone.
  static std::vector<Turn> turns_of(const Statement& s) {
    std::vector<Turn> turns;
    if (!s.right) return turns;
    const std::vector<Term>& parts = s.right->parts;
    if (parts.size() == 1) turns.push_back({parts[0], {}});
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) turns.push_back({parts[i], parts[i + 1]});
    return turns;
  }

  /// What shows by the text that places are of the plane or of space; the rest shows by the values of the bodies.
  bool is_placed_well(const Statement& s, const Text& file) {
    const auto body = [](const Statement& one) { return one.keyword == "body"; };
    const auto first = std::find_if(file.statements.begin(), file.statements.end(), body);
    if (first == file.statements.end()) return true;
    const bool planar = find_item(*first, "planar") != nullptr;
    const std::size_t before = scope_.errors.size();
    const std::string name = "the component '" + print(*s.label) + "'";
    if (s.left && !may_have(*s.left, planar ? 2 : 3))
      scope_.error(s.left->place, "'at' of " + name + " must be a vector of " + (planar ? "2" : "3"),
                   planar ? "in the plane it is (x, y)" : "in space it is (x, y, z)");
    for (const Turn& turn : turns_of(s)) {
      if (turn.axis && planar)
        scope_.error(turn.axis->place, "in the plane there is one axis", "leave 'about' out: rotated 20*deg");
      if (!turn.axis && !planar)
        scope_.error(turn.angle.place, "in space 'rotated' needs an axis", "as in: rotated 20*deg about (0, 0, 1)");
      if (turn.axis && !planar && !may_have(*turn.axis, 3))
        scope_.error(turn.axis->place, "the axis of " + name + " must be a vector of 3", "in space it is (x, y, z)");
      if (!may_have(turn.angle, 0)) scope_.error(turn.angle.place, "the angle of " + name + " must be a scalar");
    }
    return scope_.errors.size() == before;
  }

  /// Whether a term may have so many components; 0: be a scalar.
  static bool may_have(const Term& term, std::size_t components) {
    const auto number = [](const Term& part) {
      const bool negative = part.form == Term::Form::negate;
      return (negative ? part.parts[0] : part).form == Term::Form::number;
    };
    if (number(term)) return components == 0;
    if (term.form != Term::Form::tuple) return true;
    const bool numbers = std::all_of(term.parts.begin(), term.parts.end(), number);
    return components > 0 && (numbers ? term.parts.size() == components : term.parts.size() <= components);
  }

  bool place(Statement& s, const Placement& placement) {
    if (!placement.at && placement.turns.empty()) return true;
    if (s.keyword == "body") return place_body(s, placement);
    if (s.keyword == "joint" || s.keyword == "spring" || s.keyword == "contact") place_ground(s, placement);
    if (s.keyword == "component") place_assembly(s, placement);
    return true;
  }

  /// An assembly in the assembly: its place is one of the world of the outer one.
  static void place_assembly(Statement& s, const Placement& placement) {
    std::vector<Turn> turns = placement.turns;
    for (Turn& own : turns_of(s)) turns.push_back(std::move(own));
    if (placement.at || s.left) s.left = placement.point(s.left, s.place);
    if (turns.empty()) return;
    s.right = Term{Term::Form::tuple, s.place, "", {}};
    std::vector<Term>& parts = s.right->parts;
    for (const Turn& turn : turns) {
      if (!turn.axis && !parts.empty()) {
        parts[0] = joined_terms("+", parts[0], turn.angle);
        continue;
      }
      parts.push_back(turn.angle);
      if (turn.axis) parts.push_back(*turn.axis);
    }
  }

  bool place_body(Statement& s, const Placement& placement) {
    const Item* at = find_word(s, "at");
    const std::optional<Term> before = at ? at->value : std::nullopt;
    if (placement.at || before) put_word(s, "at", placement.point(before, s.place));
    if (placement.turns.empty()) return true;
    const bool planar =
        std::any_of(s.items.begin(), s.items.end(), [](const Item& i) { return i.target.text == "planar"; });
    if (find_word(s, "euler")) {
      scope_.error(s.place, "an assembly with Euler angles cannot be rotated", "describe its bodies with quaternions");
      return false;
    }
    for (const char* word : {"velocity", "omega"})
      if (Item* item = find_word(s, word); item && !(planar && word[0] == 'o'))
        item->value = placement.direction(*item->value);
    for (const Turn& turn : placement.turns) {
      if (planar) {
        const Item* angle = find_word(s, "angle");
        put_word(s, "angle", angle ? joined_terms("+", *angle->value, turn.angle) : turn.angle);
        continue;
      }
      s.items.push_back({named_term(placed_angle, s.place), {}, turn.angle});
      s.items.push_back({named_term(placed_axis, s.place), {}, turn.axis});
    }
    return true;
  }

  /// The ground of the assembly is a frame of its own world: placed as it is.
  static void place_ground(Statement& s, const Placement& placement) {
    for (std::size_t i = 0; i < s.items.size(); ++i) {
      const std::string& word = s.items[i].target.text;
      const bool ground = (word == "from" || word == "to") && s.items[i].value && s.items[i].value->text == "ground";
      if (!ground) continue;
      std::vector<Item> words;
      const auto say = [&](const char* what, const Term& value) {
        words.push_back({named_term(what, s.place), {}, value});
      };
      if (placement.at) say(placed_at, *placement.at);
      for (const Turn& turn : placement.turns) {
        say(placed_angle, turn.angle);
        if (turn.axis) say(placed_axis, *turn.axis);
      }
      s.items.insert(s.items.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.begin(), words.end());
      i += words.size();
    }
  }

  Scope& scope_;
  ComponentFiles& files_;
  BrokenFiles& broken_;
  std::string path_;                        // of the assembly that was found last
  std::map<std::string, bool> assemblies_;  // by their paths
  std::set<std::string> checked_, wrong_;
};

}  // namespace

bool has_components(const Text& text) {
  return std::any_of(text.statements.begin(), text.statements.end(),
                     [](const Statement& s) { return s.keyword == "component"; });
}

Text with_assemblies(const Text& text, Scope& scope, ComponentFiles& files, BrokenFiles& broken) {
  Assembler assembler(scope, files, broken);
  Text now = text;
  for (int depth = 0; depth < deepest && scope.errors.empty(); ++depth) {
    Text next;
    const bool any = assembler.pass(now, next);
    now = std::move(next);
    if (!any) return now;
  }
  if (scope.errors.empty()) scope.error({1, 1, 1}, "assemblies in assemblies are nested too deeply");
  return now;
}

}  // namespace alembert::internal
