#pragma once

// Changes of contacts as events: what they set, and which of them stop a run.

#include <string>
#include <vector>

#include "alembert/model/model.h"

namespace alembert::internal {

class ByteReader;
class ByteWriter;

class ContactChanges {
 public:
  /// The model outlives this.
  explicit ContactChanges(const Model& model);

  /// A contact has changed at a time.
  void happened(int contact, const std::string& kind, double t);

  /// The changes since the last call that set something, numbers in Model::contact_events. What has acted at a time
  /// does not act there again.
  std::vector<int> acting();

  /// The one that ended the run; "" where none has.
  const std::string& stopped() const { return stopped_; }

  /// The motion goes on though one of them has ended it.
  void go_on() { stopped_.clear(); }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  const Model& model_;
  std::vector<long> counts_;
  std::vector<int> acting_;
  std::vector<double> acted_;  // when each did last
  std::string stopped_;
};

}  // namespace alembert::internal
