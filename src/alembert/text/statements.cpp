#include "alembert/text/statements.h"
#include "alembert/default_methods.h"

#include <unordered_map>

#include "alembert/text/syntax.h"

namespace alembert::internal {

// long: a table
const std::vector<StatementForm>& statement_forms() {
  static const std::vector<StatementForm> forms = {
      {"model", Shape::text, "the title", R"(model "Double pendulum")"},
      {"source", Shape::text, "where the model and its numbers come from", R"(source "Symank 2025, section 7.3.1")"},
      {"parameter", Shape::declarations, "constants, which a run may replace", "parameter m1 = 3, l[2] = (1, 1/2)"},
      {"family", Shape::ranges, "the values that an index takes in declarations and sums", "family i = 1..N"},
      {"coordinate", Shape::declarations, "the q: scalars, vectors, families of them", "coordinate x, q[3], r[i][3]"},
      {"velocity", Shape::declarations, "the v of the multibody form, with initial values",
       "velocity w[3] = (0, 1, 5)"},
      {"auxiliary", Shape::equation,
       "a variable that the coordinates determine (a contact point), the equation c(q, s) = 0 that does so, and a "
       "value "
       "near which it starts. It follows its branch; what is written s = atan2(y, x) is an angle through any number "
       "of turns",
       "auxiliary s = 1: (x - s) + (y - s^2)*2*s = 0"},
      {"momentum", Shape::owned, "the p of a Hamiltonian model and the coordinate that each belongs to",
       "momentum p1[3] of q1, p2[3] of q2"},
      {"variable", Shape::declarations, "an unknown of the general form, with its initial value",
       "variable y[2] = (10, 10), z[2] = (-3.6, -10.8)"},
      {"multiplier", Shape::declarations, "an unknown that belongs to a constraint, with an initial guess",
       "multiplier psi = 1.7586"},
      {"quantity", Shape::assignments, "a differentiated quantity p(t, y, z) of the general form",
       "quantity p[4] = (1 + y[3]/4)*z"},
      {"let", Shape::assignments, "a name or a function for an expression", "let r = norm(q1 - q2), square(a) = a^2"},
      {"table", Shape::table,
       "a function by its values: from points, or from a column of a CSV file, whose first column is the argument. "
       "Between "
       "them it is linear, the natural cubic spline or the monotone cubic; beyond its ends it holds its last value",
       R"(table road(x) = "road.csv" column 2 spline)"},
      {"kinetic", Shape::expression, "the kinetic energy", "kinetic m/2*(x'^2 + y'^2)"},
      {"potential", Shape::expression, "the potential energy", "potential m*gravity*y"},
      {"lagrangian", Shape::expression, "kinetic minus potential energy in one", "lagrangian m/2*x'^2 - k/2*x^2"},
      {"kinematics", Shape::assignments, "q' = Z(q) v of the multibody form; Z need not be square",
       "kinematics e' = (-dot(b, w), a*w + cross(b, w))/2"},
      {"mass", Shape::assignments, "M(q) of the multibody form: masses of the entries of v, or the product M v",
       "mass w = (A, B, C)"},
      {"hamiltonian", Shape::expression, "the energy as function of coordinates and momenta",
       "hamiltonian norm2(p)/(2*m) + k/2*norm2(q)"},
      {"force", Shape::assignments, "the force that acts on a coordinate, besides the energies", "force x = -c*x'^3"},
      {"rayleigh", Shape::expression, "the dissipation function: its velocity gradient is the braking force",
       "rayleigh c/2*(x'^2 + y'^2)"},
      {"rate", Shape::assignments, "the rate of a variable or quantity; reaction(...) marks what reactions add",
       "rate y' = z, z' = (0, -gravity) + reaction(normal/m)"},
      {"constraint", Shape::equation, "what must hold; nonholonomic when it contains velocities",
       "constraint surface(psi): y[2] = b*y[1]^3"},
      {"contact", Shape::contact,
       "what must not become negative, a gap: while it is closed a force of at least 0 keeps it so, and what comes in "
       "is thrown back with the restitution. Friction acts along one or two slip velocities, with another coefficient "
       "while it sticks where 'static' gives one. Between bodies the program finds gap, normal and slip; 'rolling' and "
       "'drilling' (lengths) resist there too. 'law poisson' takes Poisson's restitution instead of Newton's. With "
       "'load' "
       "there is no gap, but friction in a joint or a constraint, whose normal force stands behind it",
       "contact floor: y >= 0 restitution 0.8 friction 0.3 along x'", "",
       "restitution= friction= static= along= rolling= drilling= law= from= to= point= axis= sphere= box= disk= "
       "ellipsoid= plane load="},
      {"initial", Shape::assignments,
       "values at the start, also of what follows from states (hinge.angle, hinge.rate, any let): these are kept, and "
       "the states moved to them; of states what is not given is 0",
       "initial x1 = l1, q' = (0, 1, 0)"},
      {"pin", Shape::names, "initial values that stay as they are when the others are made consistent", "pin x1, y1'"},
      {"conserve", Shape::watched, "an expression that is watched beside energy and constraints",
       "conserve linear: p1 + p2"},
      {"observe", Shape::watched,
       "a value that is recorded: a column of its own, plotted, and reported with its range and its end; any "
       "expression, "
       "a scalar or a vector, with velocities, multipliers and reactions",
       "observe tip: arm.point(0, 0, 1)"},
      {"event", Shape::event,
       "a moment that is found and recorded: where the two sides become equal; 'rising' where left minus right grows "
       "there, 'falling' where it falls, both where nothing is said",
       "event bottom: x = 0"},
      {"when", Shape::reset,
       "what an event does: states, parameters and what follows from states (hinge.rate, any let) get new values, all "
       "made of those before it. What is assigned is kept exactly, the other states change least in the mass metric so "
       "that the constraints hold",
       "when bottom: x' = -e*x', n = n + 1"},
      {"stop", Shape::condition, "where the run ends, found as an event is; or with the Nth event of a name",
       "stop when norm2(q) = r^2"},
      {"density", Shape::expression, "how closely steps lie, up to a factor, under reversible step-size control",
       "density norm(q)^(-3/2)"},
      {"body", Shape::element,
       "a rigid body, its frame at its centre of mass; it makes NAME.r, NAME.e (a unit quaternion), NAME.point(x, y, "
       "z), "
       "NAME.direction(x, y, z), NAME.spin and NAME.omega (angular velocity in its own and in the world's frame); "
       "with euler NAME.angles instead of NAME.e, with planar NAME.phi",
       "body arm mass m inertia (Ixx, Iyy, Izz) at (0, 0, 1) rotated pi/2 about (1, 0, 0) spin (0, 0, 3)", "",
       "mass= inertia= planar euler= at= rotated= turned= about= angles= angle= velocity= spin= omega="},
      {"gravity", Shape::expression, "the acceleration of gravity on all bodies", "gravity (0, 0, -9.81)"},
      {"joint", Shape::element,
       "what a body may do relative to another or to the ground; points and axes in the frame of the body before them. "
       "It makes NAME.angle and NAME.rate where it turns (angle1, angle2, rate1, rate2 of a universal joint), "
       "NAME.distance and NAME.speed where it slides; zero says at which angle NAME.angle is 0; "
       "limits (a, b) are the contacts NAME.lower and NAME.upper; friction is dry, by the force in the joint, on a pin "
       "of "
       "the given radius or along a guide: the contact NAME.friction",
       "joint revolute elbow from upper point (0, 0, -1) axis (0, 1, 0) to lower point (0, 0, 1)",
       "spherical revolute prismatic cylindrical universal fixed planar distance rolling",
       "from= to= point= axis= length= radius= zero= limits= restitution= friction= static="},
      {"drive", Shape::element,
       "a motor: the angle or the distance of a joint as a function of time, or the torque or the force that acts "
       "there "
       "on the second body, and backwards on the first; angle1, angle2, torque1, torque2 of a universal joint",
       "drive motor joint crank angle 2*pi*t", "",
       "joint= angle= angle1= angle2= distance= torque= torque1= torque2= force="},
      {"load", Shape::element,
       "a force, a torque, or both on a body: the force acts at a point in the frame of the body (its centre of mass "
       "where "
       "none is given); both have components in the world, or in the frame of the body that 'frame' names",
       "load wind on arm point (0, 0, 0.5) force (3*sin(t), 0, 0)", "", "on= point= force= torque= frame="},
      {"spring", Shape::element, "a spring or damper between two points",
       "spring strut from arm point (0, 0, 1) to ground point (1, 0, 0) stiffness k length l0 damping c", "",
       "from= to= point= stiffness= length= damping="},
      {"torsion", Shape::element,
       "a spring or damper in a joint: in its angle, or in its distance where it only slides, or in what is named "
       "(angle, angle1, angle2, distance); angles go on through any number of turns",
       "torsion hinge joint elbow stiffness k rest 0 damping c", "",
       "joint= angle angle1 angle2 distance stiffness= rest= damping="},
      {"draw", Shape::element,
       "what a page shows of a body, or with the name 'ground' in the world, where places may be any expressions of "
       "the coordinates: a box with its size, a sphere with its radius, a cylinder with radius, length and axis, a "
       "line, a spring or a damper from a point to another, a mesh from a file (.stl, .obj) with its scale; 'at' and "
       "'rotated ... about' place it in the frame of the body. A box and a mesh stand for the shape that the page "
       "would find itself",
       "draw box arm size (0.1, 0.1, 1) colour \"steelblue\"", "box sphere cylinder line spring damper mesh",
       "at= rotated= about= size= radius= length= axis= from= to= scale= colour\" label\" file\""},
      {"state", Shape::declarations,
       "the x of a port-Hamiltonian system E x' + r = (J - R) z + (B - P) u, y = (B + P)^T z + "
       "(S - N) u, with initial values",
       "state q = 1, p, lambda"},
      {"flow", Shape::matrix,
       "E, whole or by entries; the identity where nothing is said. A scalar is a multiple of the identity, a vector a "
       "diagonal, or the only row or column",
       "flow E(v, v) = m, E(lambda, lambda) = 0"},
      {"structure", Shape::matrix, "J, skew; an entry brings its partner", "structure J(q, p) = 1"},
      {"dissipation", Shape::matrix, "R, symmetric and positive semidefinite", "dissipation R(p, p) = d"},
      {"port", Shape::matrix, "B, a row for each state and a column for each input", "port B(p, F) = 1"},
      {"coupling", Shape::matrix, "P, the dissipation between states and inputs", "coupling P(p, F) = 1/2"},
      {"feedthrough", Shape::matrix, "S - N, from inputs to outputs: S is its symmetric part, -N its skew part",
       "feedthrough D(F, F) = 1"},
      {"effort", Shape::matrix,
       "z where it is not to be found from grad H = E^T z; of an algebraic state z is the state itself by default",
       "effort v = v"},
      {"drift", Shape::matrix, "r", "drift q = omega*cos(omega*t)"},
      {"input", Shape::declarations, "an input u and its value in t, states and outputs", "input F = sin(t), M = -k*w"},
      {"output", Shape::owned, "a name for the output that belongs to an input; by order where none is named",
       "output w of M"},
      {"component", Shape::component,
       "a port-Hamiltonian model in a file of its own, or an assembly of bodies and joints, which may be placed; with "
       "other "
       "parameters and initial values behind 'with'; its names are NAME.x, in a family NAME[i].x",
       "component motor = \"dc_motor.alm\" with R = 2, i = 0.1"},
      {"connect", Shape::connection,
       "linear equations between inputs and outputs of components; together they conserve power, unless 'lossy' allows "
       "that they take some",
       "connect motor.load = -gear.torque1, gear.speed1 = motor.speed"},
      {"solve", Shape::method, "the method, its step and the end of time",
       "solve " ALEMBERT_DEFAULT_METHOD " step 0.01 end 240"},
  };
  return forms;
}

std::vector<std::string> split_words(std::string_view words) {
  std::vector<std::string> list;
  std::string word;
  for (const char c : std::string(words) + " ") {
    if (c != ' ') word += c;
    else if (!word.empty()) {
      list.push_back(std::move(word));
      word.clear();
    }
  }
  return list;
}

const StatementForm* find_statement(std::string_view keyword) {
  static const auto by_keyword = [] {
    std::unordered_map<std::string_view, const StatementForm*> map;
    for (const StatementForm& form : statement_forms()) map.emplace(form.keyword, &form);
    return map;
  }();
  const auto found = by_keyword.find(keyword);
  return found == by_keyword.end() ? nullptr : found->second;
}

namespace {

/// "mass=" as "mass EXPR", 'colour"' as 'colour "..."'.
std::string with_value(const std::string& word) {
  if (word.back() == '=') return word.substr(0, word.size() - 1) + " EXPR";
  return word.back() == '"' ? word.substr(0, word.size() - 1) + " \"...\"" : word;
}

std::string contact_syntax() {
  const std::string law =
      "[restitution EXPR] [friction EXPR [static EXPR] [along EXPR, ...]] [rolling EXPR] [drilling EXPR] "
      "[law newton|poisson] [for RANGES]";
  return "contact NAME: EXPR >= EXPR " + law +
         " | contact NAME from NAME [sphere EXPR|box EXPR|disk EXPR|ellipsoid EXPR] [point EXPR] [axis EXPR] to NAME "
         "[plane|sphere EXPR] [point EXPR] [axis EXPR] " +
         law + " | contact NAME load EXPR friction EXPR [static EXPR] along EXPR, ... [for RANGES]";
}

}  // namespace

std::string syntax_of(const StatementForm& form) {
  if (form.shape == Shape::contact) return contact_syntax();
  if (form.shape == Shape::element) {
    std::string text(form.keyword);
    for (const std::string& kind : split_words(form.kinds))
      text += (text.size() > form.keyword.size() ? "|" : " ") + kind;
    text += " NAME";
    for (const std::string& word : split_words(form.words)) text += " [" + with_value(word) + "]";
    return text + " [for RANGES]";
  }
  const auto shape = [&]() -> std::string_view {
    switch (form.shape) {
      case Shape::text: return "\"...\"";
      case Shape::names: return "TARGET, ... [for RANGES]";
      case Shape::declarations: return "TARGET [= EXPR] [UNIT], ... [for RANGES]";
      case Shape::owned: return "TARGET [of TARGET] [= EXPR] [UNIT], ... [for RANGES]";
      case Shape::assignments: return "TARGET = EXPR, ... [for RANGES]";
      case Shape::matrix: return "EXPR | TARGET = EXPR, ... [for RANGES]";
      case Shape::expression: return "EXPR";
      case Shape::equation:
        return form.keyword == "auxiliary" ? "TARGET [= EXPR]: EXPR = EXPR"
                                           : "[NAME: | NAME(MULTIPLIER, ...):] EXPR = EXPR [for RANGES]";
      case Shape::watched: return form.keyword == "observe" ? "NAME: EXPR [for RANGES]" : "[NAME:] EXPR [for RANGES]";
      case Shape::event: return "[NAME:] EXPR = EXPR [rising|falling] [for RANGES]";
      case Shape::condition: return "when EXPR = EXPR [rising|falling] [for RANGES] | after EXPR NAME";
      case Shape::reset: return "NAME: | EXPR = EXPR [rising|falling]: TARGET = EXPR, ... [for RANGES]";
      case Shape::ranges: return "RANGES";
      case Shape::method: return "EXPR [step EXPR] [end EXPR]";
      case Shape::element:
      case Shape::contact: return "NAME";
      case Shape::component:
        return "NAME = \"...\" [at EXPR] [rotated EXPR [about EXPR]] [with TARGET = EXPR, ...] [for RANGES]";
      case Shape::connection: return "[lossy] EXPR = EXPR, ... [for RANGES]";
      case Shape::table:
        return "NAME(NAME) = (EXPR, EXPR), ... | \"...\" [column NUMBER|NAME] [linear|spline|monotone]";
    }
    return {};
  };
  return std::string(form.keyword) + " " + std::string(shape());
}

std::string grammar() {
  std::string out =
      "# The model language\n\n"
      "A text is a list of statements, one a line; `#` starts a comment. A line goes on while a bracket is open and\n"
      "after an operator or a comma. Keywords count only at the start of a statement; elsewhere they are names.\n\n"
      "## Statements\n\n";
  for (const StatementForm& form : statement_forms()) {
    out += "- `" + syntax_of(form) + "`: " + std::string(form.description) + ".\n";
    out += "  Example: `" + std::string(form.example) + "`\n";
  }
  out +=
      "\n## Parts of statements\n\n"
      "    TARGET   NAME, then any of '  [EXPR]  (EXPR, ...)      x   x'   q[3]   r[i][3]   q[2]'   f(a, b)\n"
      "             with families of bodies and components a[i].b     rack[1].cell[i].q[2]   link[i].point(0, 0, 1)\n"
      "    RANGES   NAME = EXPR..EXPR, ...                        i = 1..N, j = 1..i-1\n"
      "    NAME     a letter or _, then letters, digits and _; a.b is the b that the body, joint or component a has "
      "made\n"
      "    NUMBER   1   1.5   .5   1e-3\n"
      "    UNIT     \"kg\"   \"m/s^2\"   \"N*m\"; never required, and checked where it is given\n"
      "    \"...\"    text on one line; \\\" and \\\\ stand for \" and \\\n\n"
      "## Expressions, loosest binding first\n\n"
      "    a + b   a - b      from left to right\n"
      "    a*b   a/b          from left to right; a matrix may stand before a vector or a matrix\n"
      "    -a   +a            so -x^2 is -(x^2)\n"
      "    a^b                from right to left; 2^-1 is allowed\n"
      "    a'   a[i]          velocity; component, counted from 1\n"
      "    f(a, b)            function\n"
      "    sum(i, a)   sum(i = 1..N, a)\n"
      "    (a)   (a, b, c)    brackets; vector; scalars and vectors together are joined into one\n"
      "    if(c, a, b)        a where the condition c holds, else b: scalars, vectors\n\n"
      "Conditions, loosest binding first: c or d, c and d, not c, a < b (also <= > >= = != and chains 0 <= x < 1).\n"
      "Nesting is limited to 200 levels; the length of a sum, product or list is not.\n\n"
      "## Functions\n\n"
      "    sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max hypot    of scalars\n"
      "    positive(a): 1 where a > 0, else 0    where(c, a): a where c is not 0, else 0          of scalars\n"
      "    dot(a, b)   cross(a, b)   norm(a)   norm2(a) = dot(a, a)                               of vectors\n"
      "    identity(n)   transpose(A)   skew(v)*w = cross(v, w)   rotation(axis, angle)*v         matrices: ((1, 2), "
      "(3, 4))\n"
      "    times(a, b)   over(a, b)   each entry of a by that of b                                of what is alike\n"
      "    friction(mu, normal, velocity)                   -mu*|normal|*v/sqrt(|v|^2 + rest^2), rest = 1e-6\n"
      "    friction(mu, normal, velocity, exponent, rest)   -mu*|normal|^exponent*v/sqrt(|v|^2 + rest^2)\n\n"
      "Friction falls to zero below the speed `rest` instead of jumping there: nothing sticks, it creeps. `t` is the "
      "time,\n"
      "`pi` the number, `deg` = pi/180 and `rpm` = 2*pi/60 a degree and a turn a minute. Functions of mathematics\n"
      "(the first line and dot, cross, norm, norm2, sum, if) cannot be declared anew, nor can `deg` and `rpm` become "
      "something else.\n";
  return out;
}

}  // namespace alembert::internal
