#pragma once

// Runs the built program as a user would: arguments, standard input, exit code, both outputs.

#include <filesystem>
#include <string>
#include <vector>

namespace alembert::internal::apps_test {

struct Outcome {
  int code = -1;  // exit code; 128 + signal where it was killed
  std::string out, err;
};

/// A running program; wait() gives what it left.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::string& input);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  void signal(int number) const;
  /// Lets the system kill it after so much time on a processor, however busy the machine is.
  void limit_cpu(int seconds) const;
  /// What runs longer than the limit is killed.
  Outcome wait(double limit_seconds = 300);

 private:
  int pid_ = -1;
  std::filesystem::path folder_;  // holds the three streams as files, so that no pipe can fill up
};

/// Where the program just built is.
std::string program_path();
Outcome program(const std::vector<std::string>& arguments, const std::string& input = {});

/// A folder that is removed again; its files by name.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// Words as a shell splits them: double quotes keep blanks.
std::vector<std::string> words(const std::string& command);

std::string file_text(const std::string& path);

/// A pendulum of length 1 in Cartesian coordinates, with method, step and end.
extern const char pendulum[];
/// x'' = -k x with x(0) = 1, x'(0) = 0: x = cos(sqrt(k) t).
extern const char oscillator[];

}  // namespace alembert::internal::apps_test
