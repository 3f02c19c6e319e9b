// What a wrong model does to the program: an exit code, a message for its author, and never anything else.
//
// tests/malformed holds one mistake a file, in folders by kind: each folder is a test of its own. The first line says
// what must come out: "# expect CODE: part of the message"; further parts follow as "# and: ...". Files that no editor
// would write, and the huge ones, are made here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "alembert/model/model.h"
#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

// Seconds on a processor; the sanitizers make everything ten times slower.
#ifdef __SANITIZE_ADDRESS__
constexpr int limit_seconds = 100;
#else
constexpr int limit_seconds = 10;
#endif
constexpr std::size_t at_a_time = 4;

struct Expected {
  int code = 0;
  std::vector<std::string> parts;
};

struct Case {
  std::string kind, name, path;
  Expected expected;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Expected expectation(const std::string& text) {
  Expected expected;
  const std::string first = "# expect ", further = "# and: ";
  for (const std::string& line : lines_of(text)) {
    if (expected.code == 0) {
      if (line.rfind(first, 0) != 0 || line.size() < first.size() + 4) break;
      expected.code = line[first.size()] - '0';
      expected.parts.push_back(line.substr(first.size() + 3));
    } else if (line.rfind(further, 0) == 0) {
      expected.parts.push_back(line.substr(further.size()));
    }
  }
  return expected;
}

const std::filesystem::path folder_of_kinds = std::filesystem::path(source_folder()) / "tests" / "malformed";

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_kinds))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Case> files(const std::string& kind) {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_of_kinds / kind)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    cases.push_back({kind, entry.path().stem().string(), path, expectation(file_text(path))});
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.path < b.path; });
  return cases;
}

/// The rows that a failed run left: whole, from the start on, and in the order of time.
void expect_trajectory(const std::string& csv, double reached) {
  const std::vector<std::string> lines = lines_of(file_text(csv));
  std::vector<std::string> rows;
  for (const std::string& line : lines)
    if (!line.empty() && line[0] != '#') rows.push_back(line);
  ASSERT_GE(rows.size(), 2u) << "a header and the row of the start";
  const auto commas = std::count(rows[0].begin(), rows[0].end(), ',');
  double before = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(std::count(rows[i].begin(), rows[i].end(), ','), commas) << rows[i];
    const double t = std::stod(rows[i]);
    EXPECT_TRUE(i == 1 ? t == 0 : std::abs(t) > std::abs(before)) << t << " after " << before;
    before = t;
  }
  EXPECT_EQ(before, reached) << "the last row is where the run ended";
}

void expect_outcome(const Case& wrong, const Outcome& outcome, const std::string& csv) {
  SCOPED_TRACE(wrong.kind + "/" + wrong.name + "\n" + outcome.err.substr(0, 2000));
  EXPECT_EQ(outcome.code, wrong.expected.code) << "128 and more is a signal, 152 and 137 too slow";
  for (const std::string& part : wrong.expected.parts) EXPECT_TRUE(contains(outcome.err, part)) << part;
  EXPECT_FALSE(contains(outcome.err, "internal error"));
  EXPECT_FALSE(contains(outcome.err, "broken promise"));
  EXPECT_LT(outcome.err.size(), 32000u) << "nobody reads more";
  for (const char c : outcome.err) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') ADD_FAILURE() << "control character " << int(c);
  }
  if (outcome.code == 2) {
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(csv)) << "a file may not be replaced by nothing";
    // What the options could have given too has no place in the model.
    const bool placeless = wrong.kind == "refuse" || wrong.kind == "solve";
    EXPECT_TRUE(placeless || contains(outcome.err, ".alm:")) << "a place in the file";
  }
  if (outcome.code == 1) {
    const nlohmann::json report = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(report.is_object()) << outcome.out.substr(0, 500);
    EXPECT_EQ(report["ending"], "failed");
    EXPECT_TRUE(contains(outcome.err, report["reason"].get<std::string>()));
    expect_trajectory(csv, report["t"].get<double>());
  }
}

/// Most mistakes show when the model is read; the program only prints what is thrown then. Gives those that the program
/// itself must meet: all that are read without an error, and every fifth of the others.
std::vector<Case> read_all(const std::vector<Case>& cases) {
  std::vector<Case> left;
  int refused = 0;
  for (const Case& wrong : cases) {
    try {
      read_model(wrong.path);
      left.push_back(wrong);
    } catch (const InputError& error) {
      expect_outcome(wrong, {2, "", error.what()}, "");
      if (refused++ % 5 == 0) left.push_back(wrong);
    } catch (const std::exception& error) { ADD_FAILURE() << wrong.name << ": " << error.what(); }
  }
  return left;
}

