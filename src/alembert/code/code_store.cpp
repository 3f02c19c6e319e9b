#include "alembert/code/code_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "alembert/base/bytes.h"

namespace alembert::internal::detail {

namespace {

constexpr std::string_view magic = "alembert code 1\n";
constexpr std::string_view ending = ".code";
// Room for thousands of compiled steps: half of them take less than 20 kB, one in twenty more than 500.
constexpr std::uint64_t usual_limit = 256u << 20;
// A file above this part of the limit would push out too many others.
constexpr std::uint64_t largest_part = 4;
constexpr std::time_t hour = 3600;  // times of use are written down no finer; a temporary file of that age is left over

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  /// Whether all that was written has been taken.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Mixes eight bytes at a time. Against accidents, not against enemies: those cannot write into the folder.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t sum = seed + bytes.size();
  const auto mix = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
    sum *= 0xbf58476d1ce4e5b9u;
    sum ^= sum >> 32;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  std::uint64_t word = 0;
  if (i < bytes.size()) std::memcpy(&word, bytes.data() + i, bytes.size() - i);
  mix(word);
  return sum;
}

std::string file_name(std::string_view key) {
  std::string name;
  for (const std::uint64_t seed : {0x243f6a8885a308d3u, 0x13198a2e03707344u}) {
    const std::uint64_t sum = checksum(key, seed);
    for (int digit = 0; digit < 16; ++digit) name += "0123456789abcdef"[sum >> (60 - 4 * digit) & 15];
  }
  return name.append(ending);
}

bool is_file_name(std::string_view name) {
  constexpr std::size_t digits = 32;  // of the key: 128 bits, hexadecimal
  return name.size() == digits + ending.size() && name.ends_with(ending) &&
         name.find_first_not_of("0123456789abcdef") == digits;
}
bool is_temporary(std::string_view name) {
  return name.size() > 33 && is_file_name(name.substr(1, 37)) && name[0] == '.';
}

/// Of this user, and nobody else may write it.
bool is_own(const struct stat& status) {
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  return status.st_uid == ::geteuid() && (status.st_mode & others_write) == 0;
}

/// The folder, made where asked for: only its owner may enter. -1 where it cannot be trusted.
int open_folder(const std::string& path, bool make) {
  if (make) {
    // What is above it is made as the base directory specification says: for the user alone.
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
      ::mkdir(path.substr(0, end).c_str(), S_IRWXU);
    ::mkdir(path.c_str(), S_IRWXU);
  }
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat status {};
  const bool trusted = ::fstat(folder, &status) == 0 && is_own(status) &&
                       ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0 || ::fchmod(folder, S_IRWXU) == 0);
  if (trusted) return folder;
  ::close(folder);
  return -1;
}

std::optional<std::string> read_own(int file, std::uint64_t longest) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !is_own(status)) return {};
  if (static_cast<std::uint64_t>(status.st_size) > longest) return {};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + got, bytes.size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    got += static_cast<std::size_t>(count);
  }
  if (std::time(nullptr) - status.st_mtime > hour) ::futimens(file, nullptr);
  return bytes;
}

bool write_bytes(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// magic, checksum of the rest, key, work, objects.
std::string packed(std::string_view key, const StoredCode& code) {
  ByteWriter rest;
  rest.write(std::string(key));
  rest.write(code.work);
  rest.write(static_cast<std::uint64_t>(code.objects.size()));
  for (const std::string& object : code.objects) rest.write(object);
  const std::string_view text(reinterpret_cast<const char*>(rest.bytes().data()), rest.bytes().size());
  const std::uint64_t sum = checksum(text, 0);
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes.append(text);
}

/// Nothing where the bytes are damaged or belong to another key.
std::optional<StoredCode> unpacked(std::string_view bytes, std::string_view key) {
  std::uint64_t sum = 0;
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + sizeof sum) return {};
  std::memcpy(&sum, bytes.data() + magic.size(), sizeof sum);
  bytes.remove_prefix(magic.size() + sizeof sum);
  if (checksum(bytes, 0) != sum) return {};
  ByteReader reader(std::as_bytes(std::span(bytes.data(), bytes.size())));
  std::string its_key;
  reader.read(its_key);
  if (its_key != key) return {};
  StoredCode code;
  reader.read(code.work);
  for (auto count = reader.read<std::uint64_t>(); count > 0; --count) reader.read(code.objects.emplace_back());
  reader.finish();
  return code;
}

struct KeptFile {
  std::string name;
  std::uint64_t size = 0;
  timespec used{};
};

