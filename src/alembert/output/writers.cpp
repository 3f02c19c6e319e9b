#include "alembert/output/writers.h"

#include "alembert/error.h"

namespace alembert {

namespace internal {

void refuse_ending(const std::string& path) {
  throw InputError("cannot tell the format of '" + path + "' by its ending",
                   "the endings .csv, .h5 and .json are known");
}

}  // namespace internal

std::unique_ptr<Observer> make_writer(const std::string& path) {
  if (path.ends_with(".csv")) return internal::make_csv_writer(path);
  if (path.ends_with(".json")) return internal::make_json_writer(path);
  if (path.ends_with(".h5")) return internal::make_hdf5_writer(path);
  internal::refuse_ending(path);
}

void write(const Trajectory& trajectory, const std::string& path) {
  const std::unique_ptr<Observer> writer = make_writer(path);
  writer->begin(trajectory.columns, trajectory.run);
  std::vector<double> row(trajectory.values.size());
  for (std::size_t i = 0; i < trajectory.rows(); ++i) {
    for (std::size_t column = 0; column < row.size(); ++column) row[column] = trajectory.values[column][i];
    writer->row(row);
  }
  for (const Trajectory::EventRow& event : trajectory.events) writer->event(event.event, event.values);
  writer->end();
}

}  // namespace alembert
