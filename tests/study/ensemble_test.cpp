// Studies of many members: the same rows whatever runs them, files that grow, journals, statistics, maps.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alembert/alembert.h"
#include "alembert/study/table_sinks.h"
#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

using apps_test::file_text;
using apps_test::Folder;

const char falling[] =
    "model \"Falling\"\nparameter h = 1, g = 10, N = 1\ncoordinate y = h\nkinetic y'^2/2\npotential g*y\n"
    "event floor: y = 0\nevent half: y = h/2\nsolve gauss(2) step 0.1 end 2\n";

SweepOptions falling_study() {
  SweepOptions options;
  options.model = std::make_shared<const Source>(Source{"falling.alm", falling});
  options.method = [](const Model& model) { return find_method(*model.solve.method); };
  options.simulation = [](const Model& model) {
    SimulateOptions simulation;
    simulation.step = *model.solve.step;
    simulation.end = *model.solve.end;
    return simulation;
  };
  SweepAxis range{"g"};
  range.first = 5;
  range.last = 15;
  range.count = 11;
  options.axes = {range};
  options.draws = {{"h", Distribution::uniform, 0.5, 1.5}};
  options.members = 20;
  options.columns = {"events.floor.t", "events.floor.count", "events.half.last", "q.y"};
  return options;
}

TEST(Ensembles, EventTimesAreThoseOfAFall) {
  const Sweep table = sweep(falling_study());
  ASSERT_EQ(table.rows.size(), 220U);
  for (const SweepRow& row : table.rows) {
    const double g = std::stod(row.values[0]), h = std::stod(row.values[1]);
    EXPECT_NEAR(std::get<double>(row.cells[0]), std::sqrt(2 * h / g), 1e-13);
    EXPECT_EQ(std::get<long>(row.cells[1]), 1);
    EXPECT_NEAR(std::get<double>(row.cells[2]), std::sqrt(h / g), 1e-13);
    EXPECT_NEAR(std::get<double>(row.cells[3]), h - g * 2, 1e-12);
  }
}

TEST(Ensembles, AnEventThatNeverComesIsNothing) {
  SweepOptions options = falling_study();
  options.draws = {};
  options.members = 1;
  options.axes = {{"h", {"1", "100"}}};
  const Sweep table = sweep(options);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1].cells[0]));
  EXPECT_EQ(std::get<long>(table.rows[1].cells[1]), 0);
}

/// The file that a study leaves.
std::string file_of(SweepOptions options, const std::string& path, int threads) {
  const std::unique_ptr<SweepSink> sink = make_table_sink(path);
  options.sinks = {sink.get()};
  options.threads = threads;
  const SweepOutcome outcome = run_sweep(options);
  EXPECT_EQ(outcome.done, outcome.members);
  return file_text(path);
}

TEST(Ensembles, DoNotDependOnThreads) {
  const Folder folder;
  for (const std::string ending : {".csv", ".json", ".h5"}) {
    const std::string one = file_of(falling_study(), folder / "one" + ending, 1);
    EXPECT_GT(one.size(), 1000U);
    EXPECT_EQ(one, file_of(falling_study(), folder / "two" + ending, 2)) << ending;
    EXPECT_EQ(one, file_of(falling_study(), folder / "seven" + ending, 7)) << ending;
  }
}

/// Stops a study after some members, as a kill does: nothing is tidied up.
class StopAfter final : public SweepSink {
 public:
  explicit StopAfter(std::uint64_t rows) : rows_(rows) {}
  void begin(const SweepHeader&) override {}
  void row(std::uint64_t member, const SweepRow&) override {
    if (member == rows_) throw InputError("stopped");
  }

 private:
  std::uint64_t rows_;
};

TEST(Ensembles, GoOnWhereTheyWereEnded) {
  const Folder folder;
  const std::string whole = file_of(falling_study(), folder / "whole.csv", 2), path = folder / "part.csv";
  SweepOptions options = falling_study();
  options.journal = path + ".journal";
  options.table = path;
  {
    const std::unique_ptr<SweepSink> sink = make_table_sink(path);
    StopAfter stop(100);
    options.sinks = {sink.get(), &stop};
    EXPECT_THROW(run_sweep(options), InputError);
  }
  ASSERT_TRUE(std::filesystem::exists(options.journal));
  // The last record was cut off in the middle.
  std::filesystem::resize_file(options.journal, std::filesystem::file_size(options.journal) - 7);
  options.resume = true;
  SweepOptions other = options;
  other.seed = 5;
  other.sinks = {};
  EXPECT_THROW(run_sweep(other), InputError) << "other draws: another study";
  const std::unique_ptr<SweepSink> sink = make_table_sink(path);
  options.sinks = {sink.get()};
  const SweepOutcome outcome = run_sweep(options);
  EXPECT_GE(outcome.resumed, 100U);
  EXPECT_LT(outcome.resumed, 220U);
  EXPECT_EQ(outcome.done, 220U);
  EXPECT_EQ(file_text(path), whole) << "nothing lost, nothing double";
  EXPECT_FALSE(std::filesystem::exists(options.journal));
  EXPECT_THROW(run_sweep(options), InputError) << "complete: there is nothing to go on with";
}

