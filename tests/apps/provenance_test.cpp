// Every file says which run or study it holds: all that it takes to make it again.

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "alembert/trajectory.h"
#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

const char pushed[] =
    "model \"Pushed\"\nparameter k = 4 \"N/m\", m = 1 \"kg\"\ninput F = 0\ncoordinate x \"m\"\nkinetic m/2*x'^2\n"
    "potential k/2*x^2\nforce x = F\nsolve gauss(3) step 0.01 end 1\n";

bool has_line(const Json& attributes, const char* name, const std::string& line) {
  return ("\n" + attributes.at(name).get<std::string>()).find("\n" + line + "\n") != std::string::npos;
}

TEST(Provenance, ARunSaysAllThatItWasAskedFor) {
  const Folder folder;
  const std::string model = folder.write("pushed.alm", pushed), csv = folder / "a.csv", json = folder / "a.json";
  const std::string h5 = folder / "a.h5", svg = folder / "a.svg";
  const Outcome outcome = program({"run",
                                   model,
                                   "--set",
                                   "k=9",
                                   "--start",
                                   "1",
                                   "--end",
                                   "2",
                                   "--tolerance",
                                   "1e-6",
                                   "--max-step",
                                   "0.25",
                                   "--min-step",
                                   "1e-7",
                                   "--every",
                                   "3",
                                   "--newton-tolerance",
                                   "1e-9",
                                   "--strict",
                                   "--out",
                                   csv,
                                   "--out",
                                   json,
                                   "--out",
                                   h5,
                                   "--plot",
                                   svg});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const Json& attributes : {Json::parse(file_text(json)).at("attributes"),
                                 Json::parse(file_text(folder / "a.run.json")).at("attributes")}) {
    EXPECT_EQ(attributes.at("model_text"), pushed);
    EXPECT_TRUE(has_line(attributes, "parameters", "k = 9 \"N/m\""));
    EXPECT_EQ(attributes.at("start"), 1.0);
    EXPECT_EQ(attributes.at("end"), 2.0);
    EXPECT_TRUE(attributes.at("step").is_number());
    EXPECT_EQ(attributes.at("tolerance"), 1e-6);
    for (const char* line :
         {"every = 3", "max_step = 0.25", "min_step = 1e-7", "newton_tolerance = 1e-9", "strict = yes"})
      EXPECT_TRUE(has_line(attributes, "settings", line)) << line << "\n" << attributes.at("settings");
    EXPECT_TRUE(has_line(attributes, "overrides", "k=9"));
  }
  const RunDescription read = read_trajectory(h5).run;
  EXPECT_EQ(read.start, 1);
  EXPECT_EQ(read.end, 2);
  EXPECT_EQ(read.settings, read_trajectory(json).run.settings);
  EXPECT_EQ(read.settings.size(), 5u);
  EXPECT_NE(file_text(svg).find("max_step = 0.25"), std::string::npos) << "the figure too";
}

