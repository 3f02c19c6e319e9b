// if(condition, a, b), and functions given by tables.

#include <algorithm>
#include <filesystem>

#include "alembert/base/files.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/ports/component.h"
#include "alembert/model/scope/scope_impl.h"
#include "alembert/model/tables.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

std::vector<std::string> signs_of(const std::string& text) {
  std::vector<std::string> signs(1);
  for (const char c : text) {
    if (c == ' ') signs.emplace_back();
    else signs.back() += c;
  }
  return signs;
}

/// 1 where a SIGN b, else 0.
Expr compared(Expr a, const std::string& sign, Expr b) {
  if (sign == "<") return positive(b - a);
  if (sign == ">") return positive(a - b);
  if (sign == "<=") return 1 - positive(a - b);
  if (sign == ">=") return 1 - positive(b - a);
  const Expr equal = (1 - positive(a - b)) * (1 - positive(b - a));
  return sign == "=" ? equal : 1 - equal;
}

bool asks_equality(const Term& term) {
  if (term.form == Term::Form::compare) return term.text == "=" || term.text == "!=";
  return std::all_of(term.parts.begin(), term.parts.end(), asks_equality);
}

// Reading that many takes seconds; a step costs no more for them.
constexpr std::size_t most_points = 1'000'000;

}  // namespace

Expr Scope::condition(const Term& term) {
  switch (term.form) {
    case Term::Form::compare: {
      const std::vector<std::string> signs = signs_of(term.text);
      std::vector<Expr> sides;
      for (const Term& part : term.parts) {
        const Value side = evaluate_scalar(part, "each side of a comparison");
        if (side.bad) return {};
        sides.push_back(side.entries[0]);
      }
      Expr all = graph_->constant(1);
      for (std::size_t i = 0; i < signs.size(); ++i) {
        const bool equality = signs[i] == "=" || signs[i] == "!=";
        if (equality && ((contents(sides[i]) | contents(sides[i + 1])) & ~unsigned(holds_parameter))) {
          error(term.place, "what moves is equal to something at single moments only",
                "compare by < and >; a moment at which two things are equal is an event");
          return {};
        }
        all = all * compared(sides[i], signs[i], sides[i + 1]);
      }
      return all;
    }
    case Term::Form::both:
    case Term::Form::either: {
      const bool both = term.form == Term::Form::both;
      Expr all = graph_->constant(1);
      bool bad = false;
      for (const Term& part : term.parts) {
        const Expr one = condition(part);
        bad |= !one;
        // What decides already spares the rest: i = 1 or x[i-1] > 0.
        if (one && is_constant(one) && is_zero(one) == both) return one;
        if (!bad) all = all * (both ? one : 1 - one);
      }
      if (bad) return {};
      return both ? all : 1 - all;
    }
    case Term::Form::opposite: {
      const Expr one = condition(term.parts[0]);
      return one ? 1 - one : one;
    }
    default: error(term.place, "this is no condition", "compare two values, as in if(x > 0, a, b)"); return {};
  }
}

/// Whether a condition is known once and for all: of indices, sizes and ends of ranges, if(i < N, x[i+1], 0), or of
/// what an index is equal to.
bool Scope::known_in_family(const Term& term, Expr holds) {
  if ((contents(holds) & ~unsigned(holds_parameter)) != 0) return false;
  const Exprs symbols = free_symbols(ExprSpan(&holds, 1));
  const auto known = [&](Expr symbol) { return decided.contains(symbol.id()); };
  return (has_index(term) && asks_equality(term)) || std::all_of(symbols.begin(), symbols.end(), known);
}

bool Scope::has_index(const Term& term) const {
  if (term.form == Term::Form::name && index_value(term.text)) return true;
  return std::any_of(term.parts.begin(), term.parts.end(), [&](const Term& part) { return has_index(part); });
}

Value Scope::call_if(const Term& term) {
  if (term.parts.size() != 3) {
    error(term.place, "'if' takes a condition and two values, not " + std::to_string(term.parts.size()) + " arguments",
          "as in if(x > 0, a, b)");
    return Value::failed();
  }
  const Expr holds = condition(term.parts[0]);
  // Indices decide at once, so that what is not taken need not exist: if(i = 1, 0, x[i-1]).
  if (holds && is_constant(holds)) return evaluate(term.parts[is_zero(holds) ? 2 : 1]);
  if (holds && known_in_family(term.parts[0], holds)) {
    std::string missing;
    if (const std::optional<Quad> number = this->number(holds, missing))
      return evaluate(term.parts[*number == 0 ? 2 : 1]);
  }
  Value a = evaluate(term.parts[1]), b = evaluate(term.parts[2]);
  if (!holds || a.bad || b.bad) return Value::failed();
  if (a.shape.empty() && is_zero(a.entries[0])) a = fit(std::move(a), b.shape, term.parts[1].place, "");
  if (b.shape.empty() && is_zero(b.entries[0])) b = fit(std::move(b), a.shape, term.parts[2].place, "");
  if (a.shape != b.shape) {
    error(term.parts[2].place,
          "the two values of 'if' are not alike: " + shape_text(a.shape) + " and " + shape_text(b.shape));
    return Value::failed();
  }
  for (std::size_t i = 0; i < a.entries.size(); ++i) a.entries[i] = choose(holds, a.entries[i], b.entries[i]);
  return a;
}

