#include "alembert/code/code_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "alembert/code/code_key.h"
#include "alembert/code/kernel.h"

namespace alembert::internal::detail {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone at the end.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (fs::temp_directory_path() / "alembert_store_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() { fs::remove_all(path); }
  std::string inside() const { return (path / "a/store").string(); }
  fs::path path;
};

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replace(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

const StoredCode example{{"first object", std::string(1000, '\0') + "second"}, 17};

constexpr std::uint64_t plenty = 1 << 20;

TEST(CodeStore, gives_back_what_was_kept_and_nothing_else) {
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  EXPECT_FALSE(store.find("key"));
  EXPECT_FALSE(fs::exists(own.inside()));  // looking makes nothing
  store.keep("key", example);
  const std::optional<StoredCode> found = CodeStore(own.inside(), plenty).find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->objects, example.objects);
  EXPECT_EQ(found->work, 17u);
  EXPECT_FALSE(store.find("kez"));
  EXPECT_FALSE(store.find(""));
  EXPECT_EQ(files_in(own.inside()).size(), 1u);  // no temporary file is left
  store.disable();
  EXPECT_FALSE(store.find("key"));
}

TEST(CodeStore, only_the_owner_may_enter) {
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  store.keep("key", example);
  struct stat status {};
  for (const std::string& folder : {own.inside(), (own.path / "a").string()}) {
    ASSERT_EQ(::stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
  }
  ASSERT_EQ(::stat(files_in(own.inside())[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  // A folder that others could look into is closed; one that others could write is not trusted.
  ASSERT_EQ(::chmod(own.inside().c_str(), 0755), 0);
  EXPECT_TRUE(store.find("key"));
  ASSERT_EQ(::stat(own.inside().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::chmod(own.inside().c_str(), 0777), 0);
  EXPECT_FALSE(store.find("key"));
  store.keep("other", example);
  EXPECT_EQ(files_in(own.inside()).size(), 1u);
}

TEST(CodeStore, files_of_others_are_not_read) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  store.keep("key", example);
  const fs::path file = files_in(own.inside())[0];
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(store.find("key"));
  store.keep("key", example);  // takes its place
  EXPECT_TRUE(store.find("key"));
  ASSERT_EQ(::chown(own.inside().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(store.find("key"));
}

TEST(CodeStore, neither_links_nor_pipes_are_followed) {
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  store.keep("key", example);
  const fs::path file = files_in(own.inside())[0], elsewhere = own.path / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_FALSE(store.find("key"));
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(store.find("key"));  // and does not wait
  fs::remove(file);
  fs::rename(elsewhere, file);
  EXPECT_TRUE(store.find("key"));
  const fs::path moved = own.path / "moved";
  fs::rename(own.inside(), moved);
  fs::create_directory_symlink(moved, own.inside());
  EXPECT_FALSE(store.find("key"));
}

TEST(CodeStore, every_changed_bit_and_every_cut_is_seen) {
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  store.keep("key", {{"object"}, 3});
  const fs::path file = files_in(own.inside())[0];
  const std::string good = text_of(file);
  ASSERT_LT(good.size(), 200u);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    replace(file, bad);
    EXPECT_FALSE(store.find("key")) << bit;
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    replace(file, good.substr(0, length));
    EXPECT_FALSE(store.find("key")) << length;
  }
  replace(file, good + "x");
  EXPECT_FALSE(store.find("key"));
  store.keep("key", {{"object"}, 3});  // what is damaged is made anew
  EXPECT_EQ(text_of(file), good);
}

// A file under the name of another key, as a collision of names would make it.
TEST(CodeStore, the_key_is_compared_in_full) {
  const OwnFolder own;
  CodeStore store(own.inside(), plenty);
  store.keep("one", example);
  const fs::path one = files_in(own.inside())[0];
  const std::string text = text_of(one);
  fs::remove(one);
  store.keep("two", example);
  replace(files_in(own.inside())[0], text);
  EXPECT_FALSE(store.find("two"));
}

TEST(CodeStore, what_was_not_used_for_longest_goes_first) {
  const OwnFolder own;
  constexpr std::uint64_t limit = 100'000;
  const StoredCode large{{std::string(9'000, 'x')}, 0};
  CodeStore store(own.inside(), limit);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(10);
  for (int i = 0; i < 10; ++i) {
    store.keep("key " + std::to_string(i), large);
    std::uint64_t size = 0;
    for (const fs::path& file : files_in(own.inside())) {
      size += fs::file_size(file);
      if (fs::last_write_time(file) > old + std::chrono::hours(9))
        fs::last_write_time(file, old + std::chrono::minutes(i));
    }
    EXPECT_LE(size, limit);
  }
  EXPECT_TRUE(store.find("key 0"));  // used now
  replace(fs::path(own.inside()) / "notes", "of somebody else");
  for (int i = 10; i < 13; ++i) store.keep("key " + std::to_string(i), large);
  EXPECT_TRUE(store.find("key 0"));
  EXPECT_FALSE(store.find("key 1"));
  EXPECT_TRUE(store.find("key 12"));
  EXPECT_TRUE(fs::exists(fs::path(own.inside()) / "notes"));
  store.keep("huge", {{std::string(limit, 'x')}, 0});
  EXPECT_FALSE(store.find("huge"));
}

TEST(CodeStore, several_write_and_read_at_once) {
  const OwnFolder own;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      CodeStore store(own.inside(), plenty);
      for (int i = 0; i < 50; ++i) {
        const std::string key = "key " + std::to_string(i % 5);
        store.keep(key, {{key + std::string(5000, 'y')}, 1});
        const std::optional<StoredCode> found = store.find(key);
        wrong += !found || found->objects[0].substr(0, key.size()) != key;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files_in(own.inside()).size(), 5u);
}

TEST(CodeStore, a_folder_that_cannot_be_made_keeps_nothing) {
  const OwnFolder own;
  replace(own.path / "a", "a file");
  CodeStore store(own.inside(), plenty);
  store.keep("key", example);
  EXPECT_FALSE(store.find("key"));
}

/// An environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value) ::setenv(name, value, 1);
    else ::unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(CodeStore, the_environment_says_where_and_how_much) {
  const Variable home("HOME", "/home/somebody");
  {
    const Variable base("XDG_CACHE_HOME", nullptr), cache("ALEMBERT_CACHE", nullptr);
    EXPECT_EQ(store_settings().folder, "/home/somebody/.cache/alembert");
    EXPECT_EQ(store_settings().limit, 256u << 20);
  }
  const Variable base("XDG_CACHE_HOME", "/elsewhere");
  for (const auto& [text, limit] : {std::pair{"64M", 64u << 20}, {"2G", 2u << 30}, {"100K", 100u << 10}}) {
    const Variable cache("ALEMBERT_CACHE", text);
    EXPECT_EQ(store_settings().folder, "/elsewhere/alembert");
    EXPECT_EQ(store_settings().limit, limit);
  }
  {
    const Variable relative("XDG_CACHE_HOME", "here"), cache("ALEMBERT_CACHE", "");
    EXPECT_EQ(store_settings().folder, "/home/somebody/.cache/alembert");
  }
  {
    const Variable cache("ALEMBERT_CACHE", "off");
    EXPECT_EQ(store_settings().folder, "");
    EXPECT_EQ(store_settings().mistake, "");
  }
  for (const char* wrong : {"no", "64", "M", "-1M", "1e3M", "64Mb", "123456789012M"}) {
    const Variable cache("ALEMBERT_CACHE", wrong);
    EXPECT_EQ(store_settings().folder, "");
    EXPECT_NE(store_settings().mistake.find(wrong), std::string::npos);
  }
}

// Everything that code depends on changes its key.
TEST(CodeKey, differs_where_the_code_does) {
  Tape tape;
  tape.inputs = 2;
  tape.parameters = {4};
  tape.usual = {1};
  tape.constants = {2};
  tape.code = {{Op::add, 0, 1}, {Op::multiply, 3, 4}};
  tape.outputs = {5};
  const std::vector<double> constants = {2};
  const std::string key = code_key("host", tape, constants, false);
  EXPECT_EQ(key, code_key("host", tape, constants, false));
  EXPECT_NE(key, code_key("other", tape, constants, false));
  EXPECT_NE(key, code_key("host", tape, constants, true));
  EXPECT_NE(key, code_key("host", tape, std::vector<double>{2.5}, false));
  EXPECT_NE(code_key("host", tape, std::vector<double>{0.0}, false),
            code_key("host", tape, std::vector<double>{-0.0}, false));
  const auto changed = [&](const auto& change) {
    Tape other = tape;
    change(other);
    return code_key("host", other, constants, false) != key;
  };
  EXPECT_TRUE(changed([](Tape& t) { t.inputs = 3; }));
  EXPECT_TRUE(changed([](Tape& t) { t.parameters = {5}; }));
  EXPECT_TRUE(changed([](Tape& t) { t.code[0].op = Op::subtract; }));
  EXPECT_TRUE(changed([](Tape& t) { t.code[1].a = 2; }));
  EXPECT_TRUE(changed([](Tape& t) { t.code[1].b = 1; }));
  EXPECT_TRUE(changed([](Tape& t) { t.outputs = {4}; }));
  EXPECT_TRUE(changed([](Tape& t) { t.outputs = {5, 5}; }));
  EXPECT_FALSE(changed([](Tape& t) { t.usual = {7}; }));  // not in the code
  internal::Program program;
  program.variables = 3;
  program.tapes = {tape};
  program.statements.push_back({{0, {0, 1}, {2}, -1, 0}, -1, {}});
  const std::string whole = code_key("host", program, 1);
  EXPECT_NE(whole, code_key("host", program, 8));
  program.in_memory = {true, false, false};
  const std::string in_memory = code_key("host", program, 1);
  EXPECT_NE(whole, in_memory);
  program.statements[0].block.mask = 1;
  EXPECT_NE(in_memory, code_key("host", program, 1));
}

}  // namespace
}  // namespace alembert::internal::detail
