// Compiled code that is kept between runs changes the speed and nothing else; run --profile.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

/// An environment variable for the time of a test; the program inherits it.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    had_ = before != nullptr;
    if (before) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    if (had_) ::setenv(name_, before_.c_str(), 1);
    else ::unsetenv(name_);
  }

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

const std::string model = source_folder() + "/models/double_pendulum.alm";

/// What a run of the first page says, without times, and the whole trajectory.
std::string run_trace(const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> arguments{"run", model, "--json", "--out", folder / "a.csv", "--every", "100"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Json report = Json::parse(outcome.out);
  report["statistics"].erase("compile_seconds");
  report["statistics"].erase("run_seconds");
  report.erase("profile");
  return report.dump() + file_text(folder / "a.csv");
}

std::vector<std::string> kept(const std::string& folder) {
  std::vector<std::string> files;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  return files;
}

bool has_compiler() {
  const Folder folder;
  const Environment base("XDG_CACHE_HOME", folder / "base"), cache("ALEMBERT_CACHE", "64M");
  run_trace();
  return !kept(folder / "base/alembert").empty();
}

TEST(CodeCache, changes_nothing_but_the_speed) {
  if (!has_compiler()) GTEST_SKIP() << "nothing is compiled in this build";
  const Folder folder;
  const Environment base("XDG_CACHE_HOME", folder / "base"), cache("ALEMBERT_CACHE", "64M");
  const std::string without = run_trace({"--no-cache"});
  EXPECT_TRUE(kept(folder / "base/alembert").empty());
  EXPECT_EQ(run_trace(), without);  // writes
  const std::vector<std::string> files = kept(folder / "base/alembert");
  EXPECT_FALSE(files.empty());
  struct stat status {};
  ASSERT_EQ(::stat((folder / "base/alembert").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(run_trace(), without);  // reads
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string text = file_text(files[i]);
    if (i % 2 == 0) text.resize(text.size() / 2);
    else text[text.size() / 2] = static_cast<char>(text[text.size() / 2] + 1);
    std::ofstream(files[i], std::ios::binary | std::ios::trunc) << text;
  }
  EXPECT_EQ(run_trace(), without);  // finds them damaged
  {
    const Environment off("ALEMBERT_CACHE", "off");
    std::filesystem::remove_all(folder / "base");
    EXPECT_EQ(run_trace(), without);
    EXPECT_FALSE(std::filesystem::exists(folder / "base"));
  }
  {
    const Environment nowhere("XDG_CACHE_HOME", "/dev/null/nowhere");
    EXPECT_EQ(run_trace(), without);
  }
}

TEST(CodeCache, says_what_it_does_not_understand) {
  const Environment cache("ALEMBERT_CACHE", "plenty");
  const Outcome outcome = program({"run", "-"}, pendulum);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("ALEMBERT_CACHE is 'plenty'"), std::string::npos) << outcome.err;
}

TEST(CodeCache, the_option_may_stand_anywhere) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--no-cache", "check", "-"},
                                                    {"check", "--no-cache", "-"},
                                                    {"check", "-", "--no-cache"}})
    EXPECT_EQ(program(arguments, pendulum).code, 0);
  EXPECT_EQ(program({"check", "-", "--no-cach"}, pendulum).code, 2);
}

TEST(ProfileOption, shares_make_the_whole_run) {
  const Outcome outcome = program({"run", model, "--json", "--profile"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  double all = 0;
  for (const auto& [name, seconds] : report["profile"].items()) {
    EXPECT_GE(seconds.get<double>(), 0) << name;
    if (name != "compiling_beside") all += seconds.get<double>();
  }
  const Json& profile = report["profile"];
  for (const char* name : {"evaluation", "factorisation", "prediction", "watching", "preparing"})
    EXPECT_GT(profile[name].get<double>(), 0) << name;
  const double run = report["statistics"]["run_seconds"].get<double>();
  EXPECT_GE(all, run);
  EXPECT_EQ(program({"run", model, "--quiet", "--profile"}).code, 2);
  const Outcome table = program({"run", "-", "--profile"}, pendulum);
  EXPECT_NE(table.out.find("factorisation"), std::string::npos) << table.out;
}

}  // namespace
}  // namespace alembert::internal::apps_test
