#include <algorithm>

#include "alembert/model/bodies/expand.h"
#include "alembert/model/bodies/families.h"

namespace alembert::internal {

namespace {

const char* const keywords[] = {"body", "gravity", "joint", "drive", "load", "spring", "torsion", "draw"};

/// The word that says how far a body is rotated at the start; `turned` is the older one.
const char* rotation_word(const Statement& s) {
  return std::any_of(s.items.begin(), s.items.end(), [](const Item& item) { return item.target.text == "turned"; })
             ? "turned"
             : "rotated";
}

/// What stands for the name of an element in a text that is read for many of them. Nobody can write it.
const std::string any_element = "E_Qe_.";

/// Everything in an expanded statement stands where the user wrote the element; his own terms keep their places.
void settle(Term& term, const Term& element, const std::map<std::string, Term>& values) {
  if (term.form == Term::Form::name || term.form == Term::Form::call) {
    term.text = with_plain_indices(term.text);
    if (term.text.starts_with(any_element)) term.text.replace(0, any_element.size() - 1, element.text);
  }
  if (term.form == Term::Form::name) {
    const auto found = values.find(term.text);
    if (found != values.end()) {
      term = found->second;
      return;
    }
  }
  term.place = element.place;
  for (Term& part : term.parts) settle(part, element, values);
}

std::string replaced(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
  return text;
}

/// Whether the user gives an initial value of this coordinate himself.
bool given(const Text& text, const std::string& name, bool velocity) {
  for (const Statement& s : text.statements) {
    if (s.keyword != "initial") continue;
    for (const Item& item : s.items) {
      const Term* root = &item.target;
      bool primed = false;
      while (root->form == Term::Form::index || root->form == Term::Form::prime) {
        primed |= root->form == Term::Form::prime;
        root = &root->parts[0];
      }
      if (root->text == name && primed == velocity) return true;
    }
  }
  return false;
}

// $ stands for the name of the body. The quadratic forms of R(e) are those of a unit quaternion.
const char quaternion_frame[] = R"(coordinate $.r[3], $.e[4]
let $.x_axis = ($.e[1]^2 + $.e[2]^2 - $.e[3]^2 - $.e[4]^2, 2*($.e[2]*$.e[3] + $.e[1]*$.e[4]),
                2*($.e[2]*$.e[4] - $.e[1]*$.e[3]))
let $.y_axis = (2*($.e[2]*$.e[3] - $.e[1]*$.e[4]), $.e[1]^2 - $.e[2]^2 + $.e[3]^2 - $.e[4]^2,
                2*($.e[3]*$.e[4] + $.e[1]*$.e[2]))
let $.z_axis = (2*($.e[2]*$.e[4] + $.e[1]*$.e[3]), 2*($.e[3]*$.e[4] - $.e[1]*$.e[2]),
                $.e[1]^2 - $.e[2]^2 - $.e[3]^2 + $.e[4]^2)
let $.spin = (2*($.e[1]*$.e[2]' - $.e[2]*$.e[1]' - $.e[3]*$.e[4]' + $.e[4]*$.e[3]'),
              2*($.e[1]*$.e[3]' - $.e[3]*$.e[1]' - $.e[4]*$.e[2]' + $.e[2]*$.e[4]'),
              2*($.e[1]*$.e[4]' - $.e[4]*$.e[1]' - $.e[2]*$.e[3]' + $.e[3]*$.e[2]'))
let $.turning = ((-$.e[2]/2, -$.e[3]/2, -$.e[4]/2), ($.e[1]/2, $.e[4]/2, -$.e[3]/2), (-$.e[4]/2, $.e[1]/2, $.e[2]/2),
                 ($.e[3]/2, -$.e[2]/2, $.e[1]/2))
constraint $.unit: norm2($.e) = 1
)";

const char spatial_lets[] = R"(let $.direction(a, b, c) = a*$.x_axis + b*$.y_axis + c*$.z_axis
let $.point(a, b, c) = $.r + $.direction(a, b, c)
let $.omega = $.direction($.spin[1], $.spin[2], $.spin[3])
)";

