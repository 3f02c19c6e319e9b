#include "alembert/study/sweep.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "alembert/error.h"
#include "alembert/run/report_names.h"
#include "alembert/study/journal.h"
#include "alembert/study/member_columns.h"
#include "alembert/study/member_groups.h"
#include "alembert/study/nodes.h"
#include "alembert/study/sweep_check.h"
#include "alembert/version.h"

namespace alembert::internal {

namespace {

/// Members of one group, by their places in it.
struct Work {
  std::uint64_t group = 0;
  std::vector<std::uint64_t> places;
};

/// Where threads get work and bring what came out.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Takes the results of work that is done (none the first time), and gives at most about `wanted` members, none where
  /// nothing is left. Called by several threads at once.
  virtual Work exchange(const Work& done, std::vector<MemberResult> results, std::size_t wanted) = 0;
  /// No further work is given.
  virtual void stop() = 0;
};

/// Results become rows in the order of the members.
class RowOrder {
 public:
  RowOrder(const SweepOptions& options, const Design& design) : options_(options), design_(design) {}

  void add(std::uint64_t member, MemberResult result) {
    if (member != next_) {
      waiting_.emplace(member, std::move(result));
      return;
    }
    pass_on(std::move(result));
    for (auto it = waiting_.find(next_); it != waiting_.end(); it = waiting_.find(next_)) {
      pass_on(std::move(it->second));
      waiting_.erase(it);
    }
  }
  /// Where members are missing in between, those behind them come to the sinks as well.
  void pass_on_rest() {
    std::vector<std::uint64_t> left;
    for (const auto& [member, result] : waiting_) left.push_back(member);
    std::sort(left.begin(), left.end());
    for (const std::uint64_t member : left) {
      next_ = member;
      pass_on(std::move(waiting_.at(member)));
    }
    waiting_.clear();
  }
  SweepOutcome outcome;

 private:
  void pass_on(MemberResult result) {
    SweepRow row{design_.texts(next_), std::move(result.cells), std::move(result.failure), std::move(result.warnings)};
    if (options_.say) {
      row.failure = options_.say(std::move(row.failure));
      for (Warning& warning : row.warnings) warning.text = options_.say(std::move(warning.text));
    }
    outcome.failed += row.failure.empty() ? 0 : 1;
    outcome.warned += row.warnings.empty() ? 0 : 1;
    for (SweepSink* sink : options_.sinks) sink->row(next_, row);
    ++next_;
  }

  const SweepOptions& options_;
  const Design& design_;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, MemberResult> waiting_;
};

/// The work of the whole study, in the process that has its files.
class LocalExchange final : public Exchange {
 public:
  LocalExchange(const SweepOptions& options, const Design& design, std::size_t threads, std::string identity)
      : options_(options), design_(design), threads_(threads), rows_(options, design) {
    rows_.outcome.members = design.size();
    if (options.journal.empty()) return;
    journal_ = std::make_unique<Journal>(options.journal, std::move(identity));
    if (options.resume) read_journal();
    journal_->open();
  }

  /// Rows that the journal has go to the sinks first.
  void begin() {
    rows_.outcome.resumed = resumed_.size();
    for (auto& [member, result] : resumed_) rows_.add(member, std::move(result));
    resumed_ = {};
    handed_back_ = rows_.outcome.resumed;
  }

  Work exchange(const Work& done, std::vector<MemberResult> results, std::size_t wanted) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    // On disk before anybody sees them.
    if (journal_ && !results.empty()) {
      for (std::size_t i = 0; i < results.size(); ++i)
        if (!results[i].interrupted) journal_->add(design_.member(done.group, done.places[i]), results[i]);
      journal_->flush();
    }
    for (std::size_t i = 0; i < results.size(); ++i) take(design_.member(done.group, done.places[i]), results[i]);
    if (options_.progress && !results.empty())
      options_.progress(static_cast<double>(handed_back_) / static_cast<double>(design_.size()));
    return next_work(wanted);
  }