void run_all(const std::vector<Case>& cases) {
  const Folder folder;
  std::vector<std::unique_ptr<Process>> running;
  const auto csv = [&](std::size_t i) { return folder / std::to_string(i) + ".csv"; };
  for (std::size_t i = 0; i < cases.size() + at_a_time; ++i) {
    if (i >= at_a_time && i - at_a_time < cases.size()) {
      const std::size_t done = i - at_a_time;
      expect_outcome(cases[done], running[done]->wait(), csv(done));
      running[done].reset();
    }
    if (i >= cases.size()) continue;
    const std::vector<std::string> arguments = {"run", cases[i].path, "--json", "--out", csv(i)};
    running.push_back(std::make_unique<Process>(arguments, ""));
    running.back()->limit_cpu(limit_seconds);
  }
}

class Malformed : public testing::TestWithParam<std::string> {};

TEST_P(Malformed, EndsWithACodeAndAMessage) {
  const std::vector<Case> cases = files(GetParam());
  ASSERT_FALSE(cases.empty());
  run_all(read_all(cases));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Malformed, testing::ValuesIn(kinds()), [](const auto& info) { return info.param; });

TEST(MalformedFiles, AreManyAndSayWhatIsExpected) {
  std::size_t count = 0;
  for (const std::string& kind : kinds())
    for (const Case& one : files(kind)) {
      ++count;
      EXPECT_EQ(std::filesystem::path(one.path).extension(), ".alm") << one.path;
      EXPECT_TRUE(one.expected.code == 1 || one.expected.code == 2) << one.path;
      for (const std::string& part : one.expected.parts) EXPECT_FALSE(part.empty()) << one.path;
    }
  EXPECT_GE(count, 200u);
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_kinds))
    EXPECT_TRUE(entry.is_directory()) << entry.path() << " is in no folder and in no test";
}

/// The word that a line, or the line that it goes on from, begins with.
std::string keyword_of(const std::string& text, int line) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  }
  std::size_t at = std::min(lines.size(), static_cast<std::size_t>(std::max(line, 1))) - 1;
  while (at > 0 && (lines[at].empty() || !std::isalpha(static_cast<unsigned char>(lines[at][0])))) --at;
  return lines[at].substr(0, lines[at].find(' '));
}

// How many files have something wrong in each statement of the second part of the language.
TEST(MalformedFiles, CoverEveryStatementOfTheSecondPart) {
  std::map<std::string, int> count;
  for (const std::string& kind : kinds())
    for (const Case& one : files(kind)) {
      std::set<std::string> keywords;
      try {
        read_model(one.path);
      } catch (const InputError& error) {
        for (const Diagnostic& d : error.diagnostics())
          if (d.source) keywords.insert(keyword_of(d.source->text, d.place.line));
      }
      for (const std::string& keyword : keywords) ++count[keyword];
    }
  int all = 0;
  for (const char* keyword : {"body", "component", "contact", "draw", "drive", "event", "family", "input", "joint",
                              "load", "observe", "rate", "spring", "stop", "table", "torsion", "variable", "when"}) {
    EXPECT_GE(count[keyword], 12) << keyword;
    all += count[keyword];
  }
  EXPECT_GE(all, 300);
}

// What no editor writes.

struct Made {
  const char* name;
  std::string text;
  const char* part;
};

std::string bytes(std::initializer_list<int> list) {
  std::string text;
  for (const int b : list) text += static_cast<char>(b);
  return text;
}

std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

/// The same rubbish on every machine.
std::string noise(std::size_t size, unsigned lowest) {
  std::string text;
  unsigned long long state = 88172645463325252ull;
  while (text.size() < size) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const unsigned byte = (state >> 32) & 0xFF;
    if (byte >= lowest) text += static_cast<char>(byte);
  }
  return text;
}

std::string numbered(const std::string& before, const std::string& after, int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += before + std::to_string(i) + after;
  return text;
}

