// What pages get to draw: the scene of a model, and the rows of a run.

#include "alembert/plot/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alembert/model/drawing.h"
#include "alembert/plot/figures.h"
#include "alembert/plot/mesh.h"
#include "alembert/plot/rows.h"
#include "alembert/plot/sketch.h"
#include "alembert/plot/web.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

using Json = nlohmann::json;

std::shared_ptr<const Source> scene_source(const std::string& text) {
  return std::make_shared<const Source>(Source{"test.alm", text});
}

/// A trajectory of one row with these columns.
Trajectory one_row(const std::vector<std::pair<std::string, double>>& columns) {
  Trajectory trajectory;
  for (const auto& [name, value] : columns) {
    trajectory.columns.names.push_back(name);
    trajectory.values.push_back({value});
  }
  trajectory.columns.coordinates = {1, trajectory.columns.count()};
  return trajectory;
}

/// What a browser computes: all results of the program of a scene.
std::vector<double> results_of(const Json& scene, const std::map<std::string, double>& columns) {
  const Json& program = scene["program"];
  std::vector<double> results;
  for (std::size_t k = 0; k < program["code"].size(); k += 3) {
    const std::string name = program["operators"][program["code"][k].get<int>()];
    const int first = program["code"][k + 1], second = program["code"][k + 2];
    const auto a = [&] { return results.at(static_cast<std::size_t>(first)); };
    const auto b = [&] { return results.at(static_cast<std::size_t>(second)); };
    if (name == "input") results.push_back(columns.at(program["inputs"][first]));
    else if (name == "constant") results.push_back(program["constants"][first]);
    else if (name == "+") results.push_back(a() + b());
    else if (name == "-") results.push_back(a() - b());
    else if (name == "*") results.push_back(a() * b());
    else if (name == "/") results.push_back(a() / b());
    else if (name == "^") results.push_back(std::pow(a(), b()));
    else if (name == "negate") results.push_back(-a());
    else if (name == "sin") results.push_back(std::sin(a()));
    else if (name == "cos") results.push_back(std::cos(a()));
    else if (name == "sqrt") results.push_back(std::sqrt(a()));
    else ADD_FAILURE() << "operator " << name;
  }
  return results;
}

TEST(Scene, PlacesOfJointsFollowTheBodies) {
  const auto source = scene_source(R"(parameter l = 2
body arm planar mass 1 inertia 1 at (1, 0)
gravity (0, -9.81)
joint revolute hinge from ground to arm point (-l/2, 0)
spring coil from ground point (3, 0) to arm point (l/2, 0) stiffness 5
solve gauss(2) step 0.1 end 1
)");
  const std::map<std::string, double> row{{"t", 0}, {"arm.r[1]", 0.3}, {"arm.r[2]", 0.4}, {"arm.phi", 0.7}};
  Trajectory trajectory = one_row({row.begin(), row.end()});
  std::swap(trajectory.columns.names.front(), trajectory.columns.names.back());
  std::swap(trajectory.values.front(), trajectory.values.back());
  trajectory.run.parameters = {{"l", {}, {3}, ""}};  // the run had another value than the text
  const SceneText text = scene_text(trajectory, source);
  EXPECT_EQ(text.note, "");
  const Json scene = Json::parse(text.json);
  ASSERT_EQ(scene["bodies"].size(), 1u);
  ASSERT_EQ(scene["joints"].size(), 1u);
  ASSERT_EQ(scene["springs"].size(), 1u);
  EXPECT_TRUE(scene["springs"][0]["stiff"]);
  EXPECT_FALSE(scene["springs"][0]["damped"]);
  EXPECT_TRUE(scene["points"].empty()) << "the position of a body is no point of its own";
  const std::vector<double> results = results_of(scene, row);
  const auto at = [&](const Json& refs, int k) { return results.at(refs[k].get<std::size_t>()); };
  EXPECT_NEAR(at(scene["joints"][0]["q"], 0), 0.3 - 1.5 * std::cos(0.7), 1e-15);
  EXPECT_NEAR(at(scene["joints"][0]["q"], 1), 0.4 - 1.5 * std::sin(0.7), 1e-15);
  EXPECT_NEAR(at(scene["springs"][0]["q"], 0), 0.3 + 1.5 * std::cos(0.7), 1e-15);
  EXPECT_EQ(at(scene["springs"][0]["p"], 0), 3);
  EXPECT_EQ(at(scene["gravity"], 1), -9.81);
  EXPECT_TRUE(scene["joints"][0]["force"][0].is_null()) << "its multiplier is no column here";
}