const char planar_frame[] = R"(coordinate $.r[2], $.phi
let $.direction(a, b) = (a*cos($.phi) - b*sin($.phi), a*sin($.phi) + b*cos($.phi))
let $.point(a, b) = $.r + $.direction(a, b)
let $.spin = $.phi'
let $.omega = $.phi'
)";

/// Rotation of v by the angle s about the axis x, y or z; backwards where asked for.
std::string rotation(char axis, const std::string& angle, bool back) {
  const std::string c = "cos(" + angle + ")", s = "sin(" + angle + ")";
  const auto first = [&](const std::string& a, const std::string& b) {
    return c + "*" + a + (back ? "+" : "-") + s + "*" + b;
  };
  const auto second = [&](const std::string& a, const std::string& b) {
    return (back ? "-" : "") + s + "*" + a + "+" + c + "*" + b;
  };
  if (axis == 'x') return "(v[1], " + first("v[2]", "v[3]") + ", " + second("v[2]", "v[3]") + ")";
  if (axis == 'y') return "(" + second("v[3]", "v[1]") + ", v[2], " + first("v[3]", "v[1]") + ")";
  return "(" + first("v[1]", "v[2]") + ", " + second("v[1]", "v[2]") + ", v[3])";
}

std::string unit_vector(char axis) { return axis == 'x' ? "(1, 0, 0)" : axis == 'y' ? "(0, 1, 0)" : "(0, 0, 1)"; }

/// R = R_1(a1) R_2(a2) R_3(a3); the columns c_i of spin = sum c_i a_i', and what inverts them.
std::string euler_frame(const std::string& order) {
  std::string text = "coordinate $.r[3], $.angles[3]\n";
  for (int k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k + 1), angle = "$.angles[" + number + "]";
    text += "let $.turn" + number + "(v) = " + rotation(order[k], angle, false) + "\n";
    text += "let $.back" + number + "(v) = " + rotation(order[k], angle, true) + "\n";
  }
  for (const char axis : {'x', 'y', 'z'})
    text += std::string("let $.") + axis + "_axis = $.turn1($.turn2($.turn3(" + unit_vector(axis) + ")))\n";
  text += "let $.c1 = $.back3($.back2(" + unit_vector(order[0]) + "))\n";
  text += "let $.c2 = $.back3(" + unit_vector(order[1]) + ")\nlet $.c3 = " + unit_vector(order[2]) + "\n";
  text += "let $.spin = $.c1*$.angles[1]' + $.c2*$.angles[2]' + $.c3*$.angles[3]'\n";
  text += "let $.volume = dot($.c1, cross($.c2, $.c3))\n";
  text +=
      "let $.dual1 = cross($.c2, $.c3)/$.volume, $.dual2 = cross($.c3, $.c1)/$.volume, "
      "$.dual3 = cross($.c1, $.c2)/$.volume\n";
  std::string rows;
  for (const char k : {'1', '2', '3'}) {
    const std::string d = std::string("$.dual") + k;
    rows += (rows.empty() ? "" : ", ") + ("$.direction(" + d + "[1], " + d + "[2], " + d + "[3])");
  }
  return text + "let $.turning = (" + rows + ")\n";
}

}  // namespace

bool is_element(const std::string& keyword) {
  return std::find(std::begin(keywords), std::end(keywords), keyword) != std::end(keywords);
}

bool is_element(const Statement& s) {
  const bool loaded =
      std::any_of(s.items.begin(), s.items.end(), [](const Item& item) { return item.target.text == "load"; });
  return is_element(s.keyword) || (s.keyword == "contact" && !s.left && !loaded);
}

bool has_elements(const Text& text) {
  return std::any_of(text.statements.begin(), text.statements.end(), [](const Statement& s) { return is_element(s); });
}

