#include "alembert/model/drawing.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "alembert/model/elaborate.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {
namespace {

std::string name_behind(const Statement& s, const char* word) {
  const Item* item = find_item(s, word);
  return item && item->value ? item->value->text : "ground";
}

/// What a let of an element is, by its name; empty where there is none.
class Lets {
 public:
  explicit Lets(Scope& scope) : scope_(scope) {}
  Exprs operator()(const std::string& name, const Place& place) const {
    if (!scope_.find(name)) return {};
    const Value value = scope_.evaluate(name_term(name, place));
    return value.bad ? Exprs() : value.entries;
  }

 private:
  Scope& scope_;
};

void draw_bodies(Elaboration& e, const Expansion& expansion, Drawing& drawing) {
  const Lets lets(e.scope);
  for (const ExpandedBody& b : expansion.bodies) {
    const Place& place = b.statement->place;
    DrawnBody body{b.name, lets(b.name + ".r", place), {}, lets(b.name + ".omega", place), {}, {}};
    body.mass = lets(b.name + ".mass", place);
    if (b.planar()) {
      const Expr phi = lets(b.name + ".phi", place).at(0);
      body.axes = {cos(phi), sin(phi), -sin(phi), cos(phi)};
    } else {
      for (const char* axis : {".x_axis", ".y_axis", ".z_axis"})
        for (const Expr entry : lets(b.name + axis, place)) body.axes.push_back(entry);
    }
    body.inertia = lets(b.name + ".inertia", place);
    if (!b.planar()) body.inertia = {body.inertia.at(0), body.inertia.at(4), body.inertia.at(8)};
    drawing.bodies.push_back(std::move(body));
  }
}

void draw_joints(Elaboration& e, const Expansion& expansion, Drawing& drawing) {
  const Lets lets(e.scope);
  for (const ExpandedJoint& j : expansion.joints) {
    const Statement& s = *j.statement;
    DrawnJoint joint;
    joint.name = j.name;
    joint.kind = j.kind;
    joint.body = j.body;
    joint.from = name_behind(s, "from");
    joint.to = name_behind(s, "to");
    const bool rolls = j.kind == "rolling";
    joint.p = lets(j.name + (rolls ? ".contact" : ".p"), j.place);
    joint.q = lets(j.name + (rolls ? ".contact" : ".q"), j.place);
    joint.frame = lets(j.frame, j.place);
    for (const Joint& made : e.model.joints)
      if (made.name == j.name) joint.force = made.force;
    if (rolls) {
      joint.radius = lets(j.name + ".radius", j.place);
      joint.normal = lets(j.name + ".normal", j.place);
      joint.axle = lets(j.name + ".axle", j.place);
    }
    drawing.joints.push_back(std::move(joint));
  }
}

/// What a contact between bodies says of its two sides; the plane is the second.
void contact_sides(const Statement& s, DrawnContact& contact) {
  struct Side {
    std::string body = "ground", shape;
  };
  Side sides[2];
  int at = 0;
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    if (word == "from" || word == "to") {
      at = word == "to" ? 1 : 0;
      sides[at].body = item.value ? item.value->text : "ground";
    }
    for (const char* shape : {"sphere", "box", "disk", "ellipsoid", "plane"})
      if (word == shape) sides[at].shape = word;
  }
  for (int k = 0; k < 2; ++k)
    if (sides[k].shape.empty()) sides[k].shape = sides[k].body == "ground" ? "plane" : "point";
  if (sides[0].shape == "plane") std::swap(sides[0], sides[1]);
  contact.body = sides[0].body;
  contact.shape = sides[0].shape;
  contact.other = sides[1].body;
  contact.other_shape = sides[1].shape;
}

DrawnContact drawn_contact(const Lets& lets, const Statement& s) {
  DrawnContact contact;
  const std::string name = contact.name = s.label->text;
  contact_sides(s, contact);
  contact.centre = lets(name + ".centre", s.place);
  contact.base = lets(name + ".base", s.place);
  contact.normal = lets(name + ".normal", s.place);
  contact.axle = lets(name + ".axle", s.place);
  contact.size = lets(name + ".size", s.place);
  if (contact.size.empty()) contact.size = lets(name + ".radius", s.place);
  contact.other_size = lets(name + ".radius2", s.place);
  for (const char* corner : {"", "1", "2", "3", "4", "5", "6", "7", "8"})
    if (Exprs touch = lets(name + ".touch" + corner, s.place); !touch.empty())
      contact.touch.push_back(std::move(touch));
  return contact;
}