  void stop() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }

  SweepOutcome finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool complete = handed_back_ == design_.size();
    // With a journal the table ends before the first member that is missing: the others are safe, and come in order.
    if (!journal_ || complete) rows_.pass_on_rest();
    rows_.outcome.done = handed_back_;
    for (SweepSink* sink : options_.sinks) sink->end();
    if (journal_ && complete) journal_->remove();
    return rows_.outcome;
  }

 private:
  void read_journal() {
    const bool found = journal_->read([&](std::uint64_t member, MemberResult result) {
      if (member >= design_.size() || done_.contains(member)) return;
      done_.insert(member);
      resumed_.emplace_back(member, std::move(result));
    });
    std::error_code none;
    if (!found && !options_.table.empty() && std::filesystem::file_size(options_.table, none) > 0 && !none)
      throw InputError("there is nothing to go on with: '" + options_.journal + "' is not there",
                       "a study that is complete has none; without `resume` it is made anew");
  }

  void take(std::uint64_t member, MemberResult& result) {
    if (result.interrupted) return;  // not a result: a study that goes on makes it
    ++handed_back_;
    rows_.add(member, std::move(result));
  }

  Work next_work(std::size_t wanted) {
    Work work;
    const bool over = stopped_ || (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed));
    if (over) return work;
    // Smaller parts towards the end, so that nobody waits long for the last one.
    const std::uint64_t left = design_.size() - next_;
    const std::uint64_t most = std::clamp<std::uint64_t>(left / (4 * threads_), 1, std::max<std::size_t>(wanted, 1));
    while (next_ < design_.size() && work.places.size() < most) {
      const std::uint64_t group = next_ / design_.group_size(), place = next_ % design_.group_size();
      if (!work.places.empty() && group != work.group) break;
      ++next_;
      if (!done_.empty() && done_.contains(design_.member(group, place))) continue;
      work.group = group;
      work.places.push_back(place);
    }
    return work;
  }

  const SweepOptions& options_;
  const Design& design_;
  std::uint64_t threads_;
  std::mutex mutex_;
  RowOrder rows_;
  std::unique_ptr<Journal> journal_;
  std::set<std::uint64_t> done_;  // by the journal
  std::vector<std::pair<std::uint64_t, MemberResult>> resumed_;
  std::uint64_t next_ = 0, handed_back_ = 0;
  bool stopped_ = false;
};

// Messages from a process to the first one: results with what is wanted, or that it is done. Each of the former gets an
// answer: work, which may be none.
std::vector<std::byte> message_of(const Work& done, const std::vector<MemberResult>& results, std::size_t wanted) {
  ByteWriter writer;
  writer.write(done.group);
  writer.write(done.places);
  for (const MemberResult& result : results) write_result(writer, result);
  writer.write(static_cast<std::uint64_t>(wanted));
  return writer.bytes();
}

/// The work that the first process hands out.
class RemoteExchange final : public Exchange {
 public:
  explicit RemoteExchange(Nodes& nodes) : nodes_(nodes) {}
  Work exchange(const Work& done, std::vector<MemberResult> results, std::size_t wanted) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    nodes_.send(0, message_of(done, results, stopped_ ? 0 : wanted));
    const std::vector<std::byte> answer = nodes_.receive(0);
    ByteReader reader(answer);
    Work work;
    reader.read(work.group);
    reader.read(work.places);
    if (stopped_) work.places.clear();
    return work;
  }
  void stop() override { stopped_ = true; }
  void goodbye() { nodes_.send(0, {}); }

 private:
  Nodes& nodes_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
};