Expansion expand_elements(const Text& text, std::vector<Diagnostic>& errors) { return Expander(text, errors).run(); }

Expansion Expander::run() {
  result_.text.source = text_.source;
  result_.text.comments = text_.comments;
  // Bodies first, then joints, then what refers to joints: elements may stand in any order.
  for (const Statement& s : text_.statements)
    if (s.keyword == "gravity") {
      if (gravity_) error(s.place, "'gravity' is given twice", "first in line " + std::to_string(gravity_->place.line));
      else gravity_ = &s;
    }
  for (const Statement& s : text_.statements) {
    if (!is_element(s)) result_.text.statements.push_back(s);
    else if (s.keyword == "body" && s.label && !names_twice(s)) body(s);
  }
  for (Statement& s : result_.text.statements) {
    if (s.keyword == "when") assign_turning(s);
    if (s.keyword != "initial") continue;
    // Behind the positions, which they are made of.
    Statement given = s, behind = s;
    assign_turning(given);
    behind.items.clear();
    for (std::size_t i = s.items.size(); i-- > 0;) {
      if (given.items[i].target == s.items[i].target) continue;
      behind.items.push_back(given.items[i]);
      s.items.erase(s.items.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (!behind.items.empty()) at_end_.push_back(std::move(behind));
  }
  if (gravity_) gravity(*gravity_);
  if (gravity_ && gravity_->left) {
    result_.gravity = &*gravity_->left;
    result_.gravity_place = gravity_->place;
  }
  for (const Statement& s : text_.statements)
    if (s.keyword == "joint" && s.label && !names_twice(s)) joint(s);
  for (const Statement& s : text_.statements) {
    if (s.keyword == "draw" && s.label) result_.draws.push_back(&s);
    const bool other = s.label && is_element(s) && s.keyword != "joint" && s.keyword != "body" && s.keyword != "draw";
    if (!other || names_twice(s)) continue;
    result_.others.push_back(&s);
    if (s.keyword == "drive") drive(s);
    if (s.keyword == "load") load(s);
    if (s.keyword == "spring") spring(s);
    if (s.keyword == "torsion") torsion(s);
    if (s.keyword == "contact") contact(s);
  }
  for (Statement& s : at_end_) result_.text.statements.push_back(std::move(s));
  return std::move(result_);
}

void Expander::error(const Place& place, std::string message, std::string hint) {
  errors_.push_back({text_.source, place, std::move(message), std::move(hint)});
}

std::string known_hint(const std::string& name, const std::vector<std::string>& known, const char* kind) {
  constexpr std::size_t most = 8;  // names in a hint
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (known.empty()) return std::string("there are no ") + kind;
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < most; ++i) list += (i == 0 ? "" : ", ") + known[i];
  return std::string("the ") + kind + " are " + list + (known.size() > most ? ", ..." : "");
}

bool Expander::names_twice(const Statement& s) {
  const auto [first, fresh] = names_.emplace(s.label->text, s.label->place);
  if (!fresh)
    error(s.label->place, "'" + s.label->text + "' names two elements",
          "the first is in line " + std::to_string(first->second.line));
  return !fresh;
}

void Expander::write(const Statement& from, const std::string& lines, const Terms& values, bool last) {
  const Term& element = *from.label;
  for (Statement& s : read(lines)) {
    s.place = from.place;
    const bool sized = s.keyword == "kinetic" || s.keyword == "potential" || s.keyword == "rayleigh";
    if (sized || s.keyword == "constraint") s.string = made_by_element;
    if (s.label) settle(*s.label, element, values);
    for (Item& item : s.items) {
      settle(item.target, element, values);
      if (item.value) settle(*item.value, element, values);
    }
    if (s.left) settle(*s.left, element, values);
    if (s.right) settle(*s.right, element, values);
    (last ? at_end_ : result_.text.statements).push_back(std::move(s));
  }
}

/// Most texts are the same for all elements of a kind, and read once; what names an element of a family is not.
std::vector<Statement> Expander::read(const std::string& lines) {
  const auto known = read_.find(lines);
  if (known != read_.end()) return known->second;
  const std::string named = with_coded_indices(replaced(lines, "$.", any_element));
  std::vector<Statement> statements = parse(std::make_shared<const Source>(Source{"expansion", named})).statements;
  if (lines.find("].") == std::string::npos) read_.emplace(lines, statements);
  return statements;
}

void Expander::acts(const Statement& from, const std::string& force, const std::string& velocity) {
  Statement s;
  s.keyword = acting_statement;
  s.place = from.place;
  const auto term = [&](const std::string& text) {
    const std::string named = with_coded_indices(replaced(text, "$.", any_element));
    Term made = parse_term(std::make_shared<const Source>(Source{"expansion", named}));
    settle(made, *from.label, {});
    return made;
  };
  s.left = term(force);
  s.right = term(velocity);
  result_.text.statements.push_back(std::move(s));
}

bool Expander::once(const Statement& s, const std::vector<std::string>& repeated) {
  bool sound = true;
  for (std::size_t i = 0; i < s.items.size(); ++i) {
    const std::string& word = s.items[i].target.text;
    const bool placed = word == placed_at || word == placed_angle || word == placed_axis;
    if (placed || std::find(repeated.begin(), repeated.end(), word) != repeated.end()) continue;
    for (std::size_t k = 0; k < i; ++k)
      if (s.items[k].target.text == word) {
        error(s.items[i].target.place, "'" + word + "' is given twice");
        sound = false;
        break;
      }
  }
  return sound;
}

bool Expander::refused(const std::string& name) const {
  const auto body = [&](const Statement& s) { return s.keyword == "body" && s.label && s.label->text == name; };
  return !find(name) && std::any_of(text_.statements.begin(), text_.statements.end(), body);
}

const ExpandedBody* Expander::find(const std::string& name) const {
  for (const ExpandedBody& b : result_.bodies)
    if (b.name == name) return &b;
  return nullptr;
}

// Bodies
// ---------------------------------------------------------------------------------------------------------------

void Expander::body(const Statement& s) {
  if (!once(s, {})) return;
  ExpandedBody b;
  b.name = s.label->text;
  b.statement = &s;
  if (b.name == "ground" || b.name == "t" || b.name == "pi") {
    error(s.label->place, "a body cannot be called '" + b.name + "'");
    return;
  }
  const Term* order = value(s, "euler");
  if (order && has(s, "planar")) {
    error(order->place, "a planar body has one angle: 'euler' does not go with 'planar'");
    return;
  }
  if (order) b.turning = ExpandedBody::Turning::euler;
  if (has(s, "planar")) b.turning = ExpandedBody::Turning::planar;
  const bool planar = b.planar();
  for (const char* word : {"mass", "inertia"})
    if (!value(s, word)) {
      std::string hint = "as in: body arm mass 1 inertia (1, 1, 1/2)";
      if (planar) hint = "as in: body disk planar mass 1 inertia 1/2";
      if (word == std::string("inertia"))
        hint += "; a point mass does not turn and is written with coordinates: coordinate " + b.name +
                (planar ? "[2]" : "[3]") + ", kinetic m/2*norm2(" + b.name + "')";
      error(s.label->place, "the body '" + b.name + "' has no " + word, hint);
      return;
    }
  const auto belongs = [&](const char* word, bool allowed, const char* hint) {
    for (const Item& item : s.items)
      if (item.target.text == word && !allowed)
        error(item.target.place, std::string("'") + word + "' does not go with this kind of body", hint);
  };
  const bool quaternion = b.turning == ExpandedBody::Turning::quaternion;
  const char* const rotated = rotation_word(s);
  belongs(rotated, quaternion, planar ? "say: angle EXPR" : "say: angles (a, b, c)");
  belongs("about", quaternion, planar ? "say: angle EXPR" : "say: angles (a, b, c)");
  belongs("angles", b.turning == ExpandedBody::Turning::euler,
          planar ? "say: angle EXPR" : "say: rotated EXPR about AXIS");
  belongs("angle", planar, quaternion ? "say: rotated EXPR about AXIS" : "say: angles (a, b, c)");
  if (has(s, rotated) != has(s, "about"))
    error(s.label->place, "'rotated' needs an axis, 'about' an angle", "as in: rotated pi/2 about (0, 0, 1)");
  if (has(s, "rotated") && has(s, "turned"))
    error(value(s, "turned")->place, "'rotated' and 'turned' are the same", "give one of them");
  if (has(s, "spin") && has(s, "omega"))
    error(value(s, "omega")->place, "'spin' and 'omega' are the same angular velocity in two frames",
          "give one of them");
  result_.bodies.push_back(b);
  body_frame(s, b);
  body_start(s, b);
}

void Expander::body_frame(const Statement& s, const ExpandedBody& b) {
  Terms values{{"N_m", *value(s, "mass")}};
  if (b.turning == ExpandedBody::Turning::euler) {
    const Term& order = *value(s, "euler");
    const std::string text = order.form == Term::Form::name ? order.text : "";
    const bool sound = text.size() == 3 && text.find_first_not_of("xyz") == std::string::npos && text[0] != text[1] &&
                       text[1] != text[2];
    if (!sound) {
      error(order.place, "this is no order of Euler angles",
            "three of x, y, z, no two alike next to each other: zxz, zyx, xyz");
      return;
    }
    write(s, euler_frame(text));
  } else {
    write(s, b.planar() ? planar_frame : quaternion_frame);
  }
  if (!b.planar()) write(s, spatial_lets);
  const Term& inertia = *value(s, "inertia");
  if (b.planar()) {
    values["N_I"] = inertia;
    write(s, "let $.mass = N_m, $.inertia = N_I\nkinetic $.mass/2*norm2($.r') + $.inertia/2*$.phi'^2", values);
    return;
  }
  values["N_I"] = Term{Term::Form::call, inertia.place, whole_tensor, {inertia}};
  write(s,
        "let $.mass = N_m, $.inertia = N_I, $.momentum = $.inertia*$.spin\n"
        "kinetic $.mass/2*norm2($.r') + dot($.spin, $.momentum)/2",
        values);
  // Zero where the quaternion keeps its length, and the reason why the mass matrix is regular: with the mean moment.
  if (b.turning == ExpandedBody::Turning::quaternion)
    write(s, "kinetic 2*(($.inertia[1][1] + $.inertia[2][2] + $.inertia[3][3])/3)*dot($.e, $.e')^2");
}

/// The quaternions of the assemblies around a body, the outermost first, times its own.
void Expander::placed_orientation(const Statement& s) {
  const Term* angle = value(s, rotation_word(s));
  const bool turned = angle && value(s, "about");
  if (turned)
    write(s, "let $.own_axis = N_b/norm(N_b)\nlet $.own0 = (cos(N_w/2), sin(N_w/2)*$.own_axis)",
          {{"N_w", *angle}, {"N_b", *value(s, "about")}});
  else write(s, "let $.own0 = (1, 0, 0, 0)");
  int count = 0;
  for (std::size_t i = s.items.size(); i-- > 0;) {
    if (s.items[i].target.text != placed_angle) continue;
    const std::string n = std::to_string(++count), before = "$.own" + std::to_string(count - 1);
    write(s,
          "let $.placed_axis" + n + " = N_a/norm(N_a), $.a" + n + " = cos(N_v/2), $.b" + n +
              " = sin(N_v/2)*$.placed_axis" + n +
              "\n"
              "let $.rest" +
              n + " = (" + before + "[2], " + before + "[3], " + before +
              "[4])\n"
              "let $.own" +
              n + " = ($.a" + n + "*" + before + "[1] - dot($.b" + n + ", $.rest" + n + "), $.a" + n + "*$.rest" + n +
              " + " + before + "[1]*$.b" + n + " + cross($.b" + n + ", $.rest" + n + "))",
          {{"N_v", *s.items[i].value}, {"N_a", *s.items[i + 1].value}});
  }
  write(s, "initial $.e = $.own" + std::to_string(count));
}

void Expander::body_start(const Statement& s, const ExpandedBody& b) {
  if (const Term* at = value(s, "at")) write(s, "initial $.r = N_v", {{"N_v", *at}});
  if (const Term* velocity = value(s, "velocity")) write(s, "initial $.r' = N_v", {{"N_v", *velocity}});
  const Term* spin = value(s, "spin");
  const Term* omega = value(s, "omega");
  const Term* turn = spin ? spin : omega;
  if (b.planar()) {
    if (const Term* angle = value(s, "angle")) write(s, "initial $.phi = N_v", {{"N_v", *angle}});
    if (turn) write(s, "initial $.phi' = N_v", {{"N_v", *turn}});
    return;
  }
  if (turn) write(s, "let $.start_spin = N_v", {{"N_v", *turn}});
  if (b.turning == ExpandedBody::Turning::euler) {
    if (const Term* angles = value(s, "angles")) write(s, "initial $.angles = N_v", {{"N_v", *angles}});
    else if (!given(text_, b.name + ".angles", false)) write(s, "initial $.angles = (0, 0, 0)");
    if (spin)
      write(s,
            "initial $.angles' = (dot($.dual1, $.start_spin), dot($.dual2, $.start_spin), dot($.dual3, $.start_spin))",
            {}, true);
    if (omega)
      write(s,
            "initial $.angles' = (dot($.turning[1], $.start_spin), dot($.turning[2], $.start_spin), "
            "dot($.turning[3], $.start_spin))",
            {}, true);
    return;
  }
  if (has(s, placed_angle)) {
    placed_orientation(s);
  } else if (const Term* angle = value(s, rotation_word(s)); angle && value(s, "about")) {
    write(s,
          "let $.start_axis = N_a/norm(N_a)\ninitial $.e = (cos(N_v/2), sin(N_v/2)*$.start_axis[1], "
          "sin(N_v/2)*$.start_axis[2], sin(N_v/2)*$.start_axis[3])",
          {{"N_v", *angle}, {"N_a", *value(s, "about")}});
  } else if (!given(text_, b.name + ".e", false)) {
    write(s, "initial $.e = (1, 0, 0, 0)");
  }
  // e' = e (0, spin)/2 = (0, omega) e/2
  const std::string sign = spin ? "+" : "-";
  if (turn)
    write(s,
          "initial $.e' = (-($.e[2]*$.start_spin[1] + $.e[3]*$.start_spin[2] + $.e[4]*$.start_spin[3])/2,"
          "($.e[1]*$.start_spin[1] " +
              sign +
              " ($.e[3]*$.start_spin[3] - $.e[4]*$.start_spin[2]))/2,"
              "($.e[1]*$.start_spin[2] " +
              sign +
              " ($.e[4]*$.start_spin[1] - $.e[2]*$.start_spin[3]))/2,"
              "($.e[1]*$.start_spin[3] " +
              sign + " ($.e[2]*$.start_spin[2] - $.e[3]*$.start_spin[1]))/2)",
          {}, true);
}

void Expander::gravity(const Statement& s) {
  if (!s.left) return;
  if (result_.bodies.empty()) {
    for (const Statement& other : text_.statements)
      if (other.keyword == "body") return;  // it was refused, and that was said
    error(s.place, "'gravity' acts on bodies, and there is no 'body'", "write a 'potential'");
    return;
  }
  for (const ExpandedBody& b : result_.bodies) {
    Statement at = s;  // the place of gravity, the name of the body
    at.label = b.statement->label;
    at.label->place = s.place;
    write(at, "potential -$.mass*dot(N_g, $.r)", {{"N_g", *s.left}});
  }
}

}  // namespace alembert::internal
