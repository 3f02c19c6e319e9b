// The gallery, spoilt at random: whatever comes out of a text is a report or an InputError, never anything else.
// The mutations are the same on every machine; ALEMBERT_FUZZ=3000 makes 3000 a model instead of 60.
// Compiled only: what is spoilt here are texts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

std::vector<std::pair<std::string, std::string>> gallery_texts() {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(entry.path().stem().string(), std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<std::string> pieces(const std::string& text, bool lines) {
  std::vector<std::string> list;
  std::string piece;
  int kind = -1;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    const int now = lines ? 0 : word ? 1 : c == ' ' ? 2 : 3;
    if (!lines && (now != kind || now == 3) && !piece.empty()) list.push_back(std::exchange(piece, {}));
    piece += c;
    kind = now;
    if (lines && c == '\n') list.push_back(std::exchange(piece, {}));
  }
  if (!piece.empty()) list.push_back(piece);
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& piece : list) text += piece;
  return text;
}

class Mutator {
 public:
  Mutator(Random& random, std::vector<std::string> words, std::vector<std::string> lines)
      : random_(random), words_(std::move(words)), lines_(std::move(lines)) {}

  std::string operator()(std::string text) {
    const std::size_t count = 1 + below(random_, 3);
    for (std::size_t i = 0; i < count; ++i) {
      switch (below(random_, 4)) {
        case 0: change_bytes(text); break;
        case 1: text = changed(pieces(text, true), lines_); break;
        default: text = changed(pieces(text, false), words_); break;
      }
    }
    return text;
  }

 private:
  void change_bytes(std::string& text) {
    const std::size_t at = below(random_, text.size());
    const char byte = below(random_, 4) == 0 ? static_cast<char>(below(random_, 256))
                                             : "()[]',=+-*/^:.#\"0123456789xqtNe \n"[below(random_, 33)];
    switch (below(random_, 3)) {
      case 0: text.insert(at, 1, byte); break;
      case 1:
        if (!text.empty()) text.erase(at, 1 + below(random_, 8));
        break;
      default:
        if (!text.empty()) text[at] = byte;
    }
  }

  std::string changed(std::vector<std::string> list, const std::vector<std::string>& others) {
    if (list.empty()) return others[below(random_, others.size())];
    const std::size_t at = below(random_, list.size()), to = below(random_, list.size());
    const std::string& other = others[below(random_, others.size())];
    switch (below(random_, 5)) {
      case 0: list.erase(list.begin() + static_cast<long>(at)); break;
      case 1: list.insert(list.begin() + static_cast<long>(at), list[to]); break;
      case 2: std::swap(list[at], list[to]); break;
      case 3: list[at] = other; break;
      default: list.insert(list.begin() + static_cast<long>(at), other);
    }
    return joined(list);
  }

  Random& random_;
  std::vector<std::string> words_, lines_;
};

Method method_of(const Model& model) {
  try {
    if (model.solve.method) return find_method(*model.solve.method);
  } catch (const InputError&) {  // as good as any other ending; go on with the one that takes most models
  }
  return find_method("lobatto", {2});
}

enum class End { refused, failed, ran, large };

/// All that `alembert run` does with a text, for three steps.
End attempt(const std::string& text) {
  try {
    const Model model = read_model(std::make_shared<const Source>(Source{"spoilt.alm", text}));
    if (model.q.size() > 60 || model.graph->size() > 20000) return End::large;
    const Equations equations = derive(model);
    SimulateOptions options;
    options.newton.kernel = {Backend::interpreter, false};
    options.step = model.solve.step.value_or(0.01);
    options.end = 3 * options.step;
    if (!std::isfinite(options.end)) return End::large;
    const Report report = simulate(model, equations, method_of(model), options);
    if (report.ending == Ending::failed) {
      EXPECT_NE(report.reason, "") << text;
      return End::failed;
    }
    return End::ran;
  } catch (const InputError& error) {
    EXPECT_STRNE(error.what(), "");
    return End::refused;
  }
}

int mutations_a_model() {
  const char* asked = std::getenv("ALEMBERT_FUZZ");
  return asked ? std::atoi(asked) : 60;
}

TEST(Fuzz, SpoiltModelsGiveAReportOrAnInputError) {
  const auto texts = gallery_texts();
  ASSERT_GE(texts.size(), 10u);
  std::vector<std::string> lines,
      words = {"0",    "-1",  "1e308",     "1e-308",      "99999999",     "2147483648", "0.5", "1/0", "0/0",
               "t",    "pi",  "sqrt(",     "log(",        "norm(",        "sum(",       "for", "of",  "=",
               ",",    "'",   "''",        "[0]",         "[1]",          "^",          "(",   ")",   "1..3",
               "step", "end", "reaction(", "constraint ", "hamiltonian ", "momentum ",  "pin "};
  for (const auto& [name, text] : texts) {
    for (const std::string& line : pieces(text, true)) lines.push_back(line);
    for (const std::string& word : pieces(text, false)) words.push_back(word);
  }
  int ends[4] = {};
  for (const auto& [name, text] : texts) {
    Random random(20240229 + text.size());
    Mutator mutate(random, words, lines);
    for (int i = 0; i < mutations_a_model(); ++i) {
      const std::string spoilt = mutate(text);
      const std::clock_t start = std::clock();
      try {
        ++ends[static_cast<int>(attempt(spoilt))];
      } catch (const std::exception& error) {
        ADD_FAILURE() << name << ", mutation " << i << ": " << error.what() << "\n" << spoilt;
      }
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      EXPECT_LT(seconds, 10) << name << ", mutation " << i << " takes too long\n" << spoilt;
    }
  }
  // The mutations neither spoil everything nor nothing.
  EXPECT_GT(ends[static_cast<int>(End::refused)], 0);
  EXPECT_GT(ends[static_cast<int>(End::ran)], 0);
  RecordProperty("refused", ends[0]);
  RecordProperty("failed", ends[1]);
  RecordProperty("ran", ends[2]);
  RecordProperty("large", ends[3]);
}

}  // namespace
}  // namespace alembert::internal
