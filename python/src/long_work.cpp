#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core.h"

namespace alembert::python {

// A person notices a delay of a tenth of a second; looking takes a microsecond.
constexpr auto between_looks = std::chrono::milliseconds(50);

void LongWork::look(const py::object& progress) {
  if (interrupt) return;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress.is_none()) progress(done.load());
  } catch (py::error_already_set& error) {
    raised_ = error.value();
    interrupt = true;
  }
}

void LongWork::run(const std::function<void()>& work, const py::object& progress) {
  std::mutex mutex;
  std::condition_variable ended;
  bool finished = false;
  std::exception_ptr thrown;
  {
    const py::gil_scoped_release release;
    std::thread thread([&] {
      try {
        work();
      } catch (...) { thrown = std::current_exception(); }
      const std::lock_guard<std::mutex> lock(mutex);
      finished = true;
      ended.notify_one();
    });
    std::unique_lock<std::mutex> lock(mutex);
    while (!ended.wait_for(lock, between_looks, [&] { return finished; })) {
      lock.unlock();
      {
        const py::gil_scoped_acquire acquire;
        look(progress);
      }
      lock.lock();
    }
    lock.unlock();
    thread.join();
  }
  if (thrown && !interrupt) std::rethrow_exception(thrown);
  if (interrupt || progress.is_none()) return;
  done = 1;
  look(progress);
}

}  // namespace alembert::python
