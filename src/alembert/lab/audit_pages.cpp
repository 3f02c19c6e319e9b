// The audit as text, JSON and a page.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "alembert/lab/audit.h"

namespace alembert::internal::audit {
namespace {

using Json = nlohmann::ordered_json;

const char* word(Status status) {
  switch (status) {
    case Status::passed: return "ok";
    case Status::refused: return "refused";
    case Status::deficit: return "deficit";
    case Status::unexpected: return "WRONG";
  }
  return "";
}

/// The least and the largest number of those measured.
struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool any() const { return least <= most; }
};

/// What a property is on all models together: numbers of those where it is claimed, and where it is not.
struct Summary {
  std::string claimed;
  int held = 0, wrong = 0, not_claimed = 0;
  Range where_claimed, elsewhere;
  std::vector<std::string> without_claim;  // models
};

bool is_order(const std::string& name) { return name.starts_with("order"); }

Summary summary(const Audit& audit, const std::string& method, const std::string& property) {
  Summary sum;
  for (const Pair& pair : audit.pairs) {
    if (pair.method != method) continue;
    for (const Property& p : pair.properties) {
      if (p.name != property) continue;
      if (!p.claimed.empty()) sum.claimed = p.claimed;
      switch (p.verdict) {
        case Verdict::ok:
        case Verdict::higher: ++sum.held; break;
        case Verdict::false_claim: ++sum.wrong; break;
        case Verdict::holds:
        case Verdict::does_not_hold:
          ++sum.not_claimed;
          sum.without_claim.push_back(pair.model);
          sum.elsewhere.add(p.value);
          continue;
        default: continue;
      }
      sum.where_claimed.add(p.value);
    }
  }
  return sum;
}

std::string orders(const Range& range) {
  if (!range.any()) return "";
  return range.most - range.least < 0.005 ? fmt::format(" ({:.2f})", range.least)
                                          : fmt::format(" ({:.2f} to {:.2f})", range.least, range.most);
}

std::string cell(const Summary& sum, bool order) {
  std::string text;
  if (sum.held + sum.wrong + sum.not_claimed == 0) return "–";
  if (sum.held + sum.wrong == 0) return "not claimed" + (order ? orders(sum.elsewhere) : "");
  if (order) {
    text = sum.claimed + orders(sum.where_claimed);
  } else {
    text = sum.where_claimed.most > 0 ? fmt::format("yes ({:.0e})", sum.where_claimed.most) : "yes";
  }
  if (sum.wrong > 0) text += fmt::format(", not on {}", sum.wrong);
  if (sum.not_claimed > 0) text += fmt::format("; not claimed on {}", fmt::join(sum.without_claim, ", "));
  return text;
}

std::vector<std::string> property_names(const Audit& audit) {
  std::vector<std::string> names;
  for (const Pair& pair : audit.pairs)
    for (const Property& p : pair.properties)
      if (!p.name.starts_with("invariant") && std::find(names.begin(), names.end(), p.name) == names.end())
        names.push_back(p.name);
  return names;
}

std::map<Status, int> counts(const Audit& audit) {
  std::map<Status, int> list;
  for (const Pair& pair : audit.pairs) ++list[pair.status];
  return list;
}

std::string count_words(const Audit& audit) {
  std::map<Status, int> n = counts(audit);
  std::size_t cells = 0;
  for (const Pair& pair : audit.pairs) cells += pair.properties.size();
  return fmt::format(
      "{} methods on {} models: {} pairs measured in {} cells, {} refused by the method, {} with a known deficit, {} "
      "wrong",
      audit.methods.size(), audit.models.size(), n[Status::passed] + n[Status::deficit] + n[Status::unexpected], cells,
      n[Status::refused], n[Status::deficit], n[Status::unexpected]);
}

/// Reasons, and whom each concerns: methods and models, in the order of the audit.
class Reasons {
 public:
  void add(const std::string& what, const std::string& why, const Pair& pair) {
    auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.what == what && row.why == why; });
    if (found == rows_.end()) found = rows_.insert(rows_.end(), {what, why, {}, {}});
    add_once(found->methods, "`" + pair.method + "`");
    add_once(found->models, pair.model);
  }
  /// Where all methods are concerned they are not named.
  std::string table(std::size_t all_methods) const {
    std::string text;
    for (const Row& row : rows_) {
      text += row.what.empty() ? "|" : "| " + row.what + " |";
      text += fmt::format(" {} | {} | {} |\n", row.why,
                          row.methods.size() == all_methods ? "all" : fmt::format("{}", fmt::join(row.methods, ", ")),
                          fmt::join(row.models, ", "));
    }
    return text;
  }

 private:
  struct Row {
    std::string what, why;
    std::vector<std::string> methods, models;
  };
  static void add_once(std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
  std::vector<Row> rows_;
};