void draw_others(Elaboration& e, const Expansion& expansion, Drawing& drawing) {
  const Lets lets(e.scope);
  for (const Statement* s : expansion.others) {
    const std::string& name = s->label->text;
    if (s->keyword == "spring") {
      drawing.springs.push_back({name, name_behind(*s, "from"), name_behind(*s, "to"), lets(name + ".p", s->place),
                                 lets(name + ".q", s->place), find_item(*s, "stiffness") != nullptr,
                                 find_item(*s, "damping") != nullptr});
    } else if (s->keyword == "load") {
      if (find_item(*s, "force"))
        drawing.loads.push_back(
            {name, name_behind(*s, "on"), lets(name + ".at", s->place), lets(name + ".force", s->place)});
    } else if (s->keyword == "contact") {
      drawing.contacts.push_back(drawn_contact(lets, *s));
    }
  }
}

// Draw statements
// -----------------------------------------------------------------------------------------------------

/// The colours that CSS names, by the alphabet.
const std::string_view colour_names[] = {"aliceblue",
                                         "antiquewhite",
                                         "aqua",
                                         "aquamarine",
                                         "azure",
                                         "beige",
                                         "bisque",
                                         "black",
                                         "blanchedalmond",
                                         "blue",
                                         "blueviolet",
                                         "brown",
                                         "burlywood",
                                         "cadetblue",
                                         "chartreuse",
                                         "chocolate",
                                         "coral",
                                         "cornflowerblue",
                                         "cornsilk",
                                         "crimson",
                                         "cyan",
                                         "darkblue",
                                         "darkcyan",
                                         "darkgoldenrod",
                                         "darkgray",
                                         "darkgreen",
                                         "darkgrey",
                                         "darkkhaki",
                                         "darkmagenta",
                                         "darkolivegreen",
                                         "darkorange",
                                         "darkorchid",
                                         "darkred",
                                         "darksalmon",
                                         "darkseagreen",
                                         "darkslateblue",
                                         "darkslategray",
                                         "darkslategrey",
                                         "darkturquoise",
                                         "darkviolet",
                                         "deeppink",
                                         "deepskyblue",
                                         "dimgray",
                                         "dimgrey",
                                         "dodgerblue",
                                         "firebrick",
                                         "floralwhite",
                                         "forestgreen",
                                         "fuchsia",
                                         "gainsboro",
                                         "ghostwhite",
                                         "gold",
                                         "goldenrod",
                                         "gray",
                                         "green",
                                         "greenyellow",
                                         "grey",
                                         "honeydew",
                                         "hotpink",
                                         "indianred",
                                         "indigo",
                                         "ivory",
                                         "khaki",
                                         "lavender",
                                         "lavenderblush",
                                         "lawngreen",
                                         "lemonchiffon",
                                         "lightblue",
                                         "lightcoral",
                                         "lightcyan",
                                         "lightgoldenrodyellow",
                                         "lightgray",
                                         "lightgreen",
                                         "lightgrey",
                                         "lightpink",
                                         "lightsalmon",
                                         "lightseagreen",
                                         "lightskyblue",
                                         "lightslategray",
                                         "lightslategrey",
                                         "lightsteelblue",
                                         "lightyellow",
                                         "lime",
                                         "limegreen",
                                         "linen",
                                         "magenta",
                                         "maroon",
                                         "mediumaquamarine",
                                         "mediumblue",
                                         "mediumorchid",
                                         "mediumpurple",
                                         "mediumseagreen",
                                         "mediumslateblue",
                                         "mediumspringgreen",
                                         "mediumturquoise",
                                         "mediumvioletred",
                                         "midnightblue",
                                         "mintcream",
                                         "mistyrose",
                                         "moccasin",
                                         "navajowhite",
                                         "navy",
                                         "oldlace",
                                         "olive",
                                         "olivedrab",
                                         "orange",
                                         "orangered",
                                         "orchid",
                                         "palegoldenrod",
                                         "palegreen",
                                         "paleturquoise",
                                         "palevioletred",
                                         "papayawhip",
                                         "peachpuff",
                                         "peru",
                                         "pink",
                                         "plum",
                                         "powderblue",
                                         "purple",
                                         "rebeccapurple",
                                         "red",
                                         "rosybrown",
                                         "royalblue",
                                         "saddlebrown",
                                         "salmon",
                                         "sandybrown",
                                         "seagreen",
                                         "seashell",
                                         "sienna",
                                         "silver",
                                         "skyblue",
                                         "slateblue",
                                         "slategray",
                                         "slategrey",
                                         "snow",
                                         "springgreen",
                                         "steelblue",
                                         "tan",
                                         "teal",
                                         "thistle",
                                         "tomato",
                                         "turquoise",
                                         "violet",
                                         "wheat",
                                         "white",
                                         "whitesmoke",
                                         "yellow",
                                         "yellowgreen"};