namespace {

/// The value of a point where it depends on what events set; empty where it does not.
Expr switched_value(Scope& scope, const Term& term) {
  if (scope.switched.empty()) return {};
  const std::size_t before = scope.errors.size();
  const Value value = scope.evaluate_scalar(term, "a value of a table");
  if (value.bad || scope.errors.size() > before) return {};
  if ((scope.contents(value) & ~unsigned(holds_parameter)) != 0) return {};
  for (const Expr symbol : free_symbols(value.entries)) {
    const auto owner = scope.owner_of.find(symbol.id());
    if (owner != scope.owner_of.end() && scope.switched.contains(owner->second->name)) return value.entries[0];
  }
  return {};
}

/// Points of the text; false where an error was reported.
bool read_points(Scope& scope, const Statement& s, Table& table) {
  for (const Item& item : s.items) {
    if (item.target.text != "point") continue;
    const Term& point = *item.value;
    if (point.form != Term::Form::tuple || point.parts.size() != 2) {
      scope.error(point.place, "a point of a table is (argument, value)", "as in: table ramp(t) = (0, 0), (1, 2)");
      return false;
    }
    const std::optional<Quad> x = scope.number_of(point.parts[0], "an argument of a table");
    if (!x) return false;
    Quad f = 0;
    if (const Expr value = switched_value(scope, point.parts[1])) {
      if (table.kind == Table::Kind::monotone) {
        scope.error(point.parts[1].place, "a value of a monotone table cannot change on the way, and 'when' sets it",
                    "take linear or spline, or a factor outside the table");
        return false;
      }
      table.changing.emplace_back(table.x.size(), value);
    } else {
      const std::optional<Quad> number = scope.number_of(point.parts[1], "a value of a table");
      if (!number) return false;
      f = *number;
    }
    if (!table.x.empty() && !(*x > table.x.back())) {
      scope.error(point.place, "the arguments of a table ascend, and this one does not");
      return false;
    }
    table.x.push_back(*x);
    table.f.push_back(f);
  }
  if (table.x.size() >= 2) return true;
  scope.error(s.label->place, "a table has at least two points", "as in: table ramp(t) = (0, 0), (1, 2)");
  return false;
}

bool read_file(Scope& scope, const Statement& s, Table& table) {
  std::string column = "2";
  const Item* written = find_item(s, "file");
  const Place file_place = written ? written->target.place : s.label->place;
  Place column_place = file_place;
  for (const Item& item : s.items)
    if (item.target.text == "column" && item.value) {
      column = item.value->text;
      column_place = item.value->place;
    }
  const std::filesystem::path folder = std::filesystem::path(scope.source->name).parent_path();
  // An input follows a column of the time; a table its first one.
  const std::string argument = s.label->text.starts_with("input.") ? s.label->parts[0].text : "";
  const std::string path = (folder / s.string).lexically_normal().string();
  // As components do, data of the library go with the program.
  constexpr std::string_view library = "components/";
  const char* const known = !file_is_there(path) && s.string.starts_with(library)
                                ? library_component(s.string.substr(library.size()))
                                : nullptr;
  TableFile file = known ? read_table_text(known, path, argument, column) : read_table_file(path, argument, column);
  if (file.wrong.empty() && file.x.size() > most_points)
    file.wrong = "has " + std::to_string(file.x.size()) + " rows; a table has at most " + std::to_string(most_points);
  if (!file.wrong.empty()) {
    scope.error(file.of_column ? column_place : file_place, "the file '" + s.string + "' " + file.wrong, file.hint);
    return false;
  }
  table.x = std::move(file.x);
  table.f = std::move(file.f);
  scope.files.push_back({path, std::move(file.text)});
  return true;
}

}  // namespace

void Scope::read_table(Declaration& d) {
  if (d.bad || d.table) return;
  const Frame frame(*this);
  auto table = std::make_shared<Table>();
  for (const Item& item : d.statement->items) {
    if (item.target.text == "spline") table->kind = Table::Kind::spline;
    if (item.target.text == "monotone") table->kind = Table::Kind::monotone;
  }
  d.bad = !(d.statement->string.empty() ? read_points(*this, *d.statement, *table)
                                        : read_file(*this, *d.statement, *table));
  constexpr std::string_view input = "input.";
  const bool follows = d.name.starts_with(input);  // shown as the input that follows it
  if (!d.bad) d.table_function = &table->function(follows ? d.name.substr(input.size()) : d.name);
  d.table = std::move(table);
}

Value Scope::call_table(Declaration& d, const Term& term) {
  read_table(d);
  if (d.bad) return Value::failed();
  if (term.parts.size() != 1) {
    error(term.place, "the table '" + d.name + "' takes one argument, not " + std::to_string(term.parts.size()));
    return Value::failed();
  }
  const Value argument = evaluate_scalar(term.parts[0], "the argument of '" + d.name + "'");
  if (argument.bad || d.bad) return Value::failed();
  const Expr x = argument.entries[0];
  const auto same = [&](const TableUse& use) { return use.table == d.name && use.argument == x; };
  if (std::none_of(tables.begin(), tables.end(), same))
    tables.push_back({d.name, x, d.table->x.front(), d.table->x.back()});
  Expr value = piecewise(x, *d.table_function);
  for (const auto& [number, at] : d.table->changing)
    value = value + at * piecewise(x, d.table->point(number, d.name + "[" + std::to_string(number + 1) + "]"));
  return Value::scalar(value);
}

void declare_tables(Elaboration& e) {
  e.each("when", [&](const Statement&, const Item& item) { e.scope.switched.insert(root_of(item.target).text); });
  e.each("table", [&](const Statement& s) {
    if (!s.label) return;
    Term name = *s.label;
    name.form = Term::Form::name;
    name.parts.clear();
    name.place.length = static_cast<int>(name.text.size());
    Declaration* d = e.scope.declare(Kind::function, name, &*s.label);
    if (!d) return;
    d->statement = &s;
    d->arguments = {s.label->parts.empty() ? "" : s.label->parts[0].text};
  });
}

}  // namespace alembert::internal
