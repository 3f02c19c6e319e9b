#include "apps/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace alembert::internal::apps_test {

namespace {

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "alembert_apps_XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  return name;
}

}  // namespace

const char pendulum[] = R"(model "Pendulum"
parameter m = 1, l = 1, gravity = 9.81
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*gravity*y
constraint rod: x^2 + y^2 = l^2
initial x = l
conserve height: m/2*(x'^2 + y'^2) + m*gravity*y
solve lobatto(3) step 0.01 end 1
)";

const char oscillator[] = R"(model "Oscillator"
parameter k = 1
coordinate x
kinetic x'^2/2
potential k*x^2/2
initial x = 1
solve gauss(4) step 0.05 end 2
)";

Process::Process(const std::vector<std::string>& arguments, const std::string& input) : folder_(new_folder()) {
  std::ofstream(folder_ / "in", std::ios::binary) << input;
  std::vector<std::string> words = {program_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string in = folder_ / "in", out = folder_ / "out", err = folder_ / "err";
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    ::dup2(::open(in.c_str(), O_RDONLY), 0);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

void Process::signal(int number) const { ::kill(pid_, number); }

void Process::limit_cpu(int seconds) const {
  const rlimit limit = {static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds)};
  ::prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

Outcome Process::wait(double limit_seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_seconds);
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid_ = -1;
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = file_text(folder_ / "out");
  outcome.err = file_text(folder_ / "err");
  return outcome;
}

std::string program_path() {
  const char* other = std::getenv("ALEMBERT_PROGRAM");  // tools/mutate.py
  return other ? other : ALEMBERT_PROGRAM;
}

Outcome program(const std::vector<std::string>& arguments, const std::string& input) {
  return Process(arguments, input).wait();
}

Folder::Folder() : path_(new_folder()) {}
Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::write(const std::string& name, const std::string& text) const {
  const std::string path = *this / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<std::string> words(const std::string& command) {
  std::vector<std::string> list;
  const std::regex word("\"([^\"]*)\"|(\\S+)");
  for (std::sregex_iterator it(command.begin(), command.end(), word), end; it != end; ++it)
    list.push_back((*it)[1].matched ? (*it)[1].str() : (*it)[2].str());
  return list;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace alembert::internal::apps_test
