// Pages that need nothing else: no network, no files beside them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/plot/figures.h"
#include "alembert/plot/rows.h"
#include "alembert/plot/scene.h"
#include "alembert/plot/web.h"

namespace alembert::internal {
namespace {

std::string number(double value) { return fmt::format("{:.5g}", std::isfinite(value) ? value : 0.0); }

/// At most so many pictures, evenly spaced in the rows.
std::string motion(const Trajectory& trajectory, const std::vector<MovingPoint>& points) {
  // A minute at 50 a second; 2 MB of text, which a browser opens at once.
  constexpr std::size_t most_pictures = 3000, most_numbers = 300'000;
  constexpr double longest = 60;  // seconds that a whole run may take on the screen
  const std::size_t dimension = points[0].columns.size();
  const std::size_t allowed = std::clamp<std::size_t>(most_numbers / (points.size() * dimension), 2, most_pictures);
  const std::size_t rows = trajectory.rows(), pictures = std::min(rows, allowed);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < pictures; ++i) shown.push_back(pictures > 1 ? i * (rows - 1) / (pictures - 1) : 0);
  std::string times, places, links;
  for (const std::size_t row : shown) times += (times.empty() ? "" : ",") + number(trajectory.t()[row]);
  for (const MovingPoint& point : points) {
    std::string path;
    for (const std::size_t row : shown) {
      std::string at;
      for (const int column : point.columns) at += (at.empty() ? "" : ",") + number(trajectory.values[column][row]);
      path += (path.empty() ? "[" : ",[") + at + "]";
    }
    places += (places.empty() ? "[" : ",\n[") + path + "]";
  }
  for (const Link& link : links_of(trajectory, points))
    links += fmt::format("{}[{},{}]", links.empty() ? "" : ",", link.first, link.second);
  const double length = trajectory.t().back() - trajectory.t().front();
  const double speed = std::abs(length) > longest ? length / longest : length < 0 ? -1 : 1;
  return fmt::format("const motion = {{dimension: {}, speed: {}, trail: {},\nt: [{}],\npoints: [{}],\nlinks: [{}]}};\n",
                     dimension, number(speed), std::max<std::size_t>(1, pictures / 12), times, places, links);
}

/// JSON inside a page: no < is left that could end the script around it.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  return text;
}

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return filled(web_text("page.html"), {{"title", escaped(title)}, {"style", web_text("page.css")}, {"body", body}});
}

std::string page_note() {
  return web_bundle("page.js").empty()
             ? "this program was built without Node.js, so that the page shows points and rods only and no mechanism"
             : "";
}

std::string page_of(const Trajectory& trajectory, const std::string& title, const std::string& words,
                    const std::string& path) {
  return page_of({{&trajectory, title}}, title, words, path);
}

std::string page_of(const std::vector<PageRun>& runs, const std::string& title, const std::string& words,
                    const std::string& path) {
  const Trajectory& first = *runs.at(0).trajectory;
  if (web_bundle("page.js").empty()) return simple_page_of(first, title, words);
  const SceneText scene = scene_text(first, std::make_shared<const Source>(Source{path, first.run.model_text}));
  std::string data = "{\"scene\":" + scene.json + ",\"note\":" + json_string(scene.note) + ",\"runs\":[";
  for (const PageRun& run : runs) data += (&run == runs.data() ? "" : ",") + run_json(*run.trajectory, run.name);
  data += "],\"others\":[";
  // Where others move another mechanism (a parameter that is a length), it is theirs that is drawn beside the first.
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Trajectory& other = *runs[i].trajectory;
    data +=
        (i > 1 ? "," : "") + scene_text(other, std::make_shared<const Source>(Source{path, other.run.model_text})).json;
  }
  data += "]}";
  const std::string report =
      words.empty() ? "" : "<details open><summary>Report</summary><pre>" + escaped(words) + "</pre></details>\n";
  return html_page(title,
                   "<h1>" + escaped(title) + "</h1>\n" +
                       filled(web_text("space.html"), {{"style", web_bundle("page.css")},
                                                       {"words", report},
                                                       {"licences", escaped(std::string(web_bundle("licences.txt")))},
                                                       {"data", inside_script(data)},
                                                       {"script", web_bundle("page.js")}}));
}

std::string simple_page_of(const Trajectory& trajectory, const std::string& title, const std::string& words) {
  std::string body = "<h1>" + escaped(title) + "</h1>\n";
  const std::vector<MovingPoint> points = points_of(trajectory);
  if (!points.empty() && trajectory.rows() > 1)
    body +=
        filled(web_text("motion.html"), {{"motion", motion(trajectory, points)}, {"script", web_text("motion.js")}});
  body += to_svg(figure_of(trajectory));
  if (!words.empty()) body += "<pre>" + escaped(words) + "</pre>\n";
  return html_page(title, body);
}

}  // namespace alembert::internal
