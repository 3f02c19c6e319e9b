#include "alembert/derive/show.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "../expr/evaluator.h"
#include "../expr/reader.h"
#include "../model/support.h"
#include "alembert/base/lists.h"
#include "alembert/expr/collect.h"
#include "alembert/text/syntax.h"
#include "source_folder.h"

namespace alembert::internal::test {
namespace {

std::string shown(const char* text, ShowOptions options = {}) {
  const Model m = model_of(text);
  return show(m, derive(m, {.symbolic_parameters = true}), options);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Show, SectionsWithTheUsersNames) {
  const std::string text = shown(double_pendulum);
  for (const char* part :
       {"Double pendulum, Lagrangian form: 4 coordinates, 2 holonomic constraints, 0 nonholonomic constraints",
        "\nq' = v\n", "\np\n", "\ng\n", "\ng_t + g_q v\n", "\nenergy\n", "\nindex-reduced system", "lambda_rod1",
        "x1''", "# rod2", "gravity"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  EXPECT_FALSE(has(text, "\nk\n"));
  EXPECT_FALSE(has(text, "9.81"));  // parameters keep their names
}

TEST(Show, TheMultibodyFormHasTheLettersOfTheLanguage) {
  const std::string text =
      shown("coordinate a[2]\nvelocity w\nkinematics a' = (cos(a[2])*w, w)\nmass w = 2\nconstraint c: a[1] = a[2]\n");
  for (const char* part : {"\nq' = Z v\n", "\ng_t + g_q Z v\n", "-Z^T g_q^T lambda"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  EXPECT_FALSE(has(text, "y' = v")) << text;
}

TEST(Show, EveryRightSideParsesBack) {
  for (const char* model : {double_pendulum, nonholonomic_particle, four_particles, steel_on_teflon, chain}) {
    std::istringstream lines(shown(model));
    int equations = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equal = line.find(" = ");
      if (line.rfind("  ", 0) != 0 || equal == std::string::npos || has(line, "themselves")) continue;
      std::string right = line.substr(equal + 3);
      right = right.substr(0, right.find("    #"));
      // Accelerations are the one thing that the language does not write.
      for (std::size_t at; (at = right.find("''")) != std::string::npos;) right.erase(at, 1);
      EXPECT_NO_THROW(parse_term(std::make_shared<const Source>(Source{"line", right}))) << line;
      ++equations;
    }
    EXPECT_GT(equations, 5);
  }
}

TEST(Show, LatexIsBalanced) {
  const std::string text = shown(four_particles, {.latex = true});
  EXPECT_TRUE(has(text, "\\begin{align*}"));
  EXPECT_TRUE(has(text, "\\paragraph{$g_t + g_q v$}"));
  EXPECT_TRUE(has(text, "\\dot{p}"));
  EXPECT_EQ(text.rfind("\\documentclass{article}", 0), 0u);
  EXPECT_TRUE(text.ends_with("\\end{document}\n"));
  int braces = 0, left = 0, environments = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && text[i - 1] != '\\') ++braces;
    if (text[i] == '}' && text[i - 1] != '\\') --braces;
    if (text.compare(i, 6, "\\left(") == 0) ++left;
    if (text.compare(i, 7, "\\right)") == 0) --left;
    if (text.compare(i, 7, "\\begin{") == 0) ++environments;
    if (text.compare(i, 5, "\\end{") == 0) --environments;
    ASSERT_GE(braces, 0);
  }
  EXPECT_EQ(braces, 0);
  EXPECT_EQ(left, 0);
  EXPECT_EQ(environments, 0);
}

TEST(Show, LatexNamesThatWouldLookAlikeAreSetAsWritten) {
  const std::string text = shown(
      "parameter l1 = 1, l_1 = 2, phi1 = 3, phi_1 = 4, m = 1\ncoordinate x1, x_1\nkinetic l1*x1'^2 + l_1*x_1'^2\n"
      "potential phi1*x1 + phi_1*x_1 + m\n",
      {.latex = true});
  for (const char* part : {"l_{1} \\dot{x}_{1}^{2}", "\\mathtt{l\\_1} \\, \\dot{\\mathtt{x\\_1}}^{2}",
                           "\\phi_{1} x_{1}", "\\mathtt{phi\\_1} \\, \\mathtt{x\\_1}", "$m$"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  // Alone both look as one writes them.
  const std::string alone = shown("parameter l_1 = 2\ncoordinate x\nkinetic l_1*x'^2\n", {.latex = true});
  EXPECT_TRUE(has(alone, "l_{1} \\dot{x}^{2}")) << alone;
}

TEST(Show, ChoicesAreCasesWithTheirConditions) {
  const char* const model =
      "parameter k = 2, a = 1, b = 3\ncoordinate x\nkinetic x'^2/2\n"
      "force x = if(x > 0 and x' < a, -k*x, if(x < -1 or x' > b, -b*x, x'))\n";
  const std::string text = shown(model);
  EXPECT_TRUE(has(text, "f_x = if(x > 0 and x' < a, -k*x, if(x < -1 or x' > b, -b*x, x'))\n")) << text;
  const std::string latex = shown(model, {.latex = true});
  EXPECT_TRUE(has(latex,
                  "f_{x} &= \\begin{cases} -k x & \\text{if } x > 0 \\land \\dot{x} < a \\\\ "
                  "-b x & \\text{else if } x < -1 \\lor \\dot{x} > b \\\\ \\dot{x} & \\text{else} \\end{cases}\n"))
      << latex;
  // A choice inside the first value is no list of its own either.
  const std::string inner =
      shown("coordinate x\nkinetic x'^2/2\nforce x = 3*if(x > 0, if(x' > 0, 1, x), x')\n", {.latex = true});
  EXPECT_TRUE(has(
      inner,
      "f_{x} &= 3 \\left(\\begin{cases} 1 & \\text{if } x > 0 \\land \\dot{x} > 0 \\\\ x & \\text{else if } x > 0 \\\\ "
      "\\dot{x} & \\text{else} \\end{cases}\\right)\n"))
      << inner;
  EXPECT_EQ(inner.find("cases} \\begin"), std::string::npos) << inner;
}

// What is printed of conditions has the value of what is computed with, for every combination of what they compare.
TEST(Show, ChoicesHaveTheSameValues) {
  const Model m = model_of(
      "parameter a = 1, b = 2\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
      "force x = if((x > 0 or y > a) and not (x' > y' and y <= b), x + 1, if(x <= a, y - if(y' > 0, x, 7), 2*x))\n"
      "force y = if(a < x <= b, y', 3)*if(y > 0, x, 2) - 5*if(x' - 1 > y, x*y, 0)\n");
  const Equations e = derive(m, {.symbolic_parameters = true});
  Collector collector({joined<Expr>(e.lambda, e.psi), joined<Expr>(e.t, e.y), e.z, e.z_dot});
  std::mt19937 random(3);
  Exprs symbols;
  for (std::uint32_t id = 0; id < e.graph->size(); ++id)
    if (e.graph->node(id).op == Op::symbol) symbols.push_back(Expr(e.graph.get(), id));
  for (int trial = 0; trial < 300; ++trial) {
    std::map<std::string, Quad> names;
    std::vector<Quad> at;
    for (const Expr symbol : symbols) {
      at.push_back(Quad(static_cast<int>(random() % 7)) - 3);
      names[e.graph->name(symbol.id())] = at.back();
    }
    const testing_expr::Values<Quad> values(*e.graph, symbols, at);
    for (const Expr f : e.f) {
      const std::string text = form::to_infix(collector.table(), collector.collect(f, {}));
      EXPECT_LT(testing_expr::distance(testing_expr::Reader(text, names).read(), values(f)), 1e-26) << text;
    }
  }
}

TEST(Show, EverySymbolOfALongListIsThere) {
  std::string model = "parameter a1 = 1", terms = "a1";
  for (int i = 2; i <= 40; ++i) {
    model += ", a" + std::to_string(i) + " = 1";
    terms += " + a" + std::to_string(i);
  }
  model += "\ncoordinate r[30]\nkinetic norm2(r')/2\npotential (" + terms + ")*norm2(r)\n";
  for (const bool latex : {false, true}) {
    const std::string text = shown(model.c_str(), {.latex = latex});
    for (int i = 1; i <= 40; ++i) {
      const std::string number = std::to_string(i);
      const std::string name = latex ? "$a_{" + number + "}$" : "a" + number;
      EXPECT_TRUE(has(text, " " + name + (i < 40 ? "," : "\n"))) << name << "\n" << text;
    }
    EXPECT_TRUE(has(text, latex ? "coordinates $r_{1}$, \\dots, $r_{30}$" : "coordinates r[1], ..., r[30]\n")) << text;
  }
}

// A letter of the page that is a name of the model is written differently.
TEST(Show, LettersThatTheModelUsesAreNotUsedTwice) {
  const char* const model =
      "parameter E = 2, g = 9.81, lambda = 1, l = 1\ncoordinate x, r, v\nkinetic E/2*(x'^2 + r'^2 + v'^2)\n"
      "potential E*g*r + lambda*x^2\nconstraint rod: x^2 + r^2 = l^2\n";
  const std::string text = shown(model);
  for (const char* part : {"\n  EE = ", "\n  EE              energy\n", "\nrr\n", "  rr_x = -2*lambda_rod*x\n",
                           "\ngg\n", "\nq' = vv\n", "\ngg_t + gg_q vv\n", "-gg_q^T lambdas\n",
                           "  gg              holonomic constraints gg(t, q) = 0\n", "parameters E, g, lambda, l\n"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  const std::string latex = shown(model, {.latex = true});
  for (const char* part : {"\\mathcal{E} &= ", "\\paragraph{$\\mathbf{g}_t + \\mathbf{g}_q \\mathbf{v}$}",
                           "$-\\mathbf{g}_q^T \\boldsymbol{\\lambda}$", "\\mathbf{r}_{x} &= "})
    EXPECT_TRUE(has(latex, part)) << part << "\nin\n" << latex;
  // The list of q[1] and q[2] may be called q.
  EXPECT_TRUE(has(shown("coordinate q[2]\nkinetic norm2(q')/2\n"), "\n  q   coordinates q[1], q[2]\n"));
}

TEST(Show, MultipliersHaveOtherNamesThanParameters) {
  const char* const model =
      "parameter lambda_rod = 2, mu_rod = 3, psi_roll = 4\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
      "potential lambda_rod*x + mu_rod*y + psi_roll*x^2\nconstraint rod: x^2 + y^2 = 1\nconstraint roll: x' = y'\n";
  const std::string text = shown(model, {.form = ShownForm::ggl});
  for (const char* part : {"  lambdas_rod  multiplier of", "  psis_roll    multiplier of",
                           "  mus_rod      multiplier that", "-2*lambdas_rod*x\n", "-g_q^T lambdas\n",
                           "f_x = -2*psi_roll*x - lambda_rod\n", "  d/dt x = x' + 2*mus_rod*x\n"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
}

TEST(Show, PartsOfElementsAreSetByThemselves) {
  const std::string text =
      shown("gravity (0, -9.81)\nbody link[i] planar mass 1 inertia 1 at (i, 0) for i = 1..2\n", {.latex = true});
  EXPECT_TRUE(has(text, "$\\dot{r}_{\\mathrm{link}_{2},1}$")) << text;
}

TEST(Show, FirstOrderStatesHaveTheirRatesInTheReducedSystem) {
  const std::string text = shown(
      "parameter k = 2\ncoordinate x\nvariable z, w[2]\nkinetic x'^2/2\npotential x^2/2\nforce x = -k*z - k*w[2]\n"
      "rate z' = x - z, w' = (z, x')\n");
  for (const char* part :
       {"1 coordinate, 3 first-order states, 0 holonomic", "coordinates x\n", "whose rates are given: z, w[1], w[2]",
        "\nrates of the first-order states\n  z'    = x - z\n  w[1]' = z\n  w[2]' = x'\n",
        "  f_x = -x - k*(z + w[2])\n"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  const std::size_t reduced_at = text.find("index-reduced system");
  ASSERT_NE(reduced_at, std::string::npos);
  EXPECT_TRUE(has(text.substr(reduced_at), "  w[2]' = x'\n")) << text;
}

TEST(Show, RootsAndPiKeepTheirNames) {
  const char* const model =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x - sqrt(3)/2)^2/2 + sqrt(8)*y + 2*pi/3*y^3 + 0.35*x^4\n";
  const std::string text = shown(model), latex = shown(model, {.latex = true});
  EXPECT_TRUE(has(text, "  f_y = -2*pi*y^2 - 2*sqrt(2)\n")) << text;
  EXPECT_TRUE(has(text, "sqrt(3)/2")) << text;
  EXPECT_TRUE(has(latex, "-2 \\pi y^{2} - 2 \\sqrt{2}")) << latex;
  EXPECT_TRUE(has(latex, "\\frac{\\sqrt{3}}{2}")) << latex;
  // Sixteen digits of a root are no root.
  const std::string rounded = shown("coordinate x\nkinetic x'^2/2\npotential 1.4142135623730951*x\n");
  EXPECT_TRUE(has(rounded, "f_x = -1.4142135623730951\n")) << rounded;
}

TEST(Show, ContactsHaveTheirLaws) {
  const std::string text = shown(
      "parameter m = 1, mu = 0.3, e = 0.5\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential 9.81*m*y\n"
      "contact floor: y - x^2 >= 0 restitution e friction mu static 2*mu along x'\n");
  for (const char* part :
       {"\np' = f + h_q^T lambda_N + s_v^T lambda_T, where f\n", "\n  h         gaps", "\n  s         slips",
        "parameters m, mu, e\n", "\n  floor = y - x^2\n", "gives back\n  floor = e\n", "\nslips\n  floor = x'\n",
        "\ncoefficients of friction\n  floor = mu\n", "at rest\n  floor = 2*mu\n", "while all contacts are open"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  EXPECT_FALSE(has(shown(double_pendulum), "lambda_N"));
}

TEST(Show, RatesOfMomentaAreThoseOfP) {
  const std::string text = shown("coordinate x\nmomentum p1 of x\nhamiltonian p1^2/2 + x^2/2\n");
  EXPECT_TRUE(has(text, "\n  p'  their rates: p1'\n")) << text;
  EXPECT_FALSE(has(text, "z")) << text;
}

/// The lines below a heading of what is shown of a model of the gallery.
std::string section(const std::string& name, const std::string& heading) {
  const Model m = read_model(source_folder() + "/models/" + name + ".alm");
  const std::string text = show(m, derive(m, {.symbolic_parameters = true}));
  const std::size_t begin = text.find("\n" + heading);
  EXPECT_NE(begin, std::string::npos) << text;
  if (begin == std::string::npos) return text;
  const std::size_t first = text.find('\n', begin + 1) + 1;
  return text.substr(first, text.find("\n\n", first) - first);
}

const char* const reduced = "index-reduced system: d/dt p = f";

TEST(ShowGallery, Pendulum) {
  EXPECT_EQ(section("pendulum", "p\n"), "  p_x = m*x'\n  p_y = m*y'");
  EXPECT_EQ(section("pendulum", "r\n"), "  r_x = -2*lambda_rod*x\n  r_y = -2*lambda_rod*y");
  EXPECT_EQ(section("pendulum", "energy"), "  E = m/2*(x'^2 + y'^2) + m*gravity*y");
  EXPECT_EQ(section("pendulum", reduced),
            "  0 = m*x'' + 2*lambda_rod*x\n"
            "  0 = m*y'' + 2*lambda_rod*y + m*gravity\n"
            "  0 = 2*x*x'' + 2*y*y'' + 2*x'^2 + 2*y'^2\n");
}

TEST(ShowGallery, CartPendulum) {
  EXPECT_EQ(section("cart_pendulum", "p\n"),
            "  p_x   = (M + m)*x' + m*l*cos(phi)*phi'\n  p_phi = m*l*cos(phi)*x' + m*l^2*phi'");
  EXPECT_EQ(section("cart_pendulum", "p' = f, where f"), "  f_x   = 0\n  f_phi = -m*l*sin(phi)*(x'*phi' + gravity)");
  EXPECT_EQ(section("cart_pendulum", "energy"),
            "  E = (M + m)/2*x'^2 + m*l*cos(phi)*x'*phi' + m*l^2/2*phi'^2 - m*l*gravity*cos(phi)");
  EXPECT_EQ(section("cart_pendulum", reduced),
            "  0 = (M + m)*x'' + m*l*cos(phi)*phi'' - m*l*sin(phi)*phi'^2\n"
            "  0 = m*l*cos(phi)*x'' + m*l^2*phi'' + m*l*gravity*sin(phi)\n");
}

TEST(ShowGallery, DoublePendulum) {
  EXPECT_EQ(section("double_pendulum", "g\n"),
            "  0 = x1^2 + y1^2 - l1^2    # rod1\n  0 = (x2 - x1)^2 + (y2 - y1)^2 - l2^2    # rod2");
  EXPECT_EQ(section("double_pendulum", "g_t + g_q v"),
            "  0 = 2*x1*x1' + 2*y1*y1'    # rod1\n"
            "  0 = 2*(x2 - x1)*(x2' - x1') + 2*(y2 - y1)*(y2' - y1')    # rod2");
  EXPECT_TRUE(has(section("double_pendulum", reduced), "  0 = m1*x1'' + 2*lambda_rod1*x1 - 2*lambda_rod2*(x2 - x1)\n"));
}

TEST(ShowGallery, SphericalPendulum) {
  EXPECT_EQ(section("spherical_pendulum", "g\n"), "  0 = q[1]^2 + q[2]^2 + q[3]^2 - l^2    # sphere");
  EXPECT_EQ(section("spherical_pendulum", "invariants"), "  vertical = m*(q[1]*q[2]' - q[2]*q[1]')");
}

TEST(ShowGallery, Kepler) {
  // The distance is written once.
  EXPECT_EQ(section("kepler", "abbreviations"), "  a1 = sqrt((planet[1] - sun[1])^2 + (planet[2] - sun[2])^2)");
  EXPECT_TRUE(has(section("kepler", "p' = f, where f"), "  f_planet[1] = -M*m*G*(planet[1] - sun[1])/a1^3\n"));
  EXPECT_EQ(section("kepler", "energy"),
            "  E = M/2*(sun[1]'^2 + sun[2]'^2) + m/2*(planet[1]'^2 + planet[2]'^2) - M*m*G/a1");
}

TEST(ShowGallery, RowsThatDifferByIndicesAreOne) {
  EXPECT_EQ(section("chain", "p\n"), "  p_r[i][j] = m*r[i][j]'    # i = 1, ..., 10; j = 1, 2, 3");
  EXPECT_EQ(
      section("chain", "g\n"),
      "  0 = r[1][1]^2 + r[1][2]^2 + r[1][3]^2 - l^2    # first\n"
      "  0 = (r[i][1] - r[i-1][1])^2 + (r[i][2] - r[i-1][2])^2 + (r[i][3] - r[i-1][3])^2 - l^2    # rod[i], i = 2, "
      "..., 10");
  // The rods' state i takes the letter i.
  EXPECT_TRUE(has(section("ph_line", "flow"), "  E(cell[j].i, cell[j].i)     = cell[j].L    # j = 1, ..., 66\n"));
  const Model m = read_model(source_folder() + "/models/chain.alm");
  const Equations e = derive(m, {.symbolic_parameters = true});
  EXPECT_TRUE(
      has(show(m, e, {.latex = true}), "  p_{r_{i,j}} &= m \\dot{r}_{i,j} && i = 1, \\dots, 10,\\; j = 1, 2, 3\n"));
  const std::string each = show(m, e, {.rows = std::numeric_limits<std::size_t>::max()});
  EXPECT_TRUE(has(each, "  p_r[10][3] = m*r[10][3]'\n")) << each;
  EXPECT_FALSE(has(each, "[i]"));
}

TEST(ShowGallery, ComponentsAreIndicesInLatex) {
  const Model m = read_model(source_folder() + "/models/ph_motor_pendulum.alm");
  const std::string text = show(m, derive(m, {.symbolic_parameters = true}), {.latex = true});
  for (const char* part :
       {"$w_{\\mathrm{motor}}$", "J_{i_{\\mathrm{motor}},\\, w_{\\mathrm{motor}}} &= -K_{\\mathrm{motor}}",
        "z_{\\phi_{\\mathrm{arm}}} &= m_{\\mathrm{arm}} L_{\\mathrm{arm}} g_{\\mathrm{arm}} "
        "\\sin(\\phi_{\\mathrm{arm}})"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
}

TEST(ShowGallery, EverySymbolIsDefined) {
  const std::string symbols = section("skate", "symbols");
  for (const char* part :
       {"  q          coordinates x, y, phi\n", "  N          nonholonomic constraint forces, -k_v^T psi\n",
        "  psi_blade  multiplier of the nonholonomic constraint blade (a force per gradient", "  E          energy\n",
        "  v'         accelerations x'', y'', phi''\n", "parameters m, I, gravity, slope"})
    EXPECT_TRUE(has(symbols, part)) << part << "\nin\n" << symbols;
  EXPECT_FALSE(has(symbols, "lambda"));
}

/// Values in [0.5, 1.5) for all symbols, the same for the same name.
std::map<std::string, Quad> random_values(const Graph& graph, Exprs& symbols, std::vector<Quad>& at) {
  std::mt19937 random(5);
  std::map<std::string, Quad> values;
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    if (graph.node(id).op != Op::symbol) continue;
    const Quad value = Quad(0.5) + Quad(random() % 1000003) / 1000003;
    symbols.push_back(Expr(const_cast<Graph*>(&graph), id));
    at.push_back(values.emplace(graph.name(id), value).first->second);
  }
  return values;
}

// The text that is shown has the value of the expression that is computed with, for the whole gallery.
TEST(ShowGallery, SimplifiedEquationsHaveTheSameValues) {
  int models = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    const Model m = read_model(entry.path().string());
    if (!m.tables.empty()) continue;  // their names say nothing of their values
    const Equations e = derive(m, {.symbolic_parameters = true});
    Exprs symbols;
    std::vector<Quad> at;
    const std::map<std::string, Quad> names = random_values(*e.graph, symbols, at);
    const testing_expr::Values<Quad> values(*e.graph, symbols, at);
    Collector collector({joined<Expr>(e.lambda, e.psi), joined<Expr>(e.t, e.y), e.z, e.z_dot});
    const auto compare = [&](const Exprs& list, const Exprs& unknowns) {
      for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 40); ++i) {
        if (!list[i] || !finiteq(values(list[i]))) continue;
        const std::string text = form::to_infix(collector.table(), collector.collect(list[i], unknowns));
        if (text.size() > 20000) continue;
        const Quad shown = testing_expr::Reader(text, names).read();
        EXPECT_LT(testing_expr::distance(shown, values(list[i])), 1e-26) << entry.path() << "\n" << text;
        ++compared;
      }
    };
    compare(joined<Expr>(e.v, e.p, e.g_dot, e.k), e.z);
    compare(joined<Expr>(e.N, e.r), joined<Expr>(e.lambda, e.psi));
    compare(joined<Expr>(e.f, e.g, e.invariants), {});
    compare({e.energy}, e.z);
    compare(e.reduced, e.z_dot);
    ++models;
  }
  EXPECT_GT(models, 60);
  EXPECT_GT(compared, 1500);
}

TEST(Show, WhatIsTooLongIsCutAndCounted) {
  const std::string text = shown(chain, {.rows = 4, .length = 100});
  EXPECT_TRUE(has(text, "... and 11 more equations"));
  EXPECT_TRUE(has(shown("coordinate a, b, c, d, x\nkinetic a'^2 + b'^2 + c'^2 + d'^2 + x'^2\n", {.rows = 4}),
                  "... and 1 more equation\n"));
  EXPECT_TRUE(has(text, " operations, left out)"));
  // Shared parts written out would be of size 2^60.
  std::string tower = "coordinate x\nkinetic x'^2/2\nlet a0 = sin(x)\n";
  for (int i = 1; i <= 60; ++i)
    tower += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "*cos(a" + std::to_string(i - 1) + ")\n";
  EXPECT_TRUE(has(shown((tower + "potential a60\n").c_str()), "1000000 operations or more, left out"));
}

}  // namespace
}  // namespace alembert::internal::test
