#include "alembert/derive/rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "alembert/derive/indices.h"
#include "alembert/expr/form_replace.h"

namespace alembert::internal {

using form::FormTable;
using form::Sum;

namespace {

/// Two rows are read as quickly as one with indices.
constexpr std::size_t fewest_joined = 3;

/// "r[i][2]'" -> "r", "link[2].r[1]" -> "link[].r"
std::string family_of(const std::string& symbol) { return symbol.substr(0, symbol.find_first_of("['")); }

std::vector<Sum> sums_of(const std::vector<const Row*>& rows) {
  std::vector<Sum> sums;
  for (const Row* row : rows)
    if (row->sum) sums.push_back(*row->sum);
  return sums;
}

std::string symbol_of(const FormTable& table, int atom) {
  const Expr symbol = table.atom(atom).symbol;
  return symbol ? symbol.graph().name(symbol.id()) : "";
}

/// Names as they are needed for the definitions of one level, all of whose inner parts have theirs.
class Abbreviator {
 public:
  Abbreviator(FormTable& table, Graph& own, const FreeNames& free) : table_(table), own_(own), free_(free) {}

  struct Definition {
    form::RepeatedPart part;
    Sum value;
    std::vector<long> indices;
  };

  Sum value_of(const form::RepeatedPart& part) {
    const int atom = replacement_.with_parts(part.atom);
    if (part.root) return Sum{{{1, {{atom, Quad(0.5)}}}}};
    return table_.atom(atom).op == Op::add ? table_.atom(atom).arguments[0] : Sum{{{1, {{atom, 1}}}}};
  }

  /// a1, a2, ...; definitions of the same pattern are a3[1], a3[2], ..., by the indices that change.
  void name_level(const std::vector<form::RepeatedPart>& level, std::vector<Row>& rows) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<Definition>> patterns;
    for (const form::RepeatedPart& part : level) {
      Definition definition{part, value_of(part), {}};
      const std::string pattern = pattern_of(to_infix(table_, definition.value), definition.indices);
      if (!patterns.contains(pattern)) order.push_back(pattern);
      patterns[pattern].push_back(std::move(definition));
    }
    for (const std::string& pattern : order) {
      const std::vector<Definition>& same = patterns[pattern];
      std::vector<std::vector<long>> indices;
      for (const Definition& one : same) indices.push_back(one.indices);
      const auto family = same.size() < fewest_joined ? std::nullopt : IndexFamily::of(indices, free_.indices());
      const std::string shared = family ? next_name() : "";
      for (const Definition& one : same) {
        std::string name = family ? shared : next_name();
        if (family)
          for (const long value : family->values(one.indices)) name += "[" + std::to_string(value) + "]";
        add(name, one, rows);
      }
    }
  }

  Sum replaced(const Sum& sum) { return replacement_(sum); }

 private:
  std::string next_name() { return free_.letter() + std::to_string(++count_); }

  void add(const std::string& name, const Definition& definition, std::vector<Row>& rows) {
    const int own = table_.name(own_.symbol(name), definition.part.atom);
    replacement_.replace(definition.part.atom, {own, Quad(definition.part.root ? 2 : 1)});
    rows.push_back({name_of(name), definition.value});
  }

  FormTable& table_;
  Graph& own_;
  const FreeNames& free_;
  form::Replacement replacement_{table_};
  int count_ = 0;
};

/// A row as one text of the model language, of which the pattern says whether it is like another one.
std::string whole_text(const FormTable& table, const Row& row) {
  return row.name.text + " = " + to_infix(table, *row.sum) + " # " + row.behind;
}

/// A row whose indices are letters; nothing where a name would have to be written in two ways.
std::optional<Row> in_letters(FormTable& table, Graph& own, const Row& row, const IndexFamily& family) {
  const std::string text = whole_text(table, row);
  std::map<std::string, std::string> names;
  for (const NameInText& one : names_in(text)) {
    const std::string written = family.written(one.name, one.first_place);
    if (names.emplace(one.name, written).first->second != written) return {};
  }
  std::vector<long> in_name, in_front, in_second;
  pattern_of(row.name.text, in_name);
  pattern_of(row.name.symbol, in_front);
  pattern_of(row.name.second, in_second);
  Row result = row;
  result.name.text = family.written(row.name.text);
  const std::size_t second = in_name.size() - in_second.size();
  result.name.symbol = family.written(row.name.symbol, second - in_front.size());
  result.name.second = family.written(row.name.second, second);
  std::vector<long> in_text, behind;
  pattern_of(text, in_text);
  pattern_of(row.behind, behind);
  result.behind = family.written(row.behind, in_text.size() - behind.size());
  form::Replacement replacement(table);
  for (const int atom : form::atoms_in(table, {*row.sum})) {
    const std::string name = symbol_of(table, atom);
    if (const auto at = names.find(name); at != names.end() && at->second != name)
      replacement.replace(atom, {table.name(own.symbol(at->second), atom), 1});
  }
  result.sum = replacement(*row.sum);
  return result;
}

/// The parts of a name: "link[2].w_max" is link, w and max; of x12 also x.
void add_parts(std::set<std::string>& parts, const std::string& name) {
  std::string part;
  for (const char c : name + ".") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      part += c;
      continue;
    }
    parts.insert(part);
    while (!part.empty() && std::isdigit(static_cast<unsigned char>(part.back())) != 0) part.pop_back();
    parts.insert(part);
    part.clear();
  }
}

}  // namespace