/// Looks at a file while it grows.
class Reader final : public SweepSink {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}
  void begin(const SweepHeader&) override {}
  void row(std::uint64_t member, const SweepRow&) override {
    if (member != 150) return;
    // What is on disk now; HDF5 itself knows more of a file that it writes.
    std::filesystem::copy_file(path_, path_ + ".copy");
    const Hdf5Rows rows = read_hdf5_members(path_ + ".copy");
    seen_ = rows.rows;
    first_ = rows.first;
  }
  struct Hdf5Rows {
    std::size_t rows = 0;
    double first = 0;
  };
  static Hdf5Rows read_hdf5_members(const std::string& path);
  std::size_t seen_ = 0;
  double first_ = 0;

 private:
  std::string path_;
};

}  // namespace
}  // namespace alembert::internal::testing

#include <hdf5.h>

namespace alembert::internal::testing {
namespace {

Reader::Hdf5Rows Reader::read_hdf5_members(const std::string& path) {
  Hdf5Rows found;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file < 0) return found;
  const hid_t set = H5Dopen2(file, "members", H5P_DEFAULT), space = H5Dget_space(set);
  hsize_t size[2] = {0, 0};
  H5Sget_simple_extent_dims(space, size, nullptr);
  std::vector<double> values(size[0] * size[1]);
  if (!values.empty()) H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  found.rows = size[0];
  found.first = values.empty() ? 0 : values[0];
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  H5Pclose(access);
  return found;
}

TEST(Ensembles, AFileCanBeReadWhileItGrows) {
  const Folder folder;
  SweepOptions options = falling_study();
  const std::string path = folder / "grows.h5";
  const std::unique_ptr<SweepSink> sink = make_table_sink(path);
  Reader reader(path);
  options.sinks = {sink.get(), &reader};
  run_sweep(options);
  EXPECT_EQ(reader.seen_, 151U);
  EXPECT_EQ(reader.first_, 5);
  const Reader::Hdf5Rows all = Reader::read_hdf5_members(path);
  EXPECT_EQ(all.rows, 220U);
}

TEST(Ensembles, StatisticsAreThoseOfTheDistribution) {
  // cos(sqrt(k)) for k from 1/2 to 2, evenly: the mean is the integral of 2 u cos(u) du over that of 1.5.
  SweepOptions options;
  options.model = std::make_shared<const Source>(
      Source{"o.alm",
             "parameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\nsolve gauss(3) step 0.1 end 1\n"});
  const SweepOptions like = falling_study();
  options.method = like.method;
  options.simulation = like.simulation;
  options.draws = {{"k", Distribution::uniform, 0.5, 2}};
  options.members = 4096;
  options.sampling = Sampling::sobol;
  options.columns = {"q.x"};
  StatisticsSink statistics;
  options.sinks = {&statistics};
  run_sweep(options);
  const ColumnStatistics s = statistics.statistics().at(0);
  const auto integral = [](double u) { return 2 * (u * std::sin(u) + std::cos(u)); };
  EXPECT_NEAR(s.mean, (integral(std::sqrt(2)) - integral(std::sqrt(0.5))) / 1.5, 1e-4);
  const auto value = [](double share) { return std::cos(std::sqrt(2 - 1.5 * share)); };  // it falls with k
  const double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(s.quantiles[i], value(shares[i]), 1e-3) << shares[i];
  EXPECT_NEAR(s.least, value(0), 1e-3);
  EXPECT_NEAR(s.most, value(1), 1e-3);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : s.histogram) sum += count;
  EXPECT_EQ(sum, 4096U);
}