TEST(Provenance, AStudySaysWhichItWas) {
  const Folder folder;
  const std::string model = folder.write("pushed.alm", pushed);
  for (const char* name : {"study.csv", "study.json"}) {
    const Outcome outcome = program({"sweep",        model,
                                     "--vary",       "k=1:4:3",
                                     "--draw",       "x=normal(0, 0.1)",
                                     "--members",    "2",
                                     "--seed",       "5",
                                     "--set",        "m=2",
                                     "--step",       "0.02",
                                     "--report",     "q.x",
                                     "--out",        folder / name,
                                     "--statistics", folder / "sums.json",
                                     "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const Json table = Json::parse(file_text(folder / "study.json"));
  EXPECT_EQ(table.at("rows").size(), 6u);
  for (const Json& attributes :
       {table.at("attributes"), Json::parse(file_text(folder / "study.run.json")).at("attributes"),
        Json::parse(file_text(folder / "sums.json")).at("attributes")}) {
    EXPECT_EQ(attributes.at("model_text"), pushed);
    EXPECT_TRUE(has_line(attributes, "parameters", "m = 2 \"kg\""));
    EXPECT_EQ(attributes.at("method"), "gauss(3)");
    EXPECT_EQ(attributes.at("step"), 0.02);
    EXPECT_EQ(attributes.at("end"), 1.0);
    EXPECT_EQ(attributes.at("members"), 6.0);
    for (const char* line :
         {"vary k = 1:4:3", "draw x = normal(0, 0.1)", "members = 2", "seed = 5", "sampling = random"})
      EXPECT_TRUE(has_line(attributes, "study", line)) << line << "\n" << attributes.at("study");
    EXPECT_FALSE(attributes.at("version").get<std::string>().empty());
  }
}

TEST(Provenance, MeasuredOrdersSayOfWhat) {
  const Folder folder;
  const std::string model = folder.write("pushed.alm", pushed);
  const Outcome outcome =
      program({"converge", model, "--set", "x=1", "--method", "gauss(1)", "--method", "gauss(2)", "--steps", "0.1,0.05",
               "--end", "1", "--csv", folder / "orders.csv", "--svg", folder / "orders.svg"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json attributes = Json::parse(file_text(folder / "orders.run.json")).at("attributes");
  EXPECT_EQ(attributes.at("model_text"), pushed);
  EXPECT_EQ(attributes.at("method"), "gauss(1), gauss(2)");
  EXPECT_EQ(attributes.at("step"), 0.1);
  EXPECT_TRUE(has_line(attributes, "settings", "steps = 0.1, 0.05"));
  EXPECT_TRUE(has_line(attributes, "overrides", "x=1"));
  EXPECT_NE(file_text(folder / "orders.svg").find("<metadata>"), std::string::npos);
}

/// The same push as a table of the model and as a file.
TEST(Provenance, InputsFollowFilesInEveryCommand) {
  const Folder folder;
  const std::string model = folder.write("pushed.alm", pushed);
  const std::string table = folder.write(
      "table.alm", std::string(pushed).replace(std::string(pushed).find("input F = 0"), 11,
                                               "table push(s) = (0, 1), (0.5, 3), (1, 2)\ninput F = push(t)"));
  const std::string input = "F=" + folder.write("push.csv", "t,F\n0,1\n0.5,3\n1,2\n");
  const auto both = [&](const std::vector<std::string>& words) {
    std::vector<std::string> one = words, two = words;
    one.insert(one.begin() + 1, {model, "--input", input});
    two.insert(two.begin() + 1, table);
    const Outcome first = program(one), second = program(two);
    EXPECT_EQ(first.code, second.code) << first.err << second.err;
    return std::pair(first.out, second.out);
  };
  const auto sweeps = both({"sweep", "--vary", "k=1,4", "--report", "q.x", "--quiet", "--json"});
  EXPECT_EQ(sweeps.first, sweeps.second);
  EXPECT_NE(sweeps.first.find("\"q.x\":0."), std::string::npos) << sweeps.first;
  const Json one = Json::parse(both({"converge", "--steps", "0.1,0.05", "--end", "1", "--json"}).first);
  EXPECT_LT(one["reference"]["error"]["q"], 1e-9);
  const auto checked = both({"check"});
  EXPECT_EQ(checked.first, checked.second);
  EXPECT_FALSE(checked.first.empty());
  const auto verified = both({"verify", "--step", "0.05", "--end", "1"});
  EXPECT_FALSE(verified.first.empty());
  const Outcome twice = program({"sweep", model, "--vary", "k=1", "--input", input, "--input", input});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("--input gives 'F' twice"), std::string::npos) << twice.err;
  for (const char* command : {"converge", "verify", "check"}) {
    const Outcome wrong = program({command, model, "--input", "G=push.csv"});
    EXPECT_EQ(wrong.code, 2) << command;
    EXPECT_NE(wrong.err.find("'G'"), std::string::npos) << wrong.err;
  }
}

TEST(GalleryPage, ShowsEveryModel) {
  const std::string page = file_text(source_folder() + "/docs/gallery.md");
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    const std::string name = entry.path().stem().string();
    EXPECT_NE(page.find("(../models/" + name + ".alm)"), std::string::npos) << name;
    EXPECT_NE(page.find("(gallery/" + name + ".svg)"), std::string::npos) << name;
    EXPECT_TRUE(std::filesystem::exists(source_folder() + "/docs/gallery/" + name + ".svg")) << name;
  }
}

/// A text without its numbers, and these.
std::pair<std::string, std::vector<double>> with_numbers_apart(const std::string& text) {
  std::pair<std::string, std::vector<double>> apart;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* behind = nullptr;
    // Colours have digits, too; they stay text.
    const bool number = (*at >= '0' && *at <= '9') || (*at == '-' && at[1] >= '0' && at[1] <= '9');
    if (*at == '#') {
      for (apart.first += *at++; std::isxdigit(static_cast<unsigned char>(*at));) apart.first += *at++;
    } else if (number) {
      apart.second.push_back(std::strtod(at, &behind));
      apart.first += '0';
      at = behind;
    } else {
      apart.first += *at++;
    }
  }
  return apart;
}

TEST(GalleryPage, PicturesOfTheFirstPageAreWhatTheProgramDraws) {
  const std::string readme = file_text(source_folder() + "/README.md");
  static const std::regex picture(R"(\(docs/gallery/(\w+)\.svg\))");
  int compared = 0;
  for (std::sregex_iterator one(readme.begin(), readme.end(), picture), end; one != end; ++one, ++compared) {
    const std::string name = (*one)[1];
    const Folder folder;
    const Outcome outcome =
        program({"gallery", source_folder() + "/models/" + name + ".alm", "--markdown", folder / "page.md"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto shown = with_numbers_apart(file_text(source_folder() + "/docs/gallery/" + name + ".svg"));
    const auto drawn = with_numbers_apart(file_text(folder / ("page/" + name + ".svg")));
    EXPECT_EQ(shown.first, drawn.first) << name << ": alembert gallery models/*.alm --markdown docs/gallery.md";
    ASSERT_EQ(shown.second.size(), drawn.second.size()) << name;
    // Tenths of pixels differ from machine to machine.
    for (std::size_t i = 0; i < shown.second.size(); ++i) EXPECT_NEAR(shown.second[i], drawn.second[i], 0.31) << name;
  }
  EXPECT_GE(compared, 4);
}

TEST(GalleryPage, IsWrittenByTheProgram) {
  const Folder folder;
  const std::string page = folder / "page.md", models = source_folder() + "/models/";
  const Outcome outcome = program(
      {"gallery", models + "double_pendulum.alm", models + "rail_brake.alm", "--steps", "20", "--markdown", page});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = file_text(page);
  EXPECT_NE(text.find("![rail_brake](page/rail_brake.svg)"), std::string::npos) << text;
  EXPECT_NE(text.find("Reference: closed form"), std::string::npos) << text;
  EXPECT_NE(file_text(folder / "page/double_pendulum.svg").find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace alembert::internal::apps_test
