// alembert gallery: a page for each of many models, and one that shows them all.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "alembert/plot/sketch.h"
#include "alembert/run/simulate.h"
#include "alembert/trajectory.h"
#include "commands.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct GalleryArguments {
  std::vector<std::string> models;
  std::string out, markdown, steps = "2000";
};

/// One model on the page of all.
struct Card {
  std::string name, title, thumbnail;
  std::string path, words;  // of the model; what its first lines say of it
  std::string failure;      // "" where it ran to its end
};

/// The mechanism, or the first of its plots where there is none to be seen.
std::string thumbnail_of(const Trajectory& trajectory, const std::string& path) {
  std::string sketch = sketch_of(trajectory, std::make_shared<const Source>(Source{path, trajectory.run.model_text}));
  if (!sketch.empty()) return sketch;
  Figure figure = figure_of(trajectory);
  if (figure.panels.empty()) return "";
  figure.panels.resize(1);
  figure.title.clear();
  figure.notes.clear();
  return to_svg(figure);
}

/// The comment that a model begins with.
std::string first_words(const Model& model) {
  std::istringstream lines(model.source ? model.source->text : "");
  std::string words;
  for (std::string line; std::getline(lines, line) && line.starts_with("#");)
    words += (words.empty() ? "" : " ") + line.substr(std::min(line.size(), line.find_first_not_of("# ")));
  return words;
}

/// Runs a model as its solve statement says, at most so many steps, and writes its page where there is a folder for it.
Card make_card(const std::string& path, const std::filesystem::path& folder, long most_steps) {
  Card card;
  card.path = path;
  card.name = std::filesystem::path(path).stem().string();
  card.title = card.name;
  try {
    const Model model = load_model(path);
    if (!model.title.empty()) card.title = model.title;
    card.words = first_words(model);
    const Equations equations = derive(model);
    RunChoices choices;
    const auto [method, choice] = choices.chosen_method(model, equations);
    SimulateOptions simulation = choices.simulation(model);
    if (model.density && method.claims.symmetric) simulation.steps.control = Control::reversible;
    const double longest = static_cast<double>(most_steps) * std::abs(simulation.step);
    simulation.end = std::clamp(simulation.end, -longest, longest);
    constexpr std::size_t rows_of_a_picture = 300;  // more would not be seen
    Recorder recorder = folder.empty() ? Recorder(rows_of_a_picture) : Recorder();
    simulation.observers.push_back(&recorder);
    const Report report = simulate(model, equations, method, simulation);
    if (report.ending != Ending::done) card.failure = report.reason;
    if (recorder.trajectory.rows() == 0) return card;
    if (!folder.empty())
      write_file("--out", (folder / (card.name + ".html")).string(),
                 page_of(recorder.trajectory, figure_of(recorder.trajectory).title, to_text(report), path));
    card.thumbnail = thumbnail_of(recorder.trajectory, path);
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

/// A page of text with a picture of each, in a folder beside it that has its name.
std::string markdown_page(const std::vector<Card>& cards, const std::filesystem::path& page) {
  std::string text = fmt::format(
      "# Gallery\n\nThe {} models in `models/`, each with a picture that the program made: the mechanism in its "
      "motion, or "
      "its\ncoordinates over time where there is none to be seen. Their first lines say what the numbers are held "
      "against in the tests.\n\n"
      "This page is written by `alembert gallery models/*.alm --markdown docs/gallery.md`.\n\n|  |  |\n|---|---|\n",
      cards.size());
  for (const Card& card : cards) {
    const std::filesystem::path model =
        std::filesystem::absolute(card.path).lexically_relative(std::filesystem::absolute(page).parent_path());
    std::string words;
    for (const char c : card.words) words += c == '|' ? std::string("\\|") : std::string(1, c);
    const std::string picture =
        card.thumbnail.empty() ? "" : fmt::format("![{}]({}/{}.svg)", card.name, page.stem().string(), card.name);
    text += fmt::format("| {} | **[{}]({})** {} |\n", picture, card.title, model.generic_string(), words);
  }
  return text;
}

int write_markdown(const std::vector<Card>& cards, const std::filesystem::path& page) {
  const std::filesystem::path folder = page.parent_path() / page.stem();
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  if (wrong) throw InputError("--markdown: cannot make the folder '" + folder.string() + "'");
  int failures = 0;
  for (const Card& card : cards) {
    if (!card.failure.empty()) say(card.path + ": " + card.failure);
    failures += card.failure.empty() ? 0 : 1;
    if (!card.thumbnail.empty()) write_file("--markdown", (folder / (card.name + ".svg")).string(), card.thumbnail);
  }
  write_file("--markdown", page.string(), markdown_page(cards, page));
  return failures > 0 ? failed : done;
}

int gallery(const GalleryArguments& arguments) {
  if (!arguments.markdown.empty() && !arguments.out.empty())
    throw InputError("--out and --markdown are two kinds of pages", "leave one of them out");
  const std::filesystem::path folder = arguments.out.empty() ? "gallery" : arguments.out;
  const long steps = read_whole("--steps", arguments.steps, 1);
  std::set<std::string> names;
  for (const std::string& path : arguments.models)
    if (!names.insert(std::filesystem::path(path).stem().string()).second)
      throw InputError("two models have the name '" + std::filesystem::path(path).stem().string() + "'",
                       "their pages would have one name too");
  if (!arguments.markdown.empty()) {
    std::vector<Card> cards;
    for (const std::string& path : arguments.models) cards.push_back(make_card(path, "", steps));
    return write_markdown(cards, arguments.markdown);
  }
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
  options.option("--markdown", arguments->markdown, "FILE",
                 "One page of text instead, with a picture of each in a folder of its name beside it");
  options.option("--steps", arguments->steps, "N", "At most so many steps of each model");
  return {options, [arguments] { return gallery(*arguments); }};
}

}  // namespace alembert::internal::app
