// Inputs that follow files.

#include <algorithm>
#include <filesystem>

#include "alembert/base/files.h"
#include "alembert/model/tables.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

/// F or F[2].
struct InputName {
  std::string root;
  long entry = 0;  // 0: all of it
};

InputName input_name(const std::string& name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, 0};
  const std::string digits = name.substr(open + 1, name.size() - open - 2);
  const bool number =
      !digits.empty() && digits.size() < 7 && digits.find_first_not_of("0123456789") == std::string::npos;
  return number ? InputName{name.substr(0, open), std::stol(digits)} : InputName{name, 0};
}

class Follower {
 public:
  Follower(Text& text, const std::string& name, const std::string& file)
      : text_(text), name_(input_name(name)), file_(std::filesystem::absolute(file).string()) {
    for (Statement& s : text.statements)
      for (Item& item : s.items) {
        if (s.keyword != "input") continue;
        const Term& root = root_of(item.target);
        names.push_back(root.text);
        if (root.text == (name_.entry > 0 ? name_.root : name)) found(s, item);
      }
  }

  std::vector<std::string> names;  // of all inputs
  bool there = false;              // the one that is asked for
  std::string wrong, hint;
  std::vector<Statement> tables;

 private:
  static Term made(const Place& place, Term::Form form, std::string words, std::vector<Term> parts = {}) {
    return {form, place, std::move(words), std::move(parts)};
  }
  static Term number(const Place& place, long value) { return made(place, Term::Form::number, std::to_string(value)); }

  void found(const Statement& s, Item& item) {
    there = true;
    const bool several = item.target.form == Term::Form::index;
    if (!several && name_.entry > 0) {
      wrong = "the input '" + name_.root + "' is a scalar";
      hint = "write " + name_.root + "=FILE";
      return;
    }
    if (!several) {
      item.value = follow(item.target.place, name_.root);
      return;
    }
    if (!entries()) return;
    const Term& index = item.target.parts[1];
    const bool member = index.form == Term::Form::name && is_index(s, index.text);
    if (member) follow_members(item, index);
    else follow_entries(item, index);
  }

  bool is_index(const Statement& s, const std::string& name) const {
    const auto here = [&](const Range& range) { return range.index.text == name; };
    const auto family = [&](const Statement& one) {
      return one.keyword == "family" && std::any_of(one.ranges.begin(), one.ranges.end(), here);
    };
    return std::any_of(s.ranges.begin(), s.ranges.end(), here) ||
           std::any_of(text_.statements.begin(), text_.statements.end(), family);
  }

  /// Those that were named, or of which the file has a column.
  bool entries() {
    if (name_.entry > 0) {
      entries_ = {name_.entry};
      return true;
    }
    for (const std::string& column : columns_of(file_))
      if (const InputName one = input_name(column); one.entry > 0 && one.root == name_.root)
        entries_.push_back(one.entry);
    if (!entries_.empty()) return true;
    if (!file_is_there(file_)) {
      wrong = "the file '" + file_ + "' cannot be read";
      hint = "its path begins in the present folder";
      return false;
    }
    wrong = "the input '" + name_.root + "' has entries, and the file has no column of them";
    hint = "name the columns " + name_.root + "[1], " + name_.root + "[2], ... beside t";
    return false;
  }

  /// Members decide by their index: if(i = 2, FILE, as before).
  void follow_members(Item& item, const Term& index) {
    const Place& place = item.target.place;
    for (const long k : entries_) {
      Term here = made(place, Term::Form::compare, "=", {index, number(place, k)});
      Term before = item.value ? *item.value : number(place, 0);
      item.value =
          made(place, Term::Form::call, "if", {std::move(here), follow(place, entry_name(k)), std::move(before)});
    }
  }

  void follow_entries(Item& item, const Term& index) {
    const Place& place = item.target.place;
    const bool known = index.form == Term::Form::number && index.text.size() < 7 &&
                       index.text.find_first_not_of("0123456789") == std::string::npos;
    const long size = known ? std::stol(index.text) : *std::max_element(entries_.begin(), entries_.end());
    if (!known && name_.entry > 0) {
      wrong = "of the input '" + print(item.target) + "' all entries follow a file, or none";
      hint = "write " + name_.root + "=FILE, with the columns " + name_.root + "[1], " + name_.root + "[2], ...";
      return;
    }
    Term value = made(place, Term::Form::tuple, "");
    for (long k = 1; k <= size; ++k) {
      const bool follows = std::find(entries_.begin(), entries_.end(), k) != entries_.end();
      value.parts.push_back(follows ? follow(place, entry_name(k)) : entry_of(item, k));
    }
    if (size == 1) value = Term(value.parts[0]);
    for (const long k : entries_)
      if (k > size) {
        wrong = "the input '" + name_.root + "' has " + std::to_string(size) + " entries, and no entry " +
                std::to_string(k);
        return;
      }
    item.value = std::move(value);
  }

  static Term entry_of(const Item& item, long k) {
    const Place& place = item.target.place;
    if (!item.value) return number(place, 0);
    const bool listed = item.value->form == Term::Form::tuple && static_cast<long>(item.value->parts.size()) >= k;
    return listed ? item.value->parts[static_cast<std::size_t>(k - 1)]
                  : made(place, Term::Form::index, "", {*item.value, number(place, k)});
  }

  std::string entry_name(long k) const { return name_.root + "[" + std::to_string(k) + "]"; }

  /// A table of the time with the column of this name, and its call.
  Term follow(const Place& place, const std::string& column) {
    Statement table;
    table.keyword = "table";
    table.place = place;
    table.string = file_;
    table.label = made(place, Term::Form::call, "input." + column, {made(place, Term::Form::name, "t")});
    table.items.push_back({made(place, Term::Form::name, "column"), {}, made(place, Term::Form::name, column)});
    tables.push_back(table);
    return *table.label;
  }

  Text& text_;
  InputName name_;
  std::string file_;
  std::vector<long> entries_;
};

}  // namespace

void follow_files(Text& text, const std::vector<std::string>& inputs, std::vector<Diagnostic>& wrong) {
  for (const std::string& one : inputs) {
    const std::size_t cut = one.find('=');
    const std::string name = one.substr(0, cut), file = cut == std::string::npos ? "" : one.substr(cut + 1);
    const auto source = std::make_shared<const Source>(Source{"`input` " + one, one});
    if (name.empty() || file.empty()) {
      wrong.push_back({source, {1, 1, static_cast<int>(one.size())}, "expected NAME=FILE", "as in: F=wind.csv"});
      continue;
    }
    Follower follower(text, name, file);
    if (!follower.there) {
      const std::string near = nearest_name(name, follower.names);
      follower.wrong = "there is no input '" + name + "'";
      follower.hint = near.empty() ? "the model says which there are: input F = 0" : "did you mean '" + near + "'?";
    }
    if (!follower.wrong.empty())
      wrong.push_back({source, {1, 1, static_cast<int>(name.size())}, follower.wrong, follower.hint});
    else text.statements.insert(text.statements.end(), follower.tables.begin(), follower.tables.end());
  }
}

}  // namespace alembert::internal
