#include "alembert/code/late_code.h"

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "alembert/base/cpu_time.h"
#include "alembert/code/compile_plan.h"
#include "alembert/code/kernel.h"

namespace alembert::internal::detail {

/// One thread that compiles what is asked for, in that order. It is started by the first request and joined where the
/// process ends by exit or by the end of main; a child made by fork starts its own. Never destroyed.
class CompilerThread {
 public:
  static CompilerThread& instance() {
    static CompilerThread* const thread = new CompilerThread;
    return *thread;
  }

  void add(const std::shared_ptr<LateCode>& code) noexcept {
    {
      const std::lock_guard lock(queue_mutex_);
      if (stopping_ || !start()) return;
      (last_ ? last_->next_ : first_) = code;
      last_ = code.get();
    }
    changed_->notify_all();
  }

  void finish() {
    std::unique_lock lock(queue_mutex_);
    changed_->wait(lock, [&] { return (!first_ && !busy_) || !thread_; });
  }

  double seconds() const noexcept { return seconds_.load(std::memory_order_relaxed); }

 private:
  /// At the end of the process, before LLVM's own objects are destroyed: they were made earlier.
  struct Stopper {
    ~Stopper() { instance().stop(); }
  };

  CompilerThread() { pthread_atfork(&before_fork, &after_fork, &after_fork_in_child); }

  bool start() noexcept {
    if (thread_) return true;
    static const Stopper stopper;
    try {
      thread_ = new std::thread([this] { work(); });
      return true;
    } catch (const std::exception&) { return false; }  // no thread to be had: everything stays interpreted
  }

  void stop() {
    std::shared_ptr<LateCode> left;
    {
      const std::lock_guard lock(queue_mutex_);
      stopping_ = true;
      left = take_all();
    }
    changed_->notify_all();
    if (thread_) thread_->join();
    drop(std::move(left));
  }

  std::shared_ptr<LateCode> take_all() {
    last_ = nullptr;
    return std::exchange(first_, nullptr);
  }

  /// One by one, for a long chain would else be destroyed by recursion.
  static void drop(std::shared_ptr<LateCode> code) {
    while (code) code = std::exchange(code->next_, nullptr);
  }

  void work() {
    std::unique_lock lock(queue_mutex_);
    while (true) {
      changed_->wait(lock, [&] { return stopping_ || first_; });
      if (stopping_) return;
      std::shared_ptr<LateCode> code = first_;
      first_ = std::exchange(code->next_, nullptr);
      if (!first_) last_ = nullptr;
      busy_ = true;
      lock.unlock();
      {
        // A fork waits for the end of it: the child must find the compiler in order.
        const std::lock_guard compiling(compiler_mutex_);
        const double begin = thread_seconds();
        code->make([&] { return !stopping_.load(std::memory_order_relaxed) && code.use_count() > 1; });
        seconds_.store(seconds() + thread_seconds() - begin, std::memory_order_relaxed);
        code.reset();
      }
      lock.lock();
      busy_ = false;
      changed_->notify_all();
    }
  }

  static void before_fork() {
    instance().compiler_mutex_.lock();
    instance().queue_mutex_.lock();
  }
  static void after_fork() {
    instance().queue_mutex_.unlock();
    instance().compiler_mutex_.unlock();
  }
  static void after_fork_in_child() {
    CompilerThread& self = instance();
    // The thread lives in the parent only, and so does what it had to do; it may have been waiting for a change, for
    // ever as this process sees it.
    self.thread_ = nullptr;
    self.changed_ = new std::condition_variable;
    self.busy_ = false;
    std::shared_ptr<LateCode> left = self.take_all();
    after_fork();
    drop(std::move(left));
  }

  std::mutex compiler_mutex_;  // held while compiling; taken before the next
  std::mutex queue_mutex_;
  std::condition_variable* changed_ = new std::condition_variable;
  std::thread* thread_ = nullptr;
  std::shared_ptr<LateCode> first_;
  LateCode* last_ = nullptr;
  bool busy_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<double> seconds_{0};
};

LateCode::LateCode(std::shared_ptr<const void> owner, const Tape& tape, std::span<const double> constants,
                   bool optimise, long patience)
    : patience_(patience), tape_owner_(std::move(owner)), tape_(tape), constants_(constants), optimise_(optimise) {}

void LateCode::request(const std::shared_ptr<LateCode>& code) noexcept {
  if (!code->requested_.exchange(true)) CompilerThread::instance().add(code);
}

void LateCode::publish(NativeCode code) {
  owners_.push_back(std::move(code.owner));
  function_.store(code.function, std::memory_order_release);
}

void LateCode::make(const Wanted& wanted) noexcept {
  try {
    const auto improve = [&](bool optimise) {
      NativeCode code = compile_native(tape_, constants_, optimise, wanted);
      if (code.function) publish(std::move(code));
    };
    if (!function() && (!optimise_ || fast_code_first(tape_.code.size()))) improve(false);
    if (optimise_ && wanted()) improve(true);
  } catch (const std::exception&) {}  // a machine that forbids new code still computes
  tape_owner_.reset();
}

double background_seconds() noexcept { return CompilerThread::instance().seconds(); }

void finish_background() { CompilerThread::instance().finish(); }

}  // namespace alembert::internal::detail