/// The words that a kind of shape needs, and those that it may have.
struct ShapeWords {
  const char* kind;
  std::vector<std::string> needed, possible;
  const char* example;
};

const ShapeWords& words_of(const std::string& kind) {
  static const std::vector<ShapeWords> all = {
      {"box", {"size"}, {"at", "rotated", "about"}, "draw box arm size (0.1, 0.1, 1)"},
      {"sphere", {"radius"}, {"at"}, "draw sphere ball radius 0.1"},
      {"cylinder", {"radius", "length"}, {"at", "axis"}, "draw cylinder wheel radius 0.3 length 0.1 axis (0, 1, 0)"},
      {"line", {"from", "to"}, {}, "draw line arm from (0, 0, 0) to (0, 0, 1)"},
      {"spring", {"from", "to"}, {"radius"}, "draw spring ground from (0, 0) to (x, 0)"},
      {"damper", {"from", "to"}, {"radius"}, "draw damper ground from (0, 0) to (x, 0)"},
      {"mesh", {"file"}, {"at", "rotated", "about", "scale"}, "draw mesh arm file \"arm.stl\" scale 0.001"}};
  return *std::find_if(all.begin(), all.end(), [&](const ShapeWords& words) { return kind == words.kind; });
}

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Reports words that do not belong to the kind, are missing, or stand twice.
bool sound_words(Scope& scope, const Statement& s) {
  const ShapeWords& words = words_of(s.string);
  const std::size_t before = scope.errors.size();
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    if (&item != find_item(s, word)) scope.error(item.target.place, "'" + word + "' is given twice");
    else if (!holds(words.needed, word) && !holds(words.possible, word) && word != "colour" && word != "label")
      scope.error(item.target.place, "a " + s.string + " has no '" + word + "'",
                  std::string("as in: ") + words.example);
  }
  for (const std::string& word : words.needed)
    if (!find_item(s, word))
      scope.error(s.label->place, "the " + s.string + " of '" + print(*s.label) + "' has no " + word,
                  std::string("as in: ") + words.example);
  if (find_item(s, "about") && !find_item(s, "rotated") && holds(words.possible, "about"))
    scope.error(s.label->place, "'about' needs an angle", "as in: rotated pi/2 about (0, 0, 1)");
  return scope.errors.size() == before;
}

/// The value of a word: a number, or a vector of as many entries as the frame has (0: of two or three).
Exprs value_of(Scope& scope, const Statement& s, const char* word, bool vector, int dimension) {
  const Item* item = find_item(s, word);
  if (!item || !item->value) return {};
  const Value value = scope.evaluate(*item->value);
  if (value.bad) return {};
  const std::size_t n = value.entries.size();
  const bool fits = !vector ? value.shape.empty()
                            : value.shape.size() == 1 &&
                                  (dimension == 0 ? n == 2 || n == 3 : n == static_cast<std::size_t>(dimension));
  if (fits) return value.entries;
  scope.error(item->value->place, std::string("'") + word + "' is " + shape_text(value.shape) + ", not " +
                                      (!vector          ? "a number"
                                       : dimension == 0 ? "a vector of 2 or 3"
                                                        : "a vector of " + std::to_string(dimension)));
  return {};
}

/// #rgb, #rrggbb, or a name of CSS.
bool is_colour(const std::string& text) {
  if (text.starts_with('#'))
    return (text.size() == 4 || text.size() == 7) &&
           text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  return std::binary_search(std::begin(colour_names), std::end(colour_names), text);
}

