// Findings and verdicts as JSON.

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/lab/reproduce.h"
#include "alembert/numerics.h"
#include "alembert/version.h"

namespace alembert::internal::reproduce {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers as text: they round-trip, and not all of them are finite.
Json exact(double value) { return alembert::to_text(value); }

double read(const Json& json) {
  const std::string text = json.get<std::string>();
  if (text == "nan") return NAN;
  if (text == "inf" || text == "-inf") return text[0] == '-' ? -INFINITY : INFINITY;
  Quad value = 0;
  if (!read_number(text, value)) throw std::invalid_argument(text);
  return static_cast<double>(value);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json files(const std::vector<Findings::File>& list) {
  Json json = Json::array();
  for (const Findings::File& file : list) json.push_back({{"name", file.name}, {"text", file.text}});
  return json;
}

std::vector<Findings::File> files(const Json& json) {
  std::vector<Findings::File> list;
  for (const Json& file : json) list.push_back({file.at("name"), file.at("text")});
  return list;
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string store(const Findings& findings) {
  Json json;
  Json& checks = json["checks"] = Json::array();
  for (const Check& c : findings.checks)
    checks.push_back({{"name", c.name},
                      {"value", exact(c.value)},
                      {"low", exact(c.low)},
                      {"high", exact(c.high)},
                      {"expected", exact(c.expected)}});
  json["figures"] = files(findings.figures);
  json["data"] = files(findings.data);
  Json& tables = json["tables"] = Json::array();
  for (const Table& table : findings.tables)
    tables.push_back({{"title", table.title}, {"head", table.head}, {"rows", table.rows}});
  json["notes"] = findings.notes;
  json["failure"] = findings.failure;
  json["seconds"] = exact(findings.seconds);
  return dump(json, -1);
}

bool restore(const std::string& text, Findings& findings) {
  try {
    const Json json = Json::parse(text);
    Findings read_back;
    for (const Json& c : json.at("checks"))
      read_back.checks.push_back(
          {c.at("name"), read(c.at("value")), read(c.at("low")), read(c.at("high")), read(c.at("expected"))});
    read_back.figures = files(json.at("figures"));
    read_back.data = files(json.at("data"));
    for (const Json& table : json.at("tables"))
      read_back.tables.push_back({table.at("title"), table.at("head"), table.at("rows")});
    read_back.notes = json.at("notes").get<std::vector<std::string>>();
    read_back.failure = json.at("failure");
    read_back.seconds = read(json.at("seconds"));
    findings = std::move(read_back);
    return true;
  } catch (const std::exception&) { return false; }
}

std::string to_json(const Reproduction& reproduction) {
  Json json;
  json["program"] = std::string("alembert ") + version;
  json["quick"] = reproduction.quick;
  json["overrides"] = reproduction.overrides;
  json["passed"] = reproduction.passed();
  Json& entries = json["entries"] = Json::array();
  for (const std::vector<Result>& list : reproduction.results) {
    for (const Result& result : list) {
      const Findings& found = result.findings;
      Json checks = Json::array();
      for (const Check& c : found.checks)
        checks.push_back({{"name", c.name},
                          {"value", number(c.value)},
                          {"expected", number(c.expected)},
                          {"low", number(c.low)},
                          {"high", number(c.high)},
                          {"passed", c.passed()}});
      entries.push_back({{"id", result.entry.id},
                         {"title", result.entry.title},
                         {"passed", found.passed()},
                         {"failure", found.failure.empty() ? Json() : Json(found.failure)},
                         {"cached", result.cached},
                         {"seconds", number(found.seconds)},
                         {"checks", checks}});
    }
  }
  return dump(json, 1) + "\n";
}

}  // namespace alembert::internal::reproduce
