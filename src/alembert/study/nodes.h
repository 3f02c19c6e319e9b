#pragma once

// The processes of a study that mpirun started. MPI is looked for when the program runs: it is needed neither to build
// nor to run anything else.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace alembert::internal {

/// Messages between processes. One thread at a time.
class Nodes {
 public:
  virtual ~Nodes() = default;
  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;
  virtual void send(int to, const std::vector<std::byte>& bytes) = 0;
  /// Waits for a message of that process.
  virtual std::vector<std::byte> receive(int from) = 0;
  /// A message of anyone, where one is there.
  virtual std::optional<std::pair<int, std::vector<std::byte>>> poll() = 0;
  /// All processes come here before they end.
  virtual void finish() = 0;
};

/// Null where this process was not started as one of several. Throws InputError where it was, and Open MPI's library
/// cannot be used: each process would else make the whole study.
std::unique_ptr<Nodes> find_nodes();

}  // namespace alembert::internal
