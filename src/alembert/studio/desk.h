#pragma once

// What the studio can be asked to do, each with an answer: docs/studio.md has the table of requests. Models are read,
// described, run and measured here; nothing here knows of networks or pages.

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace alembert::internal::studio {

/// Where answers go. Both are whole JSON objects; progress may be told any number of times before an answer.
struct Reply {
  std::function<void(const std::string& json)> progress;
};

class Desk {
 public:
  /// Models are read and saved below `folder`, files to be downloaded written to `exports`, a folder of the studio's
  /// own. Throws InputError where there is no such folder.
  Desk(const std::string& folder, std::string exports);
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  ~Desk();

  /// Answers one request, a JSON object; never throws for what stands in it: what is wrong is said in the answer.
  /// interrupt ends a run after its current step, with what it has.
  std::string answer(const std::string& request, const Reply& reply, const std::atomic<bool>& interrupt);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal::studio