/// Sizes that are numbers are above 0, and a colour is one.
void check_look(Scope& scope, const Statement& s) {
  for (const char* word : {"size", "radius", "length", "scale"}) {
    const Item* item = find_item(s, word);
    const Value value = item && item->value ? scope.evaluate(*item->value) : Value::failed();
    for (const Expr entry : value.entries) {
      std::string missing;
      const bool fixed = (scope.contents(entry) & ~unsigned(holds_parameter)) == 0;
      const std::optional<Quad> number = fixed ? scope.number(entry, missing, Use::check) : std::nullopt;
      if (!number || *number > 0) continue;
      scope.error(item->value->place, std::string("'") + word + "' of what is drawn must be above 0, not " +
                                          to_text(static_cast<double>(*number)));
      break;
    }
  }
  const Item* colour = find_item(s, "colour");
  if (!colour || is_colour(colour->unit)) return;
  const std::vector<std::string> names(std::begin(colour_names), std::end(colour_names));
  const std::string near = nearest_name(colour->unit, names);
  scope.error(colour->target.place, "there is no colour '" + colour->unit + "'",
              near.empty() ? "a name such as \"steelblue\", or \"#4682b4\"" : "did you mean '" + near + "'?");
}

void draw_shape(Elaboration& e, const Expansion& expansion, const Statement& s, Drawing& drawing) {
  Scope& scope = e.scope;
  DrawnShape shape;
  shape.kind = s.string;
  shape.body = s.label->text;
  shape.place = s.place;
  int dimension = 0;
  if (shape.body != "ground") {
    const auto body = std::find_if(expansion.bodies.begin(), expansion.bodies.end(),
                                   [&](const ExpandedBody& b) { return b.name == shape.body; });
    if (body == expansion.bodies.end()) {
      std::vector<std::string> names = {"ground"};
      for (const ExpandedBody& b : expansion.bodies) names.push_back(b.name);
      const std::string near = nearest_name(print(*s.label), names);
      scope.error(s.label->place, "there is no body '" + print(*s.label) + "' to draw",
                  near.empty() ? "'ground' stands for the world" : "did you mean '" + near + "'?");
      return;
    }
    dimension = body->planar() ? 2 : 3;
  }
  if (!sound_words(scope, s)) return;
  check_look(scope, s);
  for (const auto& [word, to] :
       {std::pair{"at", &shape.at}, {"size", &shape.size}, {"from", &shape.from}, {"to", &shape.to}})
    *to = value_of(scope, s, word, true, dimension);
  for (const auto& [word, to] : {std::pair{"axis", &shape.axis}, {"about", &shape.about}})
    *to = value_of(scope, s, word, true, 3);
  for (const auto& [word, to] : {std::pair{"radius", &shape.radius},
                                 {"length", &shape.length},
                                 {"rotated", &shape.rotated},
                                 {"scale", &shape.scale}})
    *to = value_of(scope, s, word, false, 0);
  for (const auto& [word, to] : {std::pair{"colour", &shape.colour}, {"label", &shape.label}, {"file", &shape.file}})
    if (const Item* item = find_item(s, word)) *to = item->unit;
  const bool planar = dimension == 2 || shape.size.size() == 2 || shape.at.size() == 2;
  if (!shape.rotated.empty() && shape.about.empty() && !planar)
    scope.error(s.label->place, "'rotated' needs an axis", "as in: rotated pi/2 about (0, 0, 1)");
  drawing.shapes.push_back(std::move(shape));
}

}  // namespace

void check_drawing(Elaboration& e, const Expansion& expansion, Drawing& drawing) {
  for (const Statement* s : expansion.draws) draw_shape(e, expansion, *s, drawing);
}

void make_drawing(Elaboration& e, const Expansion& expansion, Drawing& drawing) {
  draw_bodies(e, expansion, drawing);
  draw_joints(e, expansion, drawing);
  draw_others(e, expansion, drawing);
  if (expansion.gravity) {
    const Value value = e.scope.evaluate(*expansion.gravity);
    if (!value.bad) drawing.gravity = value.entries;
  }
}

}  // namespace alembert::internal