/// Answers the other processes until all have said goodbye.
void serve(Nodes& nodes, LocalExchange& local, const std::atomic<bool>& broken) {
  for (int left = nodes.size() - 1; left > 0 && !broken;) {
    const auto message = nodes.poll();
    if (!message) {
      // Short against any batch of work, and long enough to cost nothing.
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    if (message->second.empty()) {
      --left;
      continue;
    }
    ByteReader reader(message->second);
    Work done;
    reader.read(done.group);
    reader.read(done.places);
    std::vector<MemberResult> results;
    for (std::size_t i = 0; i < done.places.size(); ++i) results.push_back(read_result(reader));
    const Work work = local.exchange(done, std::move(results), static_cast<std::size_t>(reader.read<std::uint64_t>()));
    ByteWriter answer;
    answer.write(work.group);
    answer.write(work.places);
    nodes.send(message->first, answer.bytes());
  }
}

/// One thread's loop: work in parts that take a short time.
void work_off(Exchange& exchange, MemberGroups& groups) {
  using Clock = std::chrono::steady_clock;
  // Long against handing out, short against what one waits for at the end and against what is lost when one is killed.
  constexpr double part_seconds = 0.05;
  constexpr double most = 65536;
  Work work = exchange.exchange({}, {}, 1);
  while (!work.places.empty()) {
    const std::size_t liked = groups.batch_size(work.group);  // compiles, which is not counted
    const auto begin = Clock::now();
    std::vector<MemberResult> results = groups.run(work.group, work.places);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const double each = std::max(seconds / static_cast<double>(work.places.size()), part_seconds / most);
    const auto wanted = static_cast<std::size_t>(std::max(1.0, part_seconds / each));
    work = exchange.exchange(work, std::move(results), std::max(wanted, liked));
  }
}

/// Threads of this process, on one exchange; what one of them throws comes out here.
void work_on_all_cores(Exchange& exchange, MemberGroups& groups, std::size_t threads) {
  // More threads than cores are allowed where somebody asks for them.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    std::max(threads, static_cast<std::size_t>(tbb::info::default_concurrency())));
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, threads,
        [&](std::size_t) {
          try {
            work_off(exchange, groups);
          } catch (...) {
            exchange.stop();
            throw;
          }
        },
        tbb::simple_partitioner());
  });
}

/// Which members there are.
std::vector<std::string> study_of(const SweepOptions& options, const Design& design) {
  std::vector<std::string> lines;
  for (const SweepAxis& axis : design.axes()) {
    std::string values;
    if (axis.values.empty()) values = to_text(axis.first) + ":" + to_text(axis.last) + ":" + std::to_string(axis.count);
    for (const std::string& value : axis.values) values += (values.empty() ? "" : ",") + value;
    lines.push_back("vary " + axis.name + " = " + values);
  }
  for (const Draw& draw : design.draws())
    lines.push_back("draw " + draw.name + " = " + (draw.distribution == Distribution::normal ? "normal" : "uniform") +
                    "(" + to_text(draw.a) + ", " + to_text(draw.b) + ")");
  if (design.draws().empty()) return lines;
  constexpr const char* samplings[] = {"random", "latin", "sobol"};
  lines.push_back("members = " + std::to_string(design.draws_each()));
  lines.push_back("seed = " + std::to_string(options.seed));
  lines.push_back(std::string("sampling = ") + samplings[static_cast<std::size_t>(options.sampling)]);
  return lines;
}

/// Everything that decides the members and their rows.
std::string identity_of(const SweepOptions& options, const SweepHeader& header, const SimulateOptions& simulation) {
  std::string text = std::string(version) + "\n" + options.model->text + "\n" + header.run.method + "\n";
  text += to_text(simulation.step) + " " + to_text(simulation.end) + "\n" + options.words + "\n";
  for (const std::string& one : options.set) text += one + "\n";
  for (const std::string& one : options.inputs) text += one + "\n";
  for (const FileText& file : header.run.files) text += file.path + "\n" + file.text + "\n";
  for (const std::string& line : header.study) text += line + "\n";
  for (const std::string& column : header.columns) text += column + "\n";
  return text;
}

