#include "alembert/studio/server/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

extern char** environ;

namespace alembert::internal::studio {

std::string message(std::int64_t id, const char* kind, const std::string& text) {
  const nlohmann::json said = {{"id", id}, {"kind", kind}, {"text", text}};
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Worker::submit(Job job) {
  if (waiting_.size() >= most_waiting) {
    tell_(message(job.id, "error", "busy: too many requests wait already"));
    return;
  }
  waiting_.push_back(std::move(job));
  begin_next();
}

bool Worker::cancel(std::int64_t id) {
  for (auto job = waiting_.begin(); job != waiting_.end(); ++job) {
    if (job->id != id) continue;
    waiting_.erase(job);
    tell_(message(id, "cancelled", "cancelled"));
    return true;
  }
  if (!current_ || current_->id != id) return false;
  send(framed(FrameKind::cancel, ""));
  patience_.expires_after(Milliseconds(patience_milliseconds));
  patience_.async_wait([self = shared_from_this(), id](Code failed) {
    if (!failed && self->current_ && self->current_->id == id) self->give_up("cancelled", "cancelled");
  });
  return true;
}

void Worker::end() {
  waiting_.clear();
  current_.reset();
  limit_.cancel();
  patience_.cancel();
  kill();
  bury(true);
}

void Worker::begin_next() {
  bury(false);
  if (current_ || waiting_.empty()) return;
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  if (pid_ < 0 && !start()) {
    finish(message(current_->id, "error", std::string("cannot start a worker: ") + std::strerror(errno)));
    return;
  }
  send(framed(FrameKind::request, current_->text));
  limit_.expires_after(Seconds(current_->seconds));
  limit_.async_wait([self = shared_from_this(), id = current_->id](Code failed) {
    if (!failed && self->current_ && self->current_->id == id)
      self->give_up("error", "this takes longer than " + std::to_string(self->current_->seconds) + " s: given up");
  });
}

bool Worker::start() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::vector<char*> arguments;
  for (std::string& word : command_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failed = ::posix_spawn(&pid_, command_[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    pid_ = -1;
    errno = failed;
    return false;
  }
  Code ignored;
  socket_.assign(asio::local::stream_protocol(), ends[0], ignored);
  frames_.emplace(largest_answer + 1024);
  unsent_.clear();
  ++life_;
  read();
  return true;
}

void Worker::kill() {
  Code ignored;
  socket_.close(ignored);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  dying_.push_back(pid_);
  pid_ = -1;
}

/// Takes note of what was killed, so that no zombies stay; waits for it only where nobody waits for an answer.
void Worker::bury(bool wait) {
  std::erase_if(dying_, [&](pid_t pid) {
    int gone = 0;
    while ((gone = ::waitpid(pid, nullptr, wait ? 0 : WNOHANG)) < 0 && errno == EINTR) {}
    return gone != 0;
  });
}

void Worker::read() {
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this(), life = life_](Code failed, std::size_t count) {
                            if (life == self->life_ && self->pid_ >= 0) self->take(failed, count);
                          });
}

void Worker::take(Code failed, std::size_t count) {
  if (failed) {
    give_up("error", "the task ended by itself: it needed more memory than it may have, or met a mistake of ours");
    return;
  }
  frames_->add(buffer_.data(), count);
  try {
    while (std::optional<Frame> frame = frames_->next()) {
      if (!current_) continue;
      if (frame->kind == FrameKind::answer) finish(std::move(frame->text));
      else tell_(std::move(frame->text));
    }
  } catch (const std::runtime_error&) {
    give_up("error", "a worker said what is no answer");
    return;
  }
  if (pid_ >= 0) read();
}

void Worker::give_up(const char* kind, const std::string& why) {
  kill();
  if (current_) finish(message(current_->id, kind, why));
}

void Worker::finish(std::string said) {
  current_.reset();
  limit_.cancel();
  patience_.cancel();
  tell_(std::move(said));
  begin_next();
}

void Worker::send(std::string bytes) {
  unsent_.push_back(std::move(bytes));
  if (unsent_.size() == 1) write();
}

void Worker::write() {
  asio::async_write(socket_, asio::buffer(unsent_.front()),
                    [self = shared_from_this(), life = life_](Code failed, std::size_t) {
                      if (life != self->life_ || failed || self->unsent_.empty()) return;
                      self->unsent_.pop_front();
                      if (!self->unsent_.empty()) self->write();
                    });
}

}  // namespace alembert::internal::studio