TEST(Scene, ConstraintsOnPointsAreNamed) {
  const auto source = scene_source(R"(parameter l = 1
coordinate x1, y1, x2, y2, s
kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2 + s'^2)/2
constraint rod1: x1^2 + y1^2 = l^2
constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = l^2
constraint other: s = x1
initial x1 = 1, x2 = 2, s = 1
solve gauss(2) step 0.1 end 1
)");
  const Trajectory trajectory = one_row({{"t", 0}, {"x1", 1}, {"y1", 0}, {"x2", 2}, {"y2", 0}, {"s", 1}});
  const Json scene = Json::parse(scene_text(trajectory, source).json);
  ASSERT_EQ(scene["points"].size(), 2u);
  ASSERT_EQ(scene["constraints"].size(), 2u) << "s is no place";
  EXPECT_EQ(scene["constraints"][0]["points"], Json({0}));
  EXPECT_EQ(scene["constraints"][1]["points"], Json({0, 1}));
}

TEST(Scene, GapsOfPointsAreWalls) {
  const auto source = scene_source(R"(parameter R = 0.1
coordinate x1, y1, x2, y2, s
kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2 + s'^2)/2
potential 9.81*(y1 + y2)
contact floor: y1 >= R restitution 0.5
contact apart: (x2 - x1)^2 + (y2 - y1)^2 >= 4*R^2 restitution 0.5
contact other: s >= 0 restitution 0.5
initial y1 = 1, y2 = 2, s = 1
solve gauss(2) step 0.1 end 1
)");
  const Trajectory trajectory =
      one_row({{"t", 0}, {"x1", 1}, {"y1", 0.3}, {"x2", 2}, {"y2", 0}, {"s", 1}, {"floor.force", 5}});
  const Json scene = Json::parse(scene_text(trajectory, source).json);
  ASSERT_EQ(scene["gaps"].size(), 2u) << "s is no place";
  EXPECT_EQ(scene["gaps"][0]["places"], Json::array({scene["points"][0]["position"]}));
  EXPECT_EQ(scene["gaps"][1]["places"], Json::array({scene["points"][0]["position"], scene["points"][1]["position"]}));
  const std::vector<double> results =
      results_of(scene, {{"t", 0}, {"x1", 1}, {"y1", 0.3}, {"x2", 2}, {"y2", 0}, {"s", 1}, {"floor.force", 5}});
  EXPECT_NEAR(results.at(scene["gaps"][0]["value"].get<std::size_t>()), 0.2, 1e-15);
  EXPECT_EQ(results.at(scene["gaps"][0]["force"].get<std::size_t>()), 5);
  EXPECT_TRUE(scene["gaps"][1]["force"].is_null()) << "there is no such column";
}

TEST(Scene, StatesOfTheFirstOrderAreNoPlaces) {
  const auto source = scene_source(R"(coordinate x, y
kinetic (x'^2 + y'^2)/2
variable sum[2]
rate sum' = (x, y)
solve gauss(2) step 0.1 end 1
)");
  Trajectory trajectory = one_row({{"t", 0}, {"x", 1}, {"y", 2}, {"sum[1]", 3}, {"sum[2]", 4}});
  const Json scene = Json::parse(scene_text(trajectory, source).json);
  ASSERT_EQ(scene["points"].size(), 1u);
  EXPECT_EQ(scene["points"][0]["name"], "(x, y)");
}

TEST(PageRows, ContactsAreAKindOfTheirOwn) {
  Trajectory trajectory =
      one_row({{"t", 0}, {"x", 1}, {"load.force", 2}, {"a.gap", 0}, {"a.force", 1}, {"a.slip[2]", 1}, {"a.state", 1}});
  trajectory.columns.coordinates = {1, 2};
  trajectory.columns.observed = {2, 7};
  const Json run = Json::parse(run_json(trajectory, "contacts"));
  std::map<std::string, std::string> kinds;
  for (const Json& column : run["columns"]) kinds[column["name"]] = column["kind"];
  EXPECT_EQ(kinds["load.force"], "observed") << "no contact: it has no state";
  for (const char* name : {"a.gap", "a.force", "a.slip[2]", "a.state"}) EXPECT_EQ(kinds[name], "contacts") << name;
}

