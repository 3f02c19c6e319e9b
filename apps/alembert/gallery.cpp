// alembert gallery: a page for each of many models, and one that shows them all.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "alembert/run/simulate.h"
#include "alembert/trajectory.h"
#include "commands.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct GalleryArguments {
  std::vector<std::string> models;
  std::string out, steps = "2000";
};

/// One model on the page of all.
struct Card {
  std::string name, title, thumbnail;
  std::string failure;  // "" where it ran to its end
};

std::string thumbnail_of(const Trajectory& trajectory) {
  Figure figure = figure_of(trajectory);
  if (figure.panels.empty()) return "";
  figure.panels.resize(1);
  figure.title.clear();
  figure.notes.clear();
  return to_svg(figure);
}

/// Runs a model as its solve statement says, at most so many steps, and writes its page.
Card make_card(const std::string& path, const std::filesystem::path& folder, long most_steps) {
  Card card;
  card.name = std::filesystem::path(path).stem().string();
  card.title = card.name;
  try {
    const Model model = load_model(path);
    if (!model.title.empty()) card.title = model.title;
    const Equations equations = derive(model);
    RunChoices choices;
    const auto [method, choice] = choices.chosen_method(model, equations);
    SimulateOptions simulation = choices.simulation(model);
    const double longest = static_cast<double>(most_steps) * std::abs(simulation.step);
    simulation.end = std::clamp(simulation.end, -longest, longest);
    Recorder recorder;
    simulation.observers.push_back(&recorder);
    const Report report = simulate(model, equations, method, simulation);
    if (report.ending != Ending::done) card.failure = report.reason;
    if (recorder.trajectory.rows() == 0) return card;
    write_file("--out", (folder / (card.name + ".html")).string(),
               page_of(recorder.trajectory, figure_of(recorder.trajectory).title, to_text(report), path));
    card.thumbnail = thumbnail_of(recorder.trajectory);
  } catch (const InputError& e) { card.failure = e.what(); }
  return card;
}

std::string index_page(const std::vector<Card>& cards) {
  std::string body =
      "<h1>Gallery</h1>\n<style>\n.cards { display: grid; gap: 1.5em; grid-template-columns: "
      "repeat(auto-fill, minmax(16em, 1fr)); }\n.cards a { text-decoration: none; }\n</style>\n"
      "<div class=\"cards\">\n";
  for (const Card& card : cards) {
    const std::string text = card.thumbnail + "<b>" + escaped(card.title) + "</b>";
    body += "<div>";
    body += card.thumbnail.empty() ? text : "<a href=\"" + escaped(card.name) + ".html\">" + text + "</a>";
    if (!card.failure.empty()) body += "<p class=\"bad\">" + escaped(card.failure) + "</p>";
    body += "</div>\n";
  }
  return html_page("Gallery", body + "</div>\n");
}

int gallery(const GalleryArguments& arguments) {
  const std::filesystem::path folder = arguments.out.empty() ? "gallery" : arguments.out;
  const long steps = read_whole("--steps", arguments.steps, 1);
  std::set<std::string> names;
  for (const std::string& path : arguments.models)
    if (!names.insert(std::filesystem::path(path).stem().string()).second)
      throw InputError("two models have the name '" + std::filesystem::path(path).stem().string() + "'",
                       "their pages would have one name too");
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  if (wrong) throw InputError("--out: cannot make the folder '" + folder.string() + "'");
  if (!page_note().empty()) say("note: " + page_note());
  std::vector<Card> cards;
  int failures = 0;
  for (const std::string& path : arguments.models) {
    cards.push_back(make_card(path, folder, steps));
    failures += !cards.back().failure.empty();
    if (!cards.back().failure.empty()) say(path + ": " + cards.back().failure);
  }
  const std::string index = (folder / "index.html").string();
  write_file("--out", index, index_page(cards));
  fmt::print("{} models, {} of them to their end: {}\n", cards.size(), cards.size() - failures, index);
  return failures > 0 ? failed : done;
}

}  // namespace

Command add_gallery(CommandLine& program) {
  Options options = program.command("gallery", "Make a page for each of many models, and one that shows them all");
  auto arguments = std::make_shared<GalleryArguments>();
  options.arguments("MODEL", arguments->models, "Model files, such as models/*.alm");
  options.option("-o,--out", arguments->out, "FOLDER", "Where to write; else gallery");
  options.option("--steps", arguments->steps, "N", "At most so many steps of each model");
  return {options, [arguments] { return gallery(*arguments); }};
}

}  // namespace alembert::internal::app
