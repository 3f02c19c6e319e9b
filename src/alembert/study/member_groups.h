#pragma once

// The compilations of a study: members that differ only in what stays open share one.

#include <map>
#include <memory>
#include <mutex>

#include "alembert/study/sweep.h"

namespace alembert::internal {

/// Model, equations and engine of some members.
struct MemberGroup {
  Model model;
  Equations equations;
  Method method;
  MemberTask task;
  std::unique_ptr<MemberEngine> engine;
};

class MemberGroups {
 public:
  /// Both outlive it. columns: those of the whole study.
  MemberGroups(const SweepOptions& options, const Design& design, std::vector<std::string> columns, std::size_t threads)
      : options_(options), design_(design), columns_(std::move(columns)), room_(2 * threads + 2) {}

  /// Runs members of one group, by their places in it. Threads may call it at once; the first one compiles.
  std::vector<MemberResult> run(std::uint64_t group, const std::vector<std::uint64_t>& places);
  /// How many members at once the engine of a group likes.
  std::size_t batch_size(std::uint64_t group);
  /// Whether the method takes the first, the last or one in the middle with its values.
  bool has_one_that_is_taken() const;
  /// How many members have their accuracy estimated: all, or a sample where engines cannot tell it.
  std::uint64_t judged() const;
  /// Why members run one at a time although several at once were asked for; "" where they do not.
  std::string why_alone() const;
  /// One member again, with its rows for an observer.
  MemberResult run_observed(std::uint64_t member, Observer& observer);

 private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<MemberGroup> group;  // null where its members have nothing in common that compiles
  };

  std::shared_ptr<Slot> slot(std::uint64_t group);
  std::unique_ptr<MemberGroup> make(std::uint64_t group) const;
  std::unique_ptr<MemberGroup> make(const std::vector<std::string>& set, bool open, double members) const;
  Model read(const std::vector<std::string>& set) const;
  std::vector<std::string> assignments(std::uint64_t member, bool all) const;
  bool in_sample(std::uint64_t member) const { return member % sample_every() == 0; }
  std::uint64_t sample_every() const;
  void judge(const MemberEngine& engine, const double* values, MemberResult& result);
  bool lacks_mass(std::uint64_t member) const;
  MemberResult run_alone(std::uint64_t member, Observer* observer) const;

  const SweepOptions& options_;
  const Design& design_;
  std::vector<std::string> columns_;
  std::size_t room_;  // compilations that are kept
  mutable std::mutex mutex_;
  bool sampled_ = false;   // an engine did not estimate the accuracy of all its members
  std::string why_alone_;  // of the first engine that has a reason
  std::map<std::uint64_t, std::shared_ptr<Slot>> slots_;
};

}  // namespace alembert::internal
