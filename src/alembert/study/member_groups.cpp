#include "alembert/study/member_groups.h"

#include "alembert/derive/carrier.h"
#include "alembert/derive/massless.h"
#include "alembert/error.h"

namespace alembert::internal {

std::vector<std::string> MemberGroups::assignments(std::uint64_t member, bool all) const {
  std::vector<std::string> set = options_.set;
  const std::vector<std::string> texts = design_.texts(member);
  for (std::size_t k = 0; k < texts.size(); ++k)
    if (all || (k < design_.axes().size() && !design_.is_open(k))) set.push_back(design_.names()[k] + "=" + texts[k]);
  return set;
}

Model MemberGroups::read(const std::vector<std::string>& set) const {
  if (!options_.ready) return read_model(options_.model, set, {}, options_.inputs);
  return set.empty() ? *options_.ready : read_again(*options_.ready, set);
}

std::unique_ptr<MemberGroup> MemberGroups::make(const std::vector<std::string>& set, bool open, double members) const {
  auto group = std::make_unique<MemberGroup>();
  group->model = read(set);
  group->task.names = open ? design_.open_names() : std::vector<std::string>();
  group->equations = derive(group->model, {.inputs = group->task.names});
  group->method = options_.method(group->model);
  group->task.model = &group->model;
  group->task.equations = &group->equations;
  group->task.method = &group->method;
  group->task.simulation = options_.simulation(group->model);
  group->task.simulation.interrupt = options_.interrupt;
  group->task.columns = columns_;
  group->task.members = members;
  group->engine = options_.engine(group->task);
  return group;
}

bool MemberGroups::has_one_that_is_taken() const {
  const auto takes = [&](const Model& model, const DeriveOptions& inputs) {
    return refusal(options_.method(model), derive(model, inputs)).empty();
  };
  if (options_.ready) return takes(*options_.ready, {.inputs = design_.open_names()});
  const std::uint64_t size = design_.size();
  for (const std::uint64_t member : {std::uint64_t{0}, size / 2, size - 1}) try {
      if (takes(read_model(options_.model, assignments(member, true)), {})) return true;
    } catch (const InputError&) {}  // what is wrong with its values is said in its row
  return false;
}

std::unique_ptr<MemberGroup> MemberGroups::make(std::uint64_t group) const {
  const std::uint64_t size = design_.group_size();
  if (options_.ready) return make({}, true, static_cast<double>(size));
  // One member alone gains nothing from what stays open.
  if (size == 1) return nullptr;
  const auto members = static_cast<double>(size);
  try {
    return make(assignments(design_.member(group, 0), false), true, members);
  } catch (const NotForEngine&) { throw; } catch (const InputError&) {
  }
  // What is wrong with the values as the model has them need not be with others; always the same ones are tried, so
  // that the code does not depend on who comes first.
  for (const std::uint64_t place : {std::uint64_t{0}, size / 2, size - 1}) try {
      return make(assignments(design_.member(group, place), true), true, members);
    } catch (const InputError&) {}
  return nullptr;
}

std::shared_ptr<MemberGroups::Slot> MemberGroups::slot(std::uint64_t group) {
  std::shared_ptr<Slot> mine;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Slot>& found = slots_[group];
    if (!found) found = std::make_shared<Slot>();
    mine = found;
    for (auto it = slots_.begin(); slots_.size() > room_ && it != slots_.end();)
      it = it->second.use_count() == 1 ? slots_.erase(it) : std::next(it);
  }
  std::call_once(mine->once, [&] { mine->group = make(group); });
  return mine;
}

// A mass that is 0 leaves other equations than one that is open.
bool MemberGroups::lacks_mass(std::uint64_t member) const {
  try {
    return !massless(derive(read(assignments(member, true)))).empty();
  } catch (const InputError&) { return false; }
}

MemberResult MemberGroups::run_alone(std::uint64_t member, Observer* observer) const {
  MemberResult result;
  if (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed)) {
    result.interrupted = true;
    return result;
  }
  try {
    const std::unique_ptr<MemberGroup> group = make(assignments(member, true), false, 1);
    if (observer) return internal::run_observed(group->task, {}, *observer);
    return std::move(group->engine->run({1, {}}).at(0));
  } catch (const NotForEngine&) { throw; } catch (const InputError& error) {
    result.failure = error.diagnostics().at(0).message;
    result.cells.assign(columns_.size(), {});
  }
  return result;
}

std::vector<MemberResult> MemberGroups::run(std::uint64_t group, const std::vector<std::uint64_t>& places) {
  const std::shared_ptr<Slot> mine = slot(group);
  std::vector<MemberResult> results;
  if (!mine->group) {
    for (const std::uint64_t place : places) results.push_back(run_alone(design_.member(group, place), nullptr));
    return results;
  }
  MemberBatch batch;
  batch.count = places.size();
  for (const std::uint64_t place : places) {
    const std::vector<double> values = design_.open_values(design_.member(group, place));
    batch.values.insert(batch.values.end(), values.begin(), values.end());
  }
  const MemberEngine& engine = *mine->group->engine;
  results = engine.run(batch);
  check(results.size() == batch.count, "an engine gives a result for each member");
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const std::uint64_t member = design_.member(group, places[i]); results[i].refused && lacks_mass(member))
      results[i] = run_alone(member, nullptr);
  const std::size_t width = design_.open_names().size();
  for (std::size_t i = 0; i < places.size(); ++i)
    if (in_sample(design_.member(group, places[i])) && !results[i].interrupted)
      judge(engine, batch.values.data() + i * width, results[i]);
  const std::string why = engine.why_alone();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!why.empty()) why_alone_ = why;
  sampled_ = sampled_ || !engine.estimates_accuracy();  // whoever runs the members of the sample
  return results;
}

std::uint64_t MemberGroups::sample_every() const {
  // A run with its accuracy costs as much as some fifty in lanes: 16 of many, and of few at most one in 64.
  constexpr std::uint64_t most = 16, share = 64;
  return std::max(share, (design_.size() + most - 1) / most);
}

void MemberGroups::judge(const MemberEngine& engine, const double* values, MemberResult& result) {
  std::optional<MemberResult> alone = engine.judged(values);
  if (!alone) return;
  if (!alone->failure.empty() || alone->interrupted) result = std::move(*alone);
  else result.warnings = std::move(alone->warnings);
}

std::uint64_t MemberGroups::judged() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sampled_ ? (design_.size() + sample_every() - 1) / sample_every() : design_.size();
}

std::string MemberGroups::why_alone() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return why_alone_;
}

std::size_t MemberGroups::batch_size(std::uint64_t group) {
  const std::shared_ptr<Slot> mine = slot(group);
  return mine->group ? mine->group->engine->batch_size() : 1;
}

MemberResult MemberGroups::run_observed(std::uint64_t member, Observer& observer) {
  // The group of a member is that of its closed axes.
  std::uint64_t group = 0;
  for (std::size_t k = 0; k < design_.axes().size(); ++k)
    if (!design_.is_open(k)) group = group * design_.axes()[k].size() + design_.index(member, k);
  const std::shared_ptr<Slot> mine = slot(group);
  if (!mine->group) return run_alone(member, &observer);
  return internal::run_observed(mine->group->task, design_.open_values(member), observer);
}

}  // namespace alembert::internal
