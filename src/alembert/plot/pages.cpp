// Pages that need nothing else: no network, no files beside them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/plot/figures.h"

namespace alembert::internal {
namespace {

constexpr char style[] = R"(
  :root { color-scheme: light dark; --paper: #fff; --ink: #222; --quiet: #666; --line: #ccc; --soft: #f4f4f2;
    --good: #00724f; --bad: #b02a00; }
  @media screen and (prefers-color-scheme: dark) {
    :root { --paper: #16181c; --ink: #ddd; --quiet: #999; --line: #444; --soft: #1f2227; --good: #4cc9a0;
      --bad: #ff9466; }
  }
  body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2em auto;
    max-width: 72em; padding: 0 1em; }
  h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2.2em; border-top: 1px solid var(--line);
    padding-top: 0.8em; }
  a { color: inherit; }
  svg.plot { max-width: 100%; height: auto; display: block; margin: 1em auto; }
  table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; font-size: 0.92em; }
  th, td { text-align: left; padding: 0.2em 0.9em 0.2em 0; border-bottom: 1px solid var(--line); }
  th { font-weight: 600; }
  pre, code { font: 0.88em/1.4 ui-monospace, monospace; background: var(--soft); }
  pre { padding: 0.7em 1em; overflow-x: auto; } code { padding: 0.1em 0.3em; }
  .quiet { color: var(--quiet); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
  canvas { width: 100%; max-width: 640px; aspect-ratio: 4 / 3; display: block; margin: 1em auto;
    border: 1px solid var(--line); touch-action: none; }
  .controls { display: flex; gap: 1em; align-items: center; max-width: 640px; margin: 0 auto; }
  .controls input { flex: 1; }
  @media print { .controls, canvas { display: none; } h2 { break-before: auto; } svg.plot { break-inside: avoid; } }
)";

// Draws points, rods and short trails on a canvas; in space the view is turned by dragging.
constexpr char script[] = R"(
(function () {
  const canvas = document.getElementById("animation"), pen = canvas.getContext("2d");
  const play = document.getElementById("play"), slider = document.getElementById("time"),
    label = document.getElementById("clock");
  const n = motion.points.length, rows = motion.t.length, spatial = motion.dimension === 3;
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
  let turn = -60 * Math.PI / 180, height = 22 * Math.PI / 180, row = 0, running = true, before = null, t = motion.t[0];
  let reach = 1e-12;
  const middle = [0, 0, 0], low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const p of motion.points) for (const at of p) for (let k = 0; k < motion.dimension; k++) {
    low[k] = Math.min(low[k], at[k]); high[k] = Math.max(high[k], at[k]);
  }
  if (motion.links.some(link => link[1] < 0)) for (let k = 0; k < motion.dimension; k++) {
    low[k] = Math.min(low[k], 0); high[k] = Math.max(high[k], 0);
  }
  for (let k = 0; k < motion.dimension; k++) {
    middle[k] = (low[k] + high[k]) / 2; reach = Math.max(reach, high[k] - low[k]);
  }
  function seen(at) {
    if (!spatial) return [at[0] - middle[0], at[1] - middle[1]];
    const x = at[0] - middle[0], y = at[1] - middle[1], z = at[2] - middle[2];
    const across = -x * Math.sin(turn) + y * Math.cos(turn), depth = x * Math.cos(turn) + y * Math.sin(turn);
    return [across, z * Math.cos(height) - depth * Math.sin(height)];
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio)) {
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    const scale = 0.86 * Math.min(w, h) / (reach * (spatial ? 1.3 : 1));
    const pixel = at => { const s = seen(at); return [w / 2 + scale * s[0], h / 2 - scale * s[1]]; };
    const ink = getComputedStyle(document.body).color;
    const line = (points, colour, width) => {
      pen.strokeStyle = colour; pen.lineWidth = width; pen.beginPath();
      points.forEach((at, i) => { const p = pixel(at); i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]); });
      pen.stroke();
    };
    pen.globalAlpha = 0.45;
    for (let i = 0; i < n && n <= 40; i++)
      line(motion.points[i].slice(Math.max(0, row - motion.trail), row + 1), colours[i % colours.length], 1.2);
    pen.globalAlpha = 1;
    for (const [a, b] of motion.links) line([b < 0 ? [0, 0, 0] : motion.points[b][row], motion.points[a][row]], ink, 2);
    for (let i = 0; i < n; i++) {
      const p = pixel(motion.points[i][row]);
      pen.fillStyle = colours[i % colours.length]; pen.beginPath();
      pen.arc(p[0], p[1], n > 20 ? 3 : 6, 0, 2 * Math.PI); pen.fill();
    }
    slider.value = row; label.textContent = "t = " + motion.t[row].toPrecision(5);
  }
  function frame(now) {
    if (running && before !== null) {
      t += (now - before) / 1000 * motion.speed;
      if (motion.speed * (t - motion.t[rows - 1]) > 0) t = motion.t[0], row = 0;
      while (row + 1 < rows && motion.speed * (motion.t[row + 1] - t) <= 0) row++;
    }
    before = now; draw(); window.requestAnimationFrame(frame);
  }
  slider.max = rows - 1;
  slider.addEventListener("input", () => { row = +slider.value; t = motion.t[row]; running = false; });
  play.addEventListener("click", () => { running = !running; });
  let held = null;
  canvas.addEventListener("pointerdown", e => { held = [e.clientX, e.clientY]; });
  window.addEventListener("pointerup", () => { held = null; });
  window.addEventListener("pointermove", e => {
    if (!held || !spatial) return;
    turn -= (e.clientX - held[0]) / 150; height += (e.clientY - held[1]) / 150; held = [e.clientX, e.clientY];
  });
  window.requestAnimationFrame(frame);
})();
)";

std::string number(double value) { return fmt::format("{:.5g}", std::isfinite(value) ? value : 0.0); }

/// At most so many pictures, evenly spaced in the rows.
std::string motion(const Trajectory& trajectory, const std::vector<MovingPoint>& points) {
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

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  // The icon is empty, so that no browser asks for one.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), style, body);
}

std::string page_of(const Trajectory& trajectory, const std::string& title, const std::string& words) {
  std::string body = "<h1>" + escaped(title) + "</h1>\n";
  const std::vector<MovingPoint> points = points_of(trajectory);
  if (!points.empty() && trajectory.rows() > 1) {
    body += fmt::format(
        "<canvas id=\"animation\"></canvas>\n<div class=\"controls\"><button id=\"play\">play or pause</button>"
        "<input id=\"time\" type=\"range\" min=\"0\" value=\"0\" aria-label=\"time\"><span id=\"clock\"></span></div>\n"
        "<script>\n{}{}</script>\n",
        motion(trajectory, points), script);
  }
  body += to_svg(figure_of(trajectory));
  if (!words.empty()) body += "<pre>" + escaped(words) + "</pre>\n";
  return html_page(title, body);
}

}  // namespace alembert::internal