TEST(Scene, ShapesOfDrawStatements) {
  const auto source = scene_source(R"(parameter l = 1
coordinate theta
kinetic theta'^2/2
potential -cos(theta)
draw line ground from (0, 0) to (l*sin(theta), -l*cos(theta)) colour "gray"
draw sphere ground radius 0.1 at (l*sin(theta), -l*cos(theta)) label "bob <b>"
draw spring ground from (1, 0) to (l*sin(theta), -l*cos(theta)) radius 0.05
draw damper ground from (-1, 0) to (l*sin(theta), -l*cos(theta))
initial theta = 1
solve gauss(2) step 0.1 end 1
)");
  const Json scene = Json::parse(scene_text(one_row({{"t", 0}, {"theta", 0.5}}), source).json);
  ASSERT_EQ(scene["shapes"].size(), 4u);
  EXPECT_EQ(scene["shapes"][2]["kind"], "spring");
  EXPECT_EQ(scene["shapes"][1]["label"], "bob <b>");
  const std::vector<double> results = results_of(scene, {{"t", 0}, {"theta", 0.5}});
  EXPECT_NEAR(results.at(scene["shapes"][0]["to"][0].get<std::size_t>()), std::sin(0.5), 1e-15);
  EXPECT_NEAR(results.at(scene["shapes"][1]["at"][1].get<std::size_t>()), -std::cos(0.5), 1e-15);
}

TEST(Scene, SaysWhyAModelCannotBeReadAgain) {
  const SceneText scene =
      scene_text(one_row({{"t", 0}, {"x", 1}, {"y", 2}}), scene_source("component a = \"gone.alm\"\n"));
  EXPECT_NE(scene.note.find("could not be read again"), std::string::npos);
  EXPECT_EQ(Json::parse(scene.json)["points"].size(), 1u) << "points are still found by their names";
  EXPECT_EQ(scene_text(one_row({{"t", 0}, {"s", 1}}), nullptr).json, "null") << "nothing to see";
}

/// The numbers of the paths of an SVG text whose strokes have this colour.
std::vector<std::vector<double>> paths_of(const std::string& svg, const std::string& stroke) {
  std::vector<std::vector<double>> paths;
  const std::string sign = "stroke=\"" + stroke + "\"";
  for (std::size_t at = svg.find(sign); at != std::string::npos; at = svg.find(sign, at + 1)) {
    const std::size_t path = svg.rfind("d=\"M", at) + 4;
    std::string text = svg.substr(path, svg.find('"', path) - path);
    std::replace(text.begin(), text.end(), 'L', ' ');
    std::istringstream words(text);
    paths.emplace_back();
    for (double x = 0; words >> x;) paths.back().push_back(x);
  }
  return paths;
}