/// The first process, or the only one.
SweepOutcome lead(const SweepOptions& options, const Design& design, const SweepHeader& header, MemberGroups& groups,
                  std::size_t threads, std::string identity) {
  const std::size_t processes = options.nodes ? static_cast<std::size_t>(options.nodes->size()) : 1;
  LocalExchange exchange(options, design, threads * processes, std::move(identity));
  for (SweepSink* sink : options.sinks) sink->begin(header);
  exchange.begin();
  std::atomic<bool> broken = false;
  std::exception_ptr problem;
  std::thread service;
  if (options.nodes)
    service = std::thread([&] {
      try {
        serve(*options.nodes, exchange, broken);
      } catch (...) {
        problem = std::current_exception();
        exchange.stop();
      }
    });
  try {
    work_on_all_cores(exchange, groups, threads);
  } catch (...) {
    broken = true;
    if (service.joinable()) service.join();
    throw;
  }
  if (service.joinable()) service.join();
  if (problem) std::rethrow_exception(problem);
  SweepOutcome outcome = exchange.finish();
  outcome.judged = groups.judged();
  outcome.why_alone = groups.why_alone();
  if (outcome.done == outcome.members)
    for (const auto& [member, observer] : options.trajectories) groups.run_observed(member, *observer);
  return outcome;
}

/// Keeps all rows.
class RowCollector final : public SweepSink {
 public:
  explicit RowCollector(Sweep& sweep) : sweep_(sweep) {}
  void begin(const SweepHeader& header) override {
    sweep_.header = header;
    sweep_.model = header.model;
    sweep_.axes = header.names;
    sweep_.columns = header.columns;
  }
  void row(std::uint64_t, const SweepRow& row) override { sweep_.rows.push_back(row); }

 private:
  Sweep& sweep_;
};

}  // namespace

SweepOutcome run_sweep(const SweepOptions& options) {
  const Model model = options.ready ? *options.ready : read_model(options.model, options.set, {}, options.inputs);
  check_names_and_values(options, model);
  Design design(options.axes, options.draws, options.members, options.seed, options.sampling);
  const std::vector<bool> open = open_axes(options, model);
  for (std::size_t k = 0; options.ready && k < open.size(); ++k)
    if (!open[k])
      throw InputError("'" + options.axes[k].name + "' cannot be varied in a model that was read",
                       "it decides sizes, or is no single number");
  design.keep_open(open);
  const Method method = options.method(model);  // what is wrong with them is wrong for all
  const SimulateOptions simulation = options.simulation(model);
  const Equations equations = derive(model);
  Report report;
  describe(report, model, equations, method);
  describe(report, simulation, 0);
  SweepHeader header{model.title, design.names(), {}, design.size(), report, study_of(options, design)};
  header.columns = member_columns(options.columns, model, equations, method);
  const std::size_t threads =
      static_cast<std::size_t>(options.threads > 0 ? options.threads : tbb::info::default_concurrency());
  for (const auto& [member, observer] : options.trajectories)
    if (member >= design.size())
      throw InputError("there is no member " + std::to_string(member + 1),
                       "the study has " + std::to_string(design.size()));
  MemberGroups groups(options, design, header.columns, threads);
  // A method that takes the model neither as it is nor with values of the study is wrong for all.
  if (!refusal(method, equations).empty() && !groups.has_one_that_is_taken()) require_taken(method, model, equations);
  if (!options.nodes || options.nodes->rank() == 0)
    return lead(options, design, header, groups, threads, identity_of(options, header, simulation));
  RemoteExchange exchange(*options.nodes);
  work_on_all_cores(exchange, groups, threads);
  exchange.goodbye();
  return {};
}

bool Sweep::failed() const {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.failure.empty(); });
}

Sweep sweep(const SweepOptions& asked) {
  Sweep result;
  RowCollector collector(result);
  SweepOptions options = asked;
  options.sinks.push_back(&collector);
  run_sweep(options);
  return result;
}

}  // namespace alembert::internal
