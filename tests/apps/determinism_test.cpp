// The same bits, whatever computes them and whoever looks: docs/determinism.md.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

std::string model_path(const std::string& name) { return source_folder() + "/models/" + name + ".alm"; }

/// The file that a command writes behind --out.
std::string written(const Folder& folder, std::vector<std::string> list) {
  const std::string out = folder / "bits.csv";
  list.insert(list.end(), {"--out", out, "-q"});
  const Outcome outcome = program(list, "");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return file_text(out);
}

class SameBits : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SameBits, WhateverIsKeptAndWhoeverLooks) {
  const Folder folder;
  std::vector<std::string> run = GetParam();
  run.insert(run.begin(), "run");
  run[1] = model_path(run[1]);
  const std::string usual = written(folder, run);
  ASSERT_GT(usual.size(), 1000u);
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return written(folder, more);
  };
  EXPECT_EQ(with({}), usual) << "again, with what is kept";
  EXPECT_EQ(with({"--no-cache"}), usual);
  EXPECT_EQ(with({"--plot", folder / "p.svg"}), usual);
  EXPECT_EQ(with({"--checkpoint", folder / "c", "--checkpoint-every", "17"}), usual);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, SameBits,
    ::testing::Values(
        std::vector<std::string>{"double_pendulum", "--method", "lobatto(2)", "--step", "0.001", "--end", "3"},
        std::vector<std::string>{"heavy_top", "--method", "lobatto(3)", "--step", "0.0005", "--end", "0.2"},
        std::vector<std::string>{"snakeboard", "--method", "gauss(2)", "--step", "0.01", "--end", "2"},
        std::vector<std::string>{"double_pendulum", "--tolerance", "1e-8", "--end", "3"}),
    [](const auto& info) { return "run_" + std::to_string(info.index); });

TEST(SameBits, WhateverTheThreads) {
  const Folder folder;
  for (const char* device : {"cpu", "lanes"}) {
    const auto table = [&](const std::string& threads) {
      return written(folder, {"sweep", model_path("double_pendulum"), "--vary", "l2=0.5:1.5:23", "--method",
                              "lobatto(2)", "--step", "0.002", "--end", "1", "--report", "q,v,energy.max_error",
                              "--device", device, "--threads", threads});
    };
    const std::string one = table("1");
    ASSERT_GT(one.size(), 1000u);
    EXPECT_EQ(table("2"), one) << device;
    EXPECT_EQ(table("5"), one) << device;
  }
}

/// A member in lanes does not see who is beside it: the first rows of a long study are those of a short one.
TEST(SameBits, WhateverIsBesideAMemberInLanes) {
  const Folder folder;
  const auto rows = [&](const std::string& values) {
    return written(folder, {"sweep", model_path("double_pendulum"), "--vary", "l2=" + values, "--method", "lobatto(2)",
                            "--step", "0.002", "--end", "1", "--report", "q,v", "--device", "lanes"});
  };
  const std::string few = rows("0.5,0.7,0.9"), many = rows("0.5,0.7,0.9,1.1,1.3,0.55,0.65,0.75,0.85,0.95,1.05");
  EXPECT_EQ(many.substr(0, few.size()), few);
}

}  // namespace
}  // namespace alembert::internal::apps_test
