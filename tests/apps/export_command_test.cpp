// alembert export: both ways of saying where the C goes, and a motion of the compiled source beside `run`.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

TEST(ExportCommand, FileBehindTheOptionOrBehindOut) {
  const Folder folder;
  const std::string model = folder.write("pendulum.alm", pendulum);
  const Outcome one = program({"export", model, "--c", folder / "one.c"});
  EXPECT_EQ(one.code, 0) << one.err;
  const Outcome two = program({"export", "--c", model, "--out", folder / "two.c"});
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_NE(file_text(folder / "one.c").find("one_steps"), std::string::npos);
  EXPECT_NE(file_text(folder / "two.h").find("two_steps"), std::string::npos);
}

TEST(ExportCommand, SaysWhatIsMissing) {
  const Folder folder;
  const std::string model = folder.write("pendulum.alm", pendulum);
  const Outcome nothing = program({"export", model});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("--c step.c"), std::string::npos) << nothing.err;
  const Outcome no_model = program({"export", "--c", folder / "a.c"});
  EXPECT_EQ(no_model.code, 2);
  EXPECT_NE(no_model.err.find("MODEL is missing"), std::string::npos) << no_model.err;
  EXPECT_EQ(program({"export", model, "--c", folder / "a.c", "--out", folder / "b.c"}).code, 2);
  EXPECT_EQ(program({"export", model, "--c", folder / "a.txt"}).code, 2);
}

TEST(ExportCommand, CompiledSourceMovesAsTheProgram) {
  const Folder folder;
  const std::string model = folder.write("pendulum.alm", pendulum);
  ASSERT_EQ(program({"export", model, "--c", folder / "swing.c", "--step", "0.01"}).code, 0);
  const std::string caller = folder.write("main.c",
                                          "#include <stdio.h>\n#include \"swing.h\"\n"
                                          "int main(void) {\n  swing_motion m;\n  swing_begin(&m, 0, 0.01, 0, 0);\n"
                                          "  if (swing_steps(&m, 100, 0) != SWING_MADE) return 1;\n"
                                          "  printf(\"%.17g %.17g\\n\", swing_state(&m)[0], swing_state(&m)[1]);\n"
                                          "  return 0;\n}\n");
  const std::string made = folder / "swing";
  const std::string compile =
      "cc -std=c99 -O1 -ffp-contract=off '" + (folder / "swing.c") + "' '" + caller + "' -lm -o '" + made + "'";
  ASSERT_EQ(std::system(compile.c_str()), 0);
  ASSERT_EQ(std::system(("'" + made + "' > '" + (folder / "said") + "'").c_str()), 0);
  std::istringstream said(file_text(folder / "said"));
  double x = 0, y = 0;
  said >> x >> y;
  const auto run = nlohmann::json::parse(program({"run", model, "--step", "0.01", "--end", "1", "--json"}).out);
  EXPECT_NEAR(x, run["q"]["x"].get<double>(), 1e-14);
  EXPECT_NEAR(y, run["q"]["y"].get<double>(), 1e-14);
}

}  // namespace
}  // namespace alembert::internal::apps_test
