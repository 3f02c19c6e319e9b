#include "fuzz/targets.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/model/model.h"
#include "alembert/plot/figures.h"
#include "alembert/studio/desk.h"
#include "alembert/text/syntax.h"
#include "alembert/trajectory.h"

namespace alembert::internal::fuzz {
namespace {

void require(bool held, const char* what) {
  if (!held) throw std::logic_error(what);
}

std::shared_ptr<const Source> source_of(std::string_view bytes) {
  return std::make_shared<const Source>(Source{"fuzz.alm", std::string(bytes)});
}

void read_text(std::string_view bytes) {
  std::vector<Diagnostic> errors;
  const Text text = parse(source_of(bytes), errors);
  for (const Diagnostic& error : errors) require(!format(error).empty(), "an error has words");
  if (!errors.empty()) return;
  const std::string printed = print(text);
  require(parse(source_of(printed)) == text, "what is printed is read as the same");
  require(print(parse(source_of(printed))) == printed, "and printed as the same");
}

void read_equations(std::string_view bytes) {
  try {
    const Model model = read_model(source_of(bytes), {}, {}, {});
    derive(model);
  } catch (const InputError& error) { require(*error.what() != 0, "an error has words"); }
}

void read_file(std::string_view bytes, const char* ending) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("alembert_fuzz_" + std::to_string(::getpid()) + ending)).string();
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    const Trajectory trajectory = read_trajectory(path);
    for (const std::vector<double>& column : trajectory.values)
      require(column.size() == trajectory.rows(), "all columns have the same rows");
    for (const Trajectory::EventRow& event : trajectory.events) {
      require(event.values.size() == trajectory.values.size(), "events have the columns of rows");
      require(event.event >= 0 && event.event < static_cast<int>(trajectory.columns.events.size()),
              "events have names");
    }
    require(!to_svg(figure_of(trajectory)).empty(), "it can be drawn");
    require(!page_of(trajectory, "fuzz", "").empty(), "it has a page");
  } catch (const InputError& error) { require(*error.what() != 0, "an error has words"); }
  std::remove(path.c_str());
}

void read_csv_file(std::string_view bytes) { read_file(bytes, ".csv"); }
void read_json_file(std::string_view bytes) { read_file(bytes, ".json"); }
void read_hdf5_file(std::string_view bytes) { read_file(bytes, ".h5"); }

/// A folder that goes with the process.
class OwnFolder {
 public:
  OwnFolder() { std::filesystem::create_directories(path); }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("alembert_fuzz_studio_" + std::to_string(::getpid()));
};

/// What a page may ask for. Runs are interrupted before they begin, and so end after a step.
void answer_request(std::string_view bytes) {
  static const OwnFolder folder;
  static studio::Desk desk(folder.path.string(), folder.path.string());
  const std::atomic<bool> interrupted{true};
  const studio::Reply reply{
      [](const std::string& json) { require(nlohmann::json::accept(json), "progress is told in JSON"); }};
  const nlohmann::json answer =
      nlohmann::json::parse(desk.answer(std::string(bytes), reply, interrupted), nullptr, false);
  require(answer.is_object(), "an answer is a JSON object");
  const std::string kind = answer.value("kind", "");
  require(kind == "result" || kind == "error" || kind == "cancelled", "an answer is of one of three kinds");
  require(kind != "error" || !answer.value("text", "").empty(), "an error has words");
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"text", "text", read_text, false},     {"model", "text", read_equations, false},
      {"csv", "csv", read_csv_file, false},   {"json", "json", read_json_file, false},
      {"hdf5", "hdf5", read_hdf5_file, true}, {"studio", "studio", answer_request, false}};
  return all;
}

}  // namespace alembert::internal::fuzz