/// Why pairs were refused, and why properties of others were not measured.
std::string explanations(const Audit& audit) {
  Reasons refused, silent;
  for (const Pair& pair : audit.pairs) {
    if (pair.status == Status::refused) refused.add("", pair.reason, pair);
    for (const Property& p : pair.properties)
      if (p.verdict == Verdict::does_not_apply || p.verdict == Verdict::not_measured)
        silent.add(p.name, p.measured, pair);
  }
  return "\n## Refused\n\nMethods say by themselves what they cannot integrate.\n\n| why | methods | models "
         "|\n|---|---|---|\n" +
         refused.table(audit.methods.size()) +
         "\n## Where a property says nothing\n\nA dash in the table above stands where this is so on all models that "
         "the "
         "method takes, and at momenta where the method does not promise them.\n\n"
         "| property | why | methods | models |\n|---|---|---|---|\n" +
         silent.table(audit.methods.size());
}

/// Where orders were measured above the claim, so that no range in the table is a riddle.
std::string higher_orders(const Audit& audit) {
  std::string text =
      "\n## Orders above the claim\n\nA method does better than it claims on models where the leading term of its "
      "error "
      "vanishes; where it nearly cancels the next one at these steps, the number stands above both.\n\n| method | "
      "property | on |\n|---|---|---|\n";
  for (const std::string& method : audit.methods)
    for (const std::string& name : property_names(audit)) {
      std::vector<std::string> where;
      for (const Pair& pair : audit.pairs)
        for (const Property& p : pair.properties)
          if (pair.method == method && p.name == name && p.verdict == Verdict::higher)
            where.push_back(pair.model + " " + p.measured);
      if (!where.empty()) text += fmt::format("| `{}` | {} | {} |\n", method, name, fmt::join(where, ", "));
    }
  return text;
}

}  // namespace

std::string to_text(const Audit& audit) {
  std::string text;
  for (const Pair& pair : audit.pairs)
    if (pair.status != Status::passed && pair.status != Status::refused)
      text += fmt::format("{:<8} {} on {}: {}\n", word(pair.status), pair.method, pair.model, pair.reason);
  for (const std::string& line : audit.stale) text += "STALE    " + line + "\n";
  return text + count_words(audit) + "\n";
}

std::string to_json(const Audit& audit) {
  Json json;
  json["methods"] = audit.methods;
  json["models"] = audit.models;
  Json& pairs = json["pairs"] = Json::array();
  for (const Pair& pair : audit.pairs) {
    Json entry = {{"method", pair.method}, {"model", pair.model}, {"status", word(pair.status)}};
    if (!pair.reason.empty()) entry["reason"] = pair.reason;
    Json& properties = entry["properties"] = Json::array();
    for (const Property& p : pair.properties)
      properties.push_back({{"name", p.name},
                            {"claimed", p.claimed},
                            {"measured", p.measured},
                            {"value", std::isfinite(p.value) ? Json(p.value) : Json()},
                            {"verdict", to_text(p.verdict)}});
    pairs.push_back(std::move(entry));
  }
  json["stale"] = audit.stale;
  json["passed"] = audit.passed();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_markdown(const Audit& audit) {
  std::string text =
      "# What the methods keep, measured\n\n"
      "Every family of methods on models of every kind, by `alembert audit --markdown`. A cell says what is claimed "
      "and, in brackets, what was measured on all models that the method takes: orders between two step sizes in "
      "quadruple precision, defects of symplecticity and symmetry, the largest residuals of constraints. A claim that "
      "does not hold, and is not among the known deficits below, is a fault, and so is a known deficit that has gone: "
      "then the command ends with exit code 1.\n\n" +
      count_words(audit) + ".\n\n";
  const std::vector<std::string> properties = property_names(audit);
  text += "## Claims\n\n| method |";
  std::string line = "|---|";
  for (const std::string& name : properties) {
    text += " " + name + " |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const std::string& method : audit.methods) {
    text += "| `" + method + "` |";
    for (const std::string& name : properties) text += " " + cell(summary(audit, method, name), is_order(name)) + " |";
    text += "\n";
  }
  text += "\n## Models\n\n| model | kind | methods that take it | deficits |\n|---|---|---|---|\n";
  for (const std::string& model : audit.models) {
    int taken = 0, lacking = 0;
    for (const Pair& pair : audit.pairs) {
      if (pair.model != model) continue;
      taken += pair.status == Status::refused ? 0 : 1;
      lacking += pair.status == Status::deficit ? 1 : 0;
    }
    const auto subject =
        std::find_if(subjects().begin(), subjects().end(), [&](const Subject& s) { return s.model == model; });
    text += fmt::format("| {} | {} | {} | {} |\n", model, subject->kind, taken, lacking);
  }
  text += "\n## Known deficits\n\n| method | model | cause |\n|---|---|---|\n";
  for (const Pair& pair : audit.pairs)
    if (pair.status == Status::deficit)
      text += fmt::format("| `{}` | {} | {} |\n", pair.method, pair.model, pair.reason);
  for (const Pair& pair : audit.pairs)
    if (pair.status == Status::unexpected)
      text += fmt::format("| `{}` | {} | **not explained**: {} |\n", pair.method, pair.model, pair.reason);
  if (audit.stale.empty() && audit.passed() && text.ends_with("|---|---|---|\n")) text += "| none | | |\n";
  return text + higher_orders(audit) + explanations(audit);
}

}  // namespace alembert::internal::audit