TEST(Ensembles, QuantilesOfMoreValuesThanAreKept) {
  RunningStatistics statistics;
  constexpr std::uint64_t n = 5'000'000;  // thinned twice
  // Every value of 0 ... n - 1 once, in no order: n and the factor have no common divisor.
  for (std::uint64_t i = 0; i < n; ++i) statistics.add(static_cast<double>(i * 2'654'435'761U % n));
  EXPECT_EQ(statistics.count(), n);
  EXPECT_NEAR(statistics.mean(), (n - 1) / 2.0, 1e-3);
  EXPECT_NEAR(statistics.deviation(), n / std::sqrt(12.0), 2);
  for (const double share : {0.05, 0.5, 0.95}) EXPECT_NEAR(statistics.quantile(share) / n, share, 1e-3) << share;
}

TEST(Ensembles, AMapHasItsColumnOverItsAxes) {
  SweepOptions options = falling_study();
  options.axes.push_back({"h", {"1", "2", "4"}});
  options.draws = {};
  options.members = 1;
  std::vector<Diagnostic> wrong;
  MapSink sink(read_map("h, g -> events.floor.t", wrong), options.axes);
  EXPECT_TRUE(wrong.empty());
  options.sinks = {&sink};
  run_sweep(options);
  const HeatMap map = sink.map();
  ASSERT_EQ(map.values.size(), 33U);
  for (std::size_t j = 0; j < 11; ++j)
    for (std::size_t i = 0; i < 3; ++i) {
      const double t = std::sqrt(2 * map.x[i] / map.y[j]);
      EXPECT_NEAR(map.values[3 * j + i], t, 1e-12);
    }
  EXPECT_NE(to_svg(map).find("data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  EXPECT_THROW(MapSink({"h", "k", "q.y"}, options.axes), InputError);
  EXPECT_THROW(MapSink({"h", "h", "q.y"}, options.axes), InputError);
  read_map("h -> g", wrong);
  EXPECT_EQ(wrong.size(), 1U);
}

TEST(Ensembles, AFailedMemberDoesNotStopTheOthers) {
  SweepOptions options = falling_study();
  options.model = std::make_shared<const Source>(
      Source{"bead.alm",
             "parameter r = 1\ncoordinate x = 0.5, y = 0.5\nkinetic (x'^2 + y'^2)/2\nconstraint wire: x^2 + y^2 = r\n"
             "solve lobatto(2) step 0.01 end 0.1\n"});
  options.axes = {};
  options.draws = {{"r", Distribution::uniform, -1, 1}};
  options.members = 40;
  options.columns = {"t"};
  const Sweep table = sweep(options);
  for (const SweepRow& row : table.rows) EXPECT_EQ(row.failure.empty(), std::stod(row.values[0]) > 0) << row.values[0];
}

TEST(Ensembles, ClosedAxesAndDrawsTogether) {
  // N decides how many terms there are: compiled for each, in the order of the members all the same.
  SweepOptions options = falling_study();
  options.model = std::make_shared<const Source>(
      Source{"n.alm",
             "parameter N = 1, g = 1\ncoordinate y\nkinetic y'^2/2\npotential sum(i = 1..N, g*y)\nsolve gauss(2) step "
             "0.1 end 1\n"});
  options.axes = {{"N", {"1", "2", "3"}}};
  options.draws = {{"g", Distribution::uniform, 1, 2}};
  options.members = 4;
  options.columns = {"q.y"};
  const Sweep table = sweep(options);
  ASSERT_EQ(table.rows.size(), 12U);
  for (const SweepRow& row : table.rows)
    EXPECT_NEAR(std::get<double>(row.cells[0]), -std::stod(row.values[0]) * std::stod(row.values[1]) / 2, 1e-13);
  options.draws[0].name = "N";
  options.axes = {};
  EXPECT_THROW(sweep(options), InputError) << "sizes are not drawn";
}

}  // namespace

TEST(Ensembles, InThePublicHeaders) {
  using namespace alembert;
  const alembert::Model model = read_model_text(falling, {"g=20"});
  const Ensemble found = ensemble(model, alembert::find_method("gauss(2)"),
                                  {.axes = {{"h", {0.5, 1, 2}}},
                                   .draws = {{"y'", Distribution::normal, 0, 1}},
                                   .members = 50,
                                   .columns = {"events.floor.t"},
                                   .run = {.end = 2, .step = 0.1}});
  ASSERT_EQ(found.rows.size(), 150U);
  EXPECT_EQ(found.names, (std::vector<std::string>{"h", "y'"}));
  for (const EnsembleRow& row : found.rows) {
    const double h = std::stod(row.values[0]), v = std::stod(row.values[1]);
    EXPECT_NEAR(std::get<double>(row.cells[0]), (v + std::sqrt(v * v + 40 * h)) / 20, 1e-12) << "g as it was replaced";
  }
  EXPECT_EQ(found.statistics.at(0).count, 150U);
  EXPECT_THROW(ensemble(model, alembert::find_method("gauss(2)"), {.axes = {{"nothing", {1}}}}), alembert::InputError);
}

}  // namespace alembert::internal::testing