/// The files of the folder; temporary ones that nobody finished are removed on the way.
std::vector<KeptFile> kept_files(int folder) {
  std::vector<KeptFile> files;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return files;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(copy), &::closedir);
  if (!listing) return files;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    struct stat status {};
    if (!is_file_name(name) && !is_temporary(name)) continue;
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_file_name(name)) {
      files.push_back({std::string(name), static_cast<std::uint64_t>(status.st_size), status.st_mtim});
    } else if (std::time(nullptr) - status.st_mtime > hour) {
      ::unlinkat(folder, entry->d_name, 0);
    }
  }
  return files;
}

/// "64M": bytes. Nothing where it is none.
std::optional<std::uint64_t> read_size(std::string_view text) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 9; ++digits)
    value = 10 * value + static_cast<std::uint64_t>(text[digits] - '0');
  const std::string_view unit = text.substr(digits);
  if (digits == 0 || (unit != "K" && unit != "M" && unit != "G")) return {};
  return value << (unit == "K" ? 10 : unit == "M" ? 20 : 30);
}

}  // namespace

StoreSettings store_settings() {
  StoreSettings settings;
  settings.limit = usual_limit;
  const auto value = [](const char* name) -> std::string_view {
    const char* const text = ::secure_getenv(name);
    return text ? text : "";
  };
  const std::string_view asked = value("ALEMBERT_CACHE");
  if (asked == "off") return settings;
  if (!asked.empty()) {
    const std::optional<std::uint64_t> limit = read_size(asked);
    if (!limit) {
      settings.mistake = "ALEMBERT_CACHE is '" + std::string(asked) + "': off, or a size like 64M is known";
      return settings;
    }
    settings.limit = *limit;
  }
  // Relative names are to be ignored, says the base directory specification.
  const std::string_view base = value("XDG_CACHE_HOME"), home = value("HOME");
  if (base.starts_with('/')) settings.folder = std::string(base) + "/alembert";
  else if (home.starts_with('/')) settings.folder = std::string(home) + "/.cache/alembert";
  return settings;
}

CodeStore& CodeStore::instance() {
  static CodeStore* const store = [] {
    const StoreSettings settings = store_settings();
    return new CodeStore(settings.folder, settings.limit);
  }();
  return *store;
}

std::optional<StoredCode> CodeStore::find(std::string_view key) noexcept {
  if (!enabled()) return {};
  try {
    const Descriptor folder(open_folder(folder_, false));
    if (!folder) return {};
    const std::string name = file_name(key);
    const Descriptor file(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file) return {};
    const std::optional<std::string> bytes = read_own(file.get(), limit_);
    return bytes ? unpacked(*bytes, key) : std::nullopt;
  } catch (const std::exception&) { return {}; }
}

void CodeStore::keep(std::string_view key, const StoredCode& code) noexcept {
  if (!enabled()) return;
  try {
    const std::string bytes = packed(key, code);
    if (bytes.size() > limit_ / largest_part) return;
    const Descriptor folder(open_folder(folder_, true));
    if (!folder) return;
    make_room(folder.get(), bytes.size());
    static std::atomic<unsigned> count{0};
    const std::string name = file_name(key);
    const std::string draft = "." + name + "." + std::to_string(::getpid()) + "." + std::to_string(count++);
    Descriptor file(
        ::openat(folder.get(), draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) return;
    const bool written = write_bytes(file.get(), bytes);
    if (!file.close() || !written || ::renameat(folder.get(), draft.c_str(), folder.get(), name.c_str()) != 0)
      ::unlinkat(folder.get(), draft.c_str(), 0);
  } catch (const std::exception&) {}  // without memory nothing is kept
}

void CodeStore::make_room(int folder, std::uint64_t added) {
  const std::lock_guard lock(mutex_);
  std::vector<KeptFile> files;
  const bool looked = size_.has_value();
  const auto look = [&] {
    files = kept_files(folder);
    size_ = 0;
    for (const KeptFile& file : files) *size_ += file.size;
  };
  if (!looked) look();
  if (*size_ + added > limit_) {
    if (looked) look();
    std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) {
      return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    // To three quarters, so that it is not looked at again soon.
    for (std::size_t i = 0; i < files.size() && *size_ + added > limit_ - limit_ / 4; ++i)
      if (::unlinkat(folder, files[i].name.c_str(), 0) == 0) *size_ -= files[i].size;
  }
  *size_ += added;
}

}  // namespace alembert::internal::detail