FreeNames::FreeNames(const std::vector<std::string>& symbols) {
  std::set<std::string> parts;
  for (const std::string& symbol : symbols) add_parts(parts, symbol);
  // Letters that the theory does not have; some are left whatever the model is called.
  for (const char* letter : {"a", "b", "w", "A", "C", "D", "W", "aa"})
    if (letter_.empty() && !parts.contains(letter)) letter_ = letter;
  for (const char* index : {"i", "j", "n", "m", "l", "ii", "jj"})
    if (indices_.size() < 2 && !parts.contains(index)) indices_.emplace_back(index);
}

std::vector<Row> abbreviated(FormTable& table, Graph& own, const std::vector<Row*>& rows, const FreeNames& free) {
  const std::vector<form::RepeatedPart> parts = form::repeated_parts(table, sums_of({rows.begin(), rows.end()}));
  std::vector<Row> definitions;
  Abbreviator abbreviator(table, own, free);
  for (auto first = parts.begin(); first != parts.end();) {
    const auto last = std::find_if(first, parts.end(), [&](const auto& part) { return part.level != first->level; });
    abbreviator.name_level({first, last}, definitions);
    first = last;
  }
  if (definitions.empty()) return {};
  for (Row* row : rows)
    if (row->sum) row->sum = abbreviator.replaced(*row->sum);
  return definitions;
}

std::vector<Row> joined_families(FormTable& table, Graph& own, const std::vector<Row>& rows,
                                 const std::vector<std::string>& letters, bool all_pairs) {
  std::map<std::string, std::vector<std::size_t>> alike;
  std::vector<std::vector<long>> indices(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].sum) alike[pattern_of(whole_text(table, rows[i]), indices[i])].push_back(i);
  std::map<std::size_t, Row> first;  // rows that stand for their family
  std::set<std::size_t> gone;
  for (const auto& [pattern, members] : alike) {
    if (members.size() < fewest_joined) continue;
    std::vector<std::vector<long>> theirs;
    for (const std::size_t i : members) theirs.push_back(indices[i]);
    const auto family = IndexFamily::of(theirs, letters);
    if (!family || (!family->complete() && !all_pairs)) continue;
    for (const std::size_t i : members) {
      std::optional<Row> row = in_letters(table, own, rows[i], *family);
      if (!row) continue;
      row->stands_for = members.size();
      row->range = family->complete() ? family->range(false) : "for the pairs " + family->letters() + " that appear";
      row->latex_range = family->complete() ? family->range(true) : "\\text{" + row->range + "}";
      gone.insert(members.begin(), members.end());
      first.emplace(members.front(), *std::move(row));
      break;
    }
  }
  std::vector<Row> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto at = first.find(i); at != first.end()) result.push_back(at->second);
    else if (!gone.contains(i)) result.push_back(rows[i]);
  }
  return result;
}

std::vector<Row> needed(const FormTable& table, const std::vector<Row>& definitions,
                        const std::vector<const Row*>& rows) {
  std::set<std::string> names;
  const auto use = [&](const std::vector<Sum>& sums) {
    for (const int atom : form::atoms_in(table, sums)) names.insert(family_of(symbol_of(table, atom)));
  };
  use(sums_of(rows));
  std::vector<Row> kept;
  for (auto definition = definitions.rbegin(); definition != definitions.rend(); ++definition) {
    if (!names.contains(family_of(definition->name.text))) continue;
    use({*definition->sum});
    kept.push_back(*definition);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace alembert::internal
