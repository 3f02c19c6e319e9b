// Benchmarks as text, JSON and a page.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/lab/benchmark.h"

namespace alembert::internal::benchmark {
namespace {

using Json = nlohmann::ordered_json;
using Table = std::vector<std::vector<std::string>>;  // the head first

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(long value) { return value >= 0 ? Json(value) : Json(); }

std::string digits(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : ""; }
std::string whole(long value) { return value >= 0 ? std::to_string(value) : ""; }
std::string brief(double value) { return std::isfinite(value) ? fmt::format("{:.2g}", value) : ""; }

/// "1e-4".
std::string tolerance(double value) { return fmt::format("1e{:.0f}", std::log10(value)); }

/// "equal", "10 to t = 40, 4 to 100", "tolerance 1e-7", "tolerance 1e-7 alone" where the method was chosen too.
std::string plan(const Row& row) {
  const Trial& trial = row.trial;
  if (trial.tolerance > 0) return "tolerance " + tolerance(trial.tolerance) + (row.chosen ? " alone" : "");
  if (trial.grid.size() == 1) return "equal";
  std::string text;
  for (const Stretch& stretch : trial.grid)
    text += fmt::format("{}{}{} to t = {:g}", text.empty() ? "" : ", ", stretch.steps,
                        stretch.method.empty() ? "" : " of " + stretch.method, stretch.until);
  return text;
}

/// For which of the accuracies this row is the fastest: "best for 3, 6 digits".
std::string praise(const Result& result, const Row& row) {
  std::string text;
  for (const double accuracy : result.problem.accuracies)
    if (result.fastest(accuracy) == &row) text += fmt::format("{}{:g}", text.empty() ? "best for " : ", ", accuracy);
  return text.empty() ? text : text + " digits";
}

Table ours(const Result& result) {
  Table table{{"method", "steps chosen", "scd", "mescd", "steps", "evaluations", "Newton", "LU", "CPU s", ""}};
  for (const Row& row : result.rows) {
    if (!row.failure.empty()) {
      table.push_back({row.trial.method, plan(row), "failed", "", "", "", "", "", "", row.failure});
      continue;
    }
    table.push_back({row.trial.method, plan(row), digits(row.scd), digits(row.mescd), whole(row.steps),
                     whole(row.evaluations), whole(row.iterations), whole(row.factorizations), brief(row.seconds),
                     praise(result, row)});
  }
  return table;
}

Table others(const Result& result) {
  Table table{{"solver", "tolerance", "scd", "mescd", "steps", "evaluations", "Jacobians", "LU", "CPU s",
               "ours, with at least these digits"}};
  for (const Published& row : result.problem.published) {
    const Row* best = result.shortest(row.scd);
    const std::string answer =
        best ? fmt::format("{} steps, {} ({})", best->steps, best->trial.method, digits(best->scd)) : "none";
    table.push_back({row.solver, tolerance(row.accuracy), digits(row.scd), digits(row.mescd), whole(row.steps),
                     whole(row.evaluations), whole(row.jacobians), whole(row.factorizations), brief(row.seconds),
                     answer});
  }
  return table;
}

/// Columns as wide as their widest entry; words to the left, numbers to the right.
std::string plain(const Table& table) {
  std::vector<std::size_t> width(table[0].size(), 0);
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i + 1 < row.size()) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const auto& row : table) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i < 2 || i + 1 == row.size() ? fmt::format(" {:<{}}", row[i], width[i])
                                           : fmt::format(" {:>{}}", row[i], width[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string markdown(const Table& table) {
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    text += "|";
    for (const std::string& cell : table[r]) text += " " + cell + " |";
    text += "\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < table[r].size(); ++i) text += i < 2 || i + 1 == table[r].size() ? "|---" : "|---:";
    text += "|\n";
  }
  return text;
}

std::string verdict(const Result& result) {
  const std::string missed = result.missed();
  if (!missed.empty()) return "MISSED: " + missed;
  std::string text = fmt::format("{:.1f} digits of the reference reached", result.digits());
  if (!result.problem.published.empty() && result.ahead())
    text += fmt::format("; at equal digits fewer steps than all {} published runs", result.problem.published.size());
  if (!result.problem.published.empty())
    text += fmt::format("; with a tolerance alone fewer steps and evaluations than {} of them",
                        result.ahead_by_tolerance());
  return text + (result.whole ? "" : "; the longest runs were left out");
}

}  // namespace

std::string to_text(const Benchmarks& benchmarks) {
  std::string text;
  for (const Result& result : benchmarks.results) {
    const Problem& p = result.problem;
    text +=
        fmt::format("{}{} ({}), t = {:g}; scd counts {}\n", text.empty() ? "" : "\n", p.title, p.name, p.end, p.counts);
    text += plain(ours(result));
    if (!p.published.empty()) text += "  published: " + p.origin + "\n" + plain(others(result));
    text += "  " + verdict(result) + "\n";
  }
  return text;
}

std::string to_markdown(const Benchmarks& benchmarks) {
  std::string text =
      "# Benchmarks\n\nPrinted by `alembert benchmark --markdown`: our runs in double precision against references of "
      "25 digits, beside the printed\ntables of other solvers. scd is -log10 of the largest relative error at the end, "
      "mescd of the largest |error|/(1 + |value|).\nSteps of ours are all that were made, also rejected ones and those "
      "made for comparison only. Those that are not chosen by a\ntolerance were chosen by hand, knowing the problem: "
      "the solvers of the tables find theirs while they run, which is harder. Rows with a tolerance alone\nhave their "
      "method chosen by the program too, as a run does that names none, and the tolerance is absolute too, as in the "
      "printed runs. A step of many stages costs more\nthan one of "
      "theirs: CPU times are of one recent core without compiling, the printed ones of the machines of their time. "
      "Best\nis the least CPU time.\n";
  for (const Result& result : benchmarks.results) {
    const Problem& p = result.problem;
    text += fmt::format("\n## {}\n\n`models/{}.alm`, t = {:g}; scd counts {}. {}.\n\n{}", p.title, p.model, p.end,
                        p.counts, verdict(result), markdown(ours(result)));
    if (!p.published.empty()) text += "\n" + p.origin + ":\n\n" + markdown(others(result));
  }
  return text;
}

std::string to_json(const Benchmarks& benchmarks) {
  Json list = Json::array();
  for (const Result& result : benchmarks.results) {
    const Problem& p = result.problem;
    Json rows = Json::array(), published = Json::array(), best = Json::array();
    for (const Row& row : result.rows) {
      Json grid = Json::array();
      for (const Stretch& stretch : row.trial.grid)
        grid.push_back({{"method", stretch.method.empty() ? row.trial.method : stretch.method},
                        {"until", stretch.until},
                        {"steps", stretch.steps}});
      Json one{{"method", row.trial.method}, {"scd", number(row.scd)}, {"mescd", number(row.mescd)}};
      if (row.chosen) one["chosen"] = true;
      if (row.trial.tolerance > 0) one["tolerance"] = row.trial.tolerance;
      else one["grid"] = grid;
      one["steps"] = row.steps;
      one["evaluations"] = row.evaluations;
      one["newton_iterations"] = row.iterations;
      one["factorizations"] = row.factorizations;
      one["cpu_seconds"] = row.seconds;
      if (!row.failure.empty()) one["failure"] = row.failure;
      rows.push_back(std::move(one));
    }
    for (const Published& row : p.published) {
      const Row* ours = result.shortest(row.scd);
      published.push_back({{"solver", row.solver},
                           {"tolerance", number(row.accuracy)},
                           {"scd", number(row.scd)},
                           {"mescd", number(row.mescd)},
                           {"steps", number(row.steps)},
                           {"evaluations", number(row.evaluations)},
                           {"jacobians", number(row.jacobians)},
                           {"factorizations", number(row.factorizations)},
                           {"cpu_seconds", number(row.seconds)},
                           {"our_steps", ours ? Json(ours->steps) : Json()},
                           {"our_method", ours ? Json(ours->trial.method) : Json()}});
    }
    for (const double accuracy : p.accuracies) {
      const Row* row = result.fastest(accuracy);
      best.push_back({{"digits", accuracy}, {"method", row ? Json(row->trial.method) : Json()}});
    }
    list.push_back({{"name", p.name},
                    {"title", p.title},
                    {"model", p.model},
                    {"end", p.end},
                    {"counts", p.counts},
                    {"digits", number(result.digits())},
                    {"ahead", p.published.empty() ? Json() : Json(result.ahead())},
                    {"missed", result.missed()},
                    {"best", std::move(best)},
                    {"runs", std::move(rows)},
                    {"origin", p.origin},
                    {"published", std::move(published)}});
  }
  return Json{{"quick", benchmarks.quick}, {"passed", benchmarks.passed()}, {"benchmarks", std::move(list)}}.dump(2) +
         "\n";
}

}  // namespace alembert::internal::benchmark
