#pragma once

// A sheet on which things of space are drawn as they are seen from one side, far ones first, as SVG.

#include <string>
#include <vector>

#include "alembert/plot/spot.h"

namespace alembert::internal {

class Paper {
 public:
  /// In the plane it is seen from above; in space from the front, a little from the right and from above.
  Paper(bool spatial, const Spot& up);

  struct Look {
    std::string fill = "none", stroke = "none";
    double width = 1;  // of the stroke, in pixels
    double opacity = 1;
  };
  enum class Sign { dot, support, hanging };  // of a fixed size on the sheet

  void line(const std::vector<Spot>& points, const Look& look);
  void polygon(const std::vector<Spot>& corners, const Look& look);
  /// What the shadow of some points covers.
  void hull(const std::vector<Spot>& points, const Look& look);
  void ball(const Spot& centre, double radius, const Look& look);
  void disk(const Spot& centre, const Spot& axis, double radius, const Look& look);
  void zigzag(const Spot& from, const Spot& to, const Look& look);
  void sign(const Spot& at, Sign sign, const Look& look);

  /// The diagonal of what was drawn so far.
  double size() const;
  std::string svg(double width, double height) const;

 private:
  struct Flat {
    double x, y;
  };
  enum class Kind { line, polygon, zigzag, dot, support, hanging };
  struct Item {
    Kind kind;
    std::vector<Flat> points;
    double depth;
    Look look;
  };
  Flat flat(const Spot& p) const;
  void add(Kind kind, const std::vector<Spot>& points, const Look& look);

  Spot right_, above_, towards_;
  std::vector<Item> items_;
  double low_[2], high_[2];
};

}  // namespace alembert::internal
