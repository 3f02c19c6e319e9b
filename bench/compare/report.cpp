// What was measured as text, JSON and a page.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/plot/plot.h"
#include "measure.h"

namespace alembert::bench {

namespace {

using Json = nlohmann::ordered_json;
using internal::Curve;
using internal::escaped;

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::ours: return "alembert";
    case Kind::by_hand: return "by hand";
    case Kind::rival: return "rival";
  }
  return "";
}

/// "47.3 ns", in the unit in which it is read best.
std::string time_text(double seconds) {
  if (std::isnan(seconds)) return "failed";
  for (const auto& [factor, unit] : {std::pair{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}})
    if (seconds * factor < 1000) return fmt::format("{:.3g} {}", seconds * factor, unit);
  return fmt::format("{:.3g} s", seconds);
}

std::string spread_text(const Measured& m) { return time_text(m.low) + " to " + time_text(m.high); }

Json json_of(const Measured& m) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  return {{"name", m.name},        {"kind", word_of(m.kind)}, {"seconds", number(m.median)},
          {"best", number(m.low)}, {"worst", number(m.high)}, {"error", number(m.error)}};
}

std::string table_of(const Comparison& c) {
  std::string rows = "<table><tr><th></th><th></th><th>CPU time " + escaped(c.unit) +
                     "</th><th>best to worst</th><th>times the first</th></tr>\n";
  for (const Measured& m : c.entries)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td></tr>\n", escaped(m.name),
                        word_of(m.kind), time_text(m.median), spread_text(m), c.ratio(m));
  return rows + "</table>\n";
}

std::string diagram_of(const WorkPrecision& w) {
  internal::Panel panel{w.title, {w.error}, {w.work}, {}, false, {}};
  for (const Measured& m : w.points) {
    if (!(m.median > 0) || !(m.error > 0)) continue;
    auto curve =
        std::find_if(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) { return c.name == m.name; });
    if (curve == panel.curves.end()) {
      Curve fresh;
      fresh.name = m.name;
      fresh.line = m.kind == Kind::rival ? Curve::Line::dashed : Curve::Line::solid;
      panel.curves.push_back(fresh);
      curve = panel.curves.end() - 1;
    }
    curve->x.push_back(m.error);
    curve->y.push_back(m.median);
  }
  internal::Figure figure;
  figure.title = w.title;
  figure.panels = {panel};
  figure.notes = {"dashed: rivals"};
  return internal::to_svg(figure);
}

// Accuracies that are compared: above, a motion is lost; below, rounding is seen.
constexpr double loosest = 1e-3, tightest = 1e-10;

/// The least CPU time of ours that is as accurate; NaN where none is.
double ours_at(const WorkPrecision& w, double error) {
  double least = NAN;
  for (const Measured& m : w.points)
    if (m.kind == Kind::ours && m.error <= error && !(m.median >= least)) least = m.median;
  return least;
}

/// What a rival needs at equal accuracy, in units of what we need.
struct Lead {
  std::string rival;
  double least = HUGE_VAL, most = 0;
  int unmatched = 0;  // runs of the rival than which none of ours is as accurate
};

std::vector<Lead> leads_of(const WorkPrecision& w) {
  std::vector<Lead> leads;
  for (const Measured& m : w.points) {
    if (m.kind != Kind::rival || std::isnan(m.median) || m.error > loosest || m.error < tightest) continue;
    auto lead = std::find_if(leads.begin(), leads.end(), [&](const Lead& l) { return l.rival == m.name; });
    if (lead == leads.end()) lead = leads.insert(lead, Lead{m.name});
    const double ratio = m.median / ours_at(w, m.error);
    if (std::isnan(ratio)) {
      ++lead->unmatched;
      continue;
    }
    lead->least = std::min(lead->least, ratio);
    lead->most = std::max(lead->most, ratio);
  }
  return leads;
}

std::string words_of(const Lead& lead) {
  std::string text = lead.rival + ": ";
  if (lead.most > 0)
    text +=
        fmt::format("{:.1f} to {:.1f} times our CPU time at equal accuracy, from 1e-3 to 1e-10", lead.least, lead.most);
  else text += "nothing to compare";
  if (lead.unmatched > 0) text += fmt::format("; {} of its runs are more accurate than ours", lead.unmatched);
  return text;
}

}  // namespace

std::string to_text(const Results& results) {
  std::string text;
  for (const Comparison& c : results.comparisons) {
    text += fmt::format("{}: CPU time {}\n", c.title, c.unit);
    for (const Measured& m : c.entries)
      text += fmt::format("  {:<44} {:<9} {:>10}  {:>6.2f}  ({})\n", m.name, word_of(m.kind), time_text(m.median),
                          c.ratio(m), spread_text(m));
    if (!c.note.empty()) text += "  " + c.note + "\n";
    text += "\n";
  }
  for (const WorkPrecision& w : results.diagrams) {
    text += fmt::format("{}\n", w.title);
    for (const Measured& m : w.points)
      text +=
          fmt::format("  {:<44} {:<9} {:>10}  error {:.1e}\n", m.name, word_of(m.kind), time_text(m.median), m.error);
    for (const Lead& lead : leads_of(w)) text += "  " + words_of(lead) + "\n";
    text += "\n";
  }
  for (const std::string& rival : results.absent) text += "not in this build: " + rival + "\n";
  return text;
}

std::string to_json(const Results& results) {
  Json all{{"comparisons", Json::array()}, {"work_precision", Json::array()}, {"absent", results.absent}};
  for (const Comparison& c : results.comparisons) {
    Json entries = Json::array();
    for (const Measured& m : c.entries) {
      entries.push_back(json_of(m));
      entries.back()["ratio"] = std::isfinite(c.ratio(m)) ? Json(c.ratio(m)) : Json();
    }
    all["comparisons"].push_back({{"title", c.title}, {"unit", c.unit}, {"entries", entries}, {"note", c.note}});
  }
  for (const WorkPrecision& w : results.diagrams) {
    Json points = Json::array();
    for (const Measured& m : w.points) points.push_back(json_of(m));
    Json leads = Json::array();
    for (const Lead& lead : leads_of(w))
      if (lead.most > 0) leads.push_back({{"rival", lead.rival}, {"least", lead.least}, {"most", lead.most}});
    all["work_precision"].push_back({{"title", w.title}, {"points", points}, {"at_equal_accuracy", leads}});
  }
  return all.dump(1) + "\n";
}

std::string to_page(const Results& results) {
  std::string body =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>alembert bench</title>\n"
      "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
      "td,th{text-align:left;padding:.1em .8em .1em 0}svg{max-width:100%}</style></head><body>\n<h1>alembert "
      "bench</h1>\n"
      "<p>All that stands in one table or diagram was measured in turn, in one process; CPU time of the thread.</p>\n";
  for (const WorkPrecision& w : results.diagrams) {
    body += diagram_of(w);
    for (const Lead& lead : leads_of(w)) body += "<p>" + escaped(words_of(lead)) + ".</p>\n";
  }
  for (const Comparison& c : results.comparisons)
    body += "<h2>" + escaped(c.title) + "</h2>\n" + table_of(c) +
            (c.note.empty() ? "" : "<p>" + escaped(c.note) + "</p>\n");
  for (const std::string& rival : results.absent) body += "<p>Not in this build: " + escaped(rival) + ".</p>\n";
  return body + "</body></html>\n";
}

}  // namespace alembert::bench