std::vector<Made> rubbish() {
  const std::string sound = "coordinate x\nkinetic x'^2/2\nsolve gauss(2) step 0.1 end 1\n";
  const char* nothing = "the model says nothing about its motion";
  return {
      {"empty", "", nothing},
      {"one_blank", " ", nothing},
      {"line_ends", repeated("\n", 1000), nothing},
      {"mark_alone", bytes({0xEF, 0xBB, 0xBF}), nothing},
      {"zero_byte", bytes({0}), "it holds the byte 0x00"},
      {"zero_inside", sound + bytes({0}) + sound, "it holds the byte 0x00"},
      {"zeros", std::string(100000, '\0'), "it holds the byte 0x00"},
      {"utf16", bytes({0xFF, 0xFE, 'c', 0, 'o', 0, 'o', 0, 'r', 0, 'd', 0}), "this is not a text"},
      {"elf", bytes({0x7F, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0}), "this is not a text"},
      {"png", bytes({0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13}), "this is not a text"},
      {"gzip", bytes({0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3}), "this is not a text"},
      {"noise", noise(20000, 0), "this is not a text"},
      {"noise_without_zeros", noise(20000, 1), "this is not a text"},
      {"noise_of_high_bytes", noise(20000, 0x80), "this is not a text"},
      {"latin1", "coordinate x\nkinetic x'^2/2   # " + bytes({0xFC}) + "ber\npotential " + bytes({0xE4}) + "\n",
       "0xE4"},
      {"cut_character", "coordinate x\nkinetic x'^2/2\npotential x" + bytes({0xE2, 0x82}), "UTF-8"},
      {"overlong_character", sound + bytes({0xC0, 0xAF}), "UTF-8"},
      {"surrogate", sound + bytes({0xED, 0xA0, 0x80}), "UTF-8"},
      {"bell", sound + "potential x" + bytes({7}), "unexpected character 0x07"},
      {"escape_codes", sound + "potential x + " + bytes({27}) + "[31mred", "unexpected character 0x1B"},
      {"quoted_bell", "model \"ding" + bytes({7}) + "\"\n" + sound,
       "the quoted text holds characters that nobody can see"},
      {"emoji", sound + "potential \xF0\x9F\x98\x80", "unexpected character"},
      {"zero_width", "coordinate x\xE2\x80\x8By\nkinetic x'^2", "unexpected character"},
      // Huge, deep and long.
      {"brackets_100000", sound + "potential " + repeated("(", 100000) + "x" + repeated(")", 100000), "nested"},
      {"brackets_open_1000000", sound + "potential " + repeated("(", 1000000), "nested"},
      {"brackets_square", sound + "potential x" + repeated("[1", 100000), "nested"},
      {"minus_100000", sound + "potential " + repeated("-", 100000) + "x", "nested"},
      {"powers_100000", sound + "potential x" + repeated("^x", 100000), "nested"},
      {"calls_100000", sound + "potential " + repeated("sin(", 100000) + "x" + repeated(")", 100000), "nested"},
      {"primes_100000", sound + "potential x" + repeated("'", 100000), "there is no second prime"},
      {"lets_20000",
       sound + "let a0 = x\n" +
           [] {
             std::string text;
             for (int i = 20000; i > 0; --i)
               text += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1\n";
             return text;
           }() +
           "potential a20000",
       "nested too deeply"},
      {"functions_doubling",
       sound + "let f0(a) = a + 1\n" +
           [] {
             std::string text;
             for (int i = 1; i < 60; ++i) {
               const std::string inner = "f" + std::to_string(i - 1);
               text += "let f" + std::to_string(i) + "(a) = " + inner + "(a)*" + inner + "(a + 1)\n";
             }
             return text;
           }() +
           "potential f59(x)",
       "too large"},
      {"lines_100000", sound + numbered("potential x*", "\n", 100000) + "potential y\n", "unknown name 'y'"},
      {"rubbish_lines_100000", numbered("what is this ", "?\n", 100000), "more error"},
      {"unknown_names_100000", sound + "potential " + numbered("u", " + ", 100000) + "x", "unknown name 'u1'"},
      {"open_bracket_above_100000_lines", "coordinate x\nkinetic (x'^2/2\n" + numbered("parameter p", " = 1\n", 100000),
       "'(' is not closed"},
      {"sum_100000_then_a_mistake", sound + "potential " + repeated("x^2 + ", 100000) + "lenght",
       "unknown name 'lenght'"},
      {"digits_in_name", sound + "potential x" + std::string(200000, '1'), "unknown name 'x111"},
      {"many_names_and_many_unknown",
       sound + numbered("parameter p", " = 1\n", 20000) + "potential " + numbered("q", " + ", 20000) + "x",
       "unknown name 'q1'"},
      {"name_1000000", sound + "potential " + std::string(1000000, 'a'), "unknown name"},
      {"digits_1000000", sound + "parameter m = " + std::string(1000000, '9'), "this number is too large"},
      {"text_not_closed_1000000", "model \"" + std::string(1000000, 'a') + "\n" + sound,
       "the quoted text is not closed"},
      {"sizes", "coordinate a[999999], b[999999]\nkinetic norm2(a') + norm2(b')\n", "more than 1,000,000"},
      {"sums_in_sums", sound + "potential sum(i = 1..1000, sum(j = 1..1000, sum(k = 1..1000, sin(i*j*k*x))))\n",
       "too large"},
      {"family_members", sound + "family i = 1..1000, j = 1..1000, k = 1..1000\nconserve c: x*i*j*k\n", "too large"},
  };
}

TEST(MalformedBytes, AreRefusedWithAMessage) {
  const Folder folder;
  std::vector<Case> cases;
  for (const Made& made : rubbish()) {
    const std::string path = folder.write(std::string(made.name) + ".alm", made.text);
    cases.push_back({"made", made.name, path, {2, {made.part}}});
  }
  run_all(cases);
}

TEST(MalformedBytes, FilesThatCannotBeRead) {
  const Folder folder;
  for (const std::string& path :
       {folder / "missing.alm", folder / ".", std::string("/dev/null/x.alm"), std::string()}) {
    const Outcome outcome = program({"run", path});
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_NE(outcome.err, "") << path;
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
