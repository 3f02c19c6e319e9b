#include <vector>

#include "alembert/base/lists.h"
#include "alembert/output/attributes.h"
#include "alembert/output/hdf5_file.h"
#include "alembert/output/writers.h"

namespace alembert::internal {
namespace {

/// One extendible dataset "trajectory", a row a time, with the names of its columns as attribute "columns"; where there
/// may be events a second one, "events", with one column more: the number of the event, from 1, in its attribute
/// "names". Attributes of the run stand at the file. Rows are gathered and the file flushed after each batch: it can be
/// read while it grows, and if we die later.
class Hdf5Writer final : public Observer {
 public:
  explicit Hdf5Writer(const std::string& path) : file_(path) {}
  ~Hdf5Writer() override {
    try {
      end();
    } catch (...) {}
  }

  void begin(const Columns& columns, const RunDescription& run) override {
    const QuietHdf5 quiet;
    file_.open();
    trajectory_ = file_.table("trajectory", columns.names);
    if (!columns.units.empty()) file_.list_attribute(trajectory_.set, "units", columns.units);
    if (!columns.events.empty()) {
      events_ = file_.table("events", joined<std::string>("event", columns.names));
      file_.list_attribute(events_.set, "names", columns.events);
    }
    file_.attributes(attributes_of(run));
    file_.flush();
  }

  void row(std::span<const double> values) override {
    trajectory_.rows.insert(trajectory_.rows.end(), values.begin(), values.end());
    if (clock_.due(trajectory_.rows.size() * sizeof(double))) flush();
  }

  void event(int number, std::span<const double> values) override {
    events_.rows.push_back(number + 1);
    events_.rows.insert(events_.rows.end(), values.begin(), values.end());
  }

  void end() override {
    if (!file_.is_open()) return;
    const QuietHdf5 quiet;
    flush();
    // All are closed even where one of them fails.
    const bool rows = trajectory_.set.close() & events_.set.close();
    const bool file = file_.close();
    if (!rows || !file) file_.fail("closing it failed");
  }

 private:
  void flush() {
    if (trajectory_.rows.empty() && events_.rows.empty()) return;
    const QuietHdf5 quiet;
    file_.append(trajectory_);
    file_.append(events_);
    file_.flush();
  }

  Hdf5File file_;  // opened first and closed last
  FlushClock clock_;
  Hdf5File::Table trajectory_, events_;
};

}  // namespace

std::unique_ptr<Observer> make_hdf5_writer(const std::string& path) { return std::make_unique<Hdf5Writer>(path); }

}  // namespace alembert::internal