TEST(Sketch, ShowsThingsWhereTheyAre) {
  // A line twice as long to the right as upwards, by a table of twice its argument.
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/sketch.csv") << "x,f\n0,0\n1,2\n2,4\n";
  const auto source = std::make_shared<const Source>(Source{folder + "/sketch.alm", R"(parameter l = 1
table twice(x) = "sketch.csv" column f linear
coordinate theta
kinetic theta'^2/2
draw line ground from (0, 0) to (twice(theta), theta) colour "red"
draw spring ground from (0, 0) to (theta, 0) colour "green"
solve gauss(2) step 0.1 end 1
)"});
  const std::string svg = sketch_of(one_row({{"t", 0}, {"theta", 1.5}}), source);
  const auto lines = paths_of(svg, "red"), springs = paths_of(svg, "green");
  ASSERT_EQ(lines.size(), 1u) << svg;
  ASSERT_EQ(springs.size(), 1u) << svg;
  const std::vector<double>&line = lines[0], &spring = springs[0];
  ASSERT_EQ(line.size(), 4u) << svg;
  EXPECT_NEAR(line[2] - line[0], -2 * (line[3] - line[1]), 0.3);
  EXPECT_GT(line[2] - line[0], 150) << "it fills the sheet";
  ASSERT_GT(spring.size(), 20u);
  EXPECT_NEAR(spring[spring.size() - 2] - spring[0], (line[2] - line[0]) / 2, 0.3);
  EXPECT_EQ(sketch_of(one_row({{"t", 0}, {"s", 1}}), nullptr), "") << "nothing to see";
}

TEST(Sketch, FindsRodsOfPoints) {
  const auto source = scene_source(R"(coordinate x1, y1, x2, y2
kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2
constraint rod1: (x1 - 1)^2 + (y1 - 2)^2 = 25
constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 100
initial x1 = 4, y1 = 6, x2 = 14, y2 = 6
solve gauss(2) step 0.1 end 1
)");
  const std::string svg = sketch_of(one_row({{"t", 0}, {"x1", 4}, {"y1", 6}, {"x2", 14}, {"y2", 6}}), source);
  const auto rods = paths_of(svg, "#5b6270");
  ASSERT_EQ(rods.size(), 2u) << svg;
  // Between the points, and from the centre (1, 2) to (4, 6): five long where that is ten.
  const auto length = [](const std::vector<double>& rod) { return std::hypot(rod[2] - rod[0], rod[3] - rod[1]); };
  EXPECT_NEAR(rods[0][1], rods[0][3], 0.1);
  EXPECT_NEAR(length(rods[1]) / length(rods[0]), 0.5, 0.01);
  EXPECT_NEAR((rods[1][1] - rods[1][3]) / (rods[1][2] - rods[1][0]), 4.0 / 3, 0.02);
}

TEST(PageRows, KeepTheExtremesOfALongRun) {
  Trajectory trajectory;
  trajectory.columns.names = {"t", "x"};
  trajectory.columns.coordinates = {1, 2};
  trajectory.values.resize(2);
  constexpr int rows = 1'000'000;
  for (int i = 0; i < rows; ++i) {
    trajectory.values[0].push_back(i);
    trajectory.values[1].push_back(i == 123'457 ? 99 : i == 765'431 ? -99 : std::sin(0.001 * i));
  }
  const std::string json = run_json(trajectory, "long");
  EXPECT_LT(json.size(), 9'000'000u);
  const Json run = Json::parse(json);
  EXPECT_EQ(run["rows"], rows);
  // The bytes of 99 and -99 in base64, at any place of a group of three: looked for among the decoded numbers.
  const std::string text = run["columns"][1]["extremes"];
  std::string bytes;
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i + 3 < text.size(); i += 4) {
    unsigned three = 0;
    for (int k = 0; k < 4; ++k) three = three << 6 | (text[i + k] == '=' ? 0 : unsigned(letters.find(text[i + k])));
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(three >> shift & 255);
  }
  double least = 0, largest = 0;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    double value = 0;
    std::memcpy(&value, bytes.data() + i, 8);
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  EXPECT_EQ(largest, 99);
  EXPECT_EQ(least, -99);
}

TEST(Page, HoldsItsDataAndNoMarkupOfTheUser) {
  if (web_bundle("page.js").empty()) GTEST_SKIP() << "built without the bundle";
  Trajectory trajectory = one_row({{"t", 0}, {"x</script><b>", 1}, {"y</script><b>", 2}});
  trajectory.run.model = "</script><i>";
  const std::string page = page_of(trajectory, "</title><i>", "words <of> it");
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("words &lt;of&gt; it"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("<link rel=\"stylesheet"), std::string::npos);
}

TEST(Mesh, IsReadFromTextAndFaces) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/mesh_test.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  const std::vector<float> square = read_mesh("mesh_test.obj", folder + "/model.alm");
  ASSERT_EQ(square.size(), 18u) << "two triangles";
  EXPECT_EQ(square[16], 1.0f);
  std::ofstream(folder + "/mesh_test.stl") << "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 "
                                              "0\nvertex 0 2 0\nendloop\nendfacet\nendsolid\n";
  EXPECT_EQ(read_mesh("mesh_test.stl", folder + "/model.alm").size(), 9u);
  EXPECT_THROW(read_mesh("not_there.stl", ""), InputError);
}

}  // namespace
}  // namespace alembert::internal::testing
