// The public call for grids and draws.

#include "alembert/base/inside.h"
#include "alembert/error.h"
#include "alembert/model/model.h"
#include "alembert/study/member_columns.h"
#include "alembert/study/nodes.h"
#include "alembert/study/table_sinks.h"

namespace alembert {

namespace {

/// The values of an axis as texts that read back as the same numbers.
internal::SweepAxis internal_axis(const StudyAxis& axis) {
  if (axis.values.empty()) throw InputError("the axis '" + axis.name + "' has no values");
  internal::SweepAxis made{axis.name};
  for (const double value : axis.values) made.values.push_back(to_text(value));
  return made;
}

/// Puts what comes in where the result is.
class EnsembleSink final : public internal::SweepSink {
 public:
  EnsembleSink(Ensemble& to, bool keep) : to_(to), keep_(keep) {}
  void begin(const internal::SweepHeader& header) override {
    to_.names = header.names;
    to_.columns = header.columns;
  }
  void row(std::uint64_t, const internal::SweepRow& row) override {
    if (keep_) to_.rows.push_back(row);
  }

 private:
  Ensemble& to_;
  bool keep_;
};

}  // namespace

std::vector<decltype(ReportEntry::value)> cells(const Report& report, const std::vector<std::string>& columns) {
  return internal::member_cells(report, columns);
}

std::vector<Values> draw_members(const std::vector<Draw>& draws, std::uint64_t members, std::uint64_t seed,
                                 Sampling sampling) {
  if (members < 1) throw InputError("`members` is at least 1");
  const internal::Design design({}, draws, members, seed, sampling);
  std::vector<Values> values(members);
  for (std::uint64_t i = 0; i < members; ++i)
    for (std::size_t k = 0; k < draws.size(); ++k) values[i][draws[k].name] = design.drawn(i, k);
  return values;
}

Ensemble ensemble(const Model& model, const Method& method, const EnsembleOptions& asked) {
  if (!asked.run.observers.empty()) throw InputError("members run side by side: observers would get the rows mixed");
  if (asked.members < 1) throw InputError("`members` is at least 1");
  internal::SweepOptions options;
  options.model = internal::inside(model).source;
  options.ready = &internal::inside(model);
  for (const StudyAxis& axis : asked.axes) options.axes.push_back(internal_axis(axis));
  options.draws = asked.draws;
  options.members = asked.members;
  options.seed = asked.seed;
  options.sampling = asked.sampling;
  options.columns = asked.columns;
  options.method = [&](const internal::Model&) { return internal::inside(method); };
  options.simulation = [&](const internal::Model&) {
    SimulateOptions run = asked.run;
    run.progress = {};
    return run;
  };
  options.threads = asked.threads;
  options.progress = asked.run.progress;
  options.interrupt = asked.run.interrupt;
  Ensemble result;
  EnsembleSink sink(result, asked.keep_rows);
  internal::StatisticsSink statistics;
  options.sinks = {&sink, &statistics};
  std::unique_ptr<internal::SweepSink> table;
  if (!asked.out.empty()) {
    table = internal::make_table_sink(asked.out);
    options.sinks.push_back(table.get());
    options.journal = asked.out + ".journal";
    options.table = asked.out;
    options.resume = asked.resume;
  } else if (asked.resume) {
    throw InputError("`resume` goes with `out`: the finished members are beside it");
  }
  const internal::SweepOutcome outcome = internal::run_sweep(options);
  result.statistics = statistics.statistics();
  result.members = outcome.members;
  result.done = outcome.done;
  result.failed = outcome.failed;
  return result;
}

}  // namespace alembert
