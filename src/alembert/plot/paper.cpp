#include "alembert/plot/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/plot/plot.h"

namespace alembert::internal {

Spot operator+(const Spot& a, const Spot& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Spot operator-(const Spot& a, const Spot& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Spot operator*(double s, const Spot& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Spot& a, const Spot& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Spot cross(const Spot& a, const Spot& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Spot& a) { return std::sqrt(dot(a, a)); }

namespace {

Spot unit(const Spot& a) { return length(a) > 0 ? 1 / length(a) * a : Spot{0, 0, 1}; }

bool finite(const Spot& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

std::string look_text(const Paper::Look& look) {
  return fmt::format(R"( fill="{}" stroke="{}" stroke-width="{:.3g}" opacity="{:.2g}")", escaped(look.fill),
                     escaped(look.stroke), look.width, look.opacity);
}

}  // namespace

Paper::Paper(bool spatial, const Spot& up) : right_{1, 0, 0}, above_{0, 1, 0}, towards_{0, 0, 1} {
  low_[0] = low_[1] = INFINITY;
  high_[0] = high_[1] = -INFINITY;
  if (!spatial) return;
  // The side from which a page begins to show things (web/src/shared/view.ts).
  const Spot front = std::abs(up[1]) > 0.9 ? Spot{0, 0, 1} : unit(Spot{1, 0, 0} - up[0] * up);
  const Spot side = unit(cross(up, front));
  towards_ = unit(0.72 * front + -0.6 * side + 0.38 * up);
  right_ = unit(cross(up, towards_));
  above_ = cross(towards_, right_);
}

Paper::Flat Paper::flat(const Spot& p) const { return {dot(p, right_), dot(p, above_)}; }

void Paper::add(Kind kind, const std::vector<Spot>& points, const Look& look) {
  if (points.empty() || !std::all_of(points.begin(), points.end(), finite)) return;
  Item item{kind, {}, 0, look};
  for (const Spot& p : points) {
    const Flat at = flat(p);
    item.points.push_back(at);
    item.depth += dot(p, towards_) / static_cast<double>(points.size());
    low_[0] = std::min(low_[0], at.x);
    high_[0] = std::max(high_[0], at.x);
    low_[1] = std::min(low_[1], at.y);
    high_[1] = std::max(high_[1], at.y);
  }
  items_.push_back(std::move(item));
}

void Paper::line(const std::vector<Spot>& points, const Look& look) { add(Kind::line, points, look); }
void Paper::polygon(const std::vector<Spot>& corners, const Look& look) { add(Kind::polygon, corners, look); }
void Paper::zigzag(const Spot& from, const Spot& to, const Look& look) { add(Kind::zigzag, {from, to}, look); }

void Paper::sign(const Spot& at, Sign sign, const Look& look) {
  add(sign == Sign::dot ? Kind::dot : sign == Sign::support ? Kind::support : Kind::hanging, {at}, look);
}

void Paper::hull(const std::vector<Spot>& points, const Look& look) {
  // Andrew's monotone chain, over the points as they are seen.
  std::vector<std::pair<Flat, Spot>> sorted;
  for (const Spot& p : points)
    if (finite(p)) sorted.push_back({flat(p), p});
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first.x != b.first.x ? a.first.x < b.first.x : a.first.y < b.first.y;
  });
  const auto turn = [](const Flat& a, const Flat& b, const Flat& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  std::vector<std::pair<Flat, Spot>> chain;
  for (int way = 0; way < 2; ++way) {
    const std::size_t start = chain.size();
    for (const auto& p : sorted) {
      while (chain.size() >= start + 2 && turn(chain[chain.size() - 2].first, chain.back().first, p.first) <= 0)
        chain.pop_back();
      chain.push_back(p);
    }
    if (!chain.empty()) chain.pop_back();
    std::reverse(sorted.begin(), sorted.end());
  }
  std::vector<Spot> corners;
  for (const auto& p : chain) corners.push_back(p.second);
  polygon(corners, look);
}

void Paper::ball(const Spot& centre, double radius, const Look& look) {
  std::vector<Spot> rim;
  for (int k = 0; k < 32; ++k)
    rim.push_back(centre + radius * std::cos(k * M_PI / 16) * right_ + radius * std::sin(k * M_PI / 16) * above_);
  polygon(rim, look);
}

void Paper::disk(const Spot& centre, const Spot& axis, double radius, const Look& look) {
  const Spot n = unit(axis);
  const Spot u = unit(std::abs(n[2]) < 0.9 ? cross(n, {0, 0, 1}) : cross(n, {1, 0, 0})), v = cross(n, u);
  std::vector<Spot> rim;
  for (int k = 0; k < 32; ++k)
    rim.push_back(centre + radius * std::cos(k * M_PI / 16) * u + radius * std::sin(k * M_PI / 16) * v);
  polygon(rim, look);
}

double Paper::size() const { return items_.empty() ? 0 : std::hypot(high_[0] - low_[0], high_[1] - low_[1]); }

std::string Paper::svg(double width, double height) const {
  constexpr double margin = 16;  // pixels, for lines and marks that lie on the border
  const double scale = std::min((width - 2 * margin) / std::max(high_[0] - low_[0], 1e-300),
                                (height - 2 * margin) / std::max(high_[1] - low_[1], 1e-300));
  const double fit = std::isfinite(scale) && size() > 0 ? scale : 1;
  const double cx = (low_[0] + high_[0]) / 2, cy = (low_[1] + high_[1]) / 2;
  const auto place = [&](const Flat& p) { return Flat{width / 2 + fit * (p.x - cx), height / 2 - fit * (p.y - cy)}; };
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
      R"(stroke-linecap="round" stroke-linejoin="round"><rect width="{0}" height="{1}" rx="5" fill="#f4f6f9"/>)",
      width, height);
  std::vector<const Item*> order;
  for (const Item& item : items_) order.push_back(&item);
  // What lies as deep to a tenth of a pixel (rings about one point) is drawn as it came: rounding is not to decide.
  const auto layer = [&](const Item* item) { return std::round(10 * fit * item->depth); };
  std::stable_sort(order.begin(), order.end(), [&](const Item* a, const Item* b) { return layer(a) < layer(b); });
  for (const Item* item : order) {
    std::vector<Flat> points;
    for (const Flat& p : item->points) points.push_back(place(p));
    const Flat at = points[0];
    if (item->kind == Kind::dot) {
      text += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.3g}"{}/>)", at.x, at.y, item->look.width,
                          look_text({item->look.fill, item->look.stroke, 1, item->look.opacity}));
      continue;
    }
    std::string path;
    if (item->kind == Kind::support || item->kind == Kind::hanging) {
      const double s = item->kind == Kind::support ? 1 : -1;
      path = fmt::format("M{:.1f} {:.1f}l-5 {:.1f}h10zm-8 {:.1f}h16", at.x, at.y, 9 * s, 10 * s);
    } else if (item->kind == Kind::zigzag) {
      const Flat to = points[1];
      const double l = std::max(std::hypot(to.x - at.x, to.y - at.y), 1e-9);
      const Flat along{(to.x - at.x) / l, (to.y - at.y) / l};
      constexpr int teeth = 12;  // of a spring: even, so that it leaves as it came
      path = fmt::format("M{:.1f} {:.1f}", at.x, at.y);
      for (int k = 0; k <= teeth; ++k) {
        const double s = l * (0.12 + 0.76 * k / teeth), aside = k == 0 || k == teeth ? 0 : k % 2 ? 4.5 : -4.5;
        path +=
            fmt::format("L{:.1f} {:.1f}", at.x + s * along.x - aside * along.y, at.y + s * along.y + aside * along.x);
      }
      path += fmt::format("L{:.1f} {:.1f}", to.x, to.y);
    } else {
      for (const Flat& p : points) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", p.x, p.y);
      if (item->kind == Kind::polygon) path += "z";
    }
    text += "<path d=\"" + path + "\"" + look_text(item->look) + "/>";
  }
  return text + "</svg>\n";
}

}  // namespace alembert::internal
