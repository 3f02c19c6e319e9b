#pragma once

// Compiled code kept on disk, so that the same formulas are compiled once for a user and a machine. One file for each
// piece of code, under a name made of its content, in a folder that only its owner may enter. Whatever is wrong with a
// file (cut off, changed, of somebody else, of another version) makes it as if it were not there.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alembert::internal::detail {

struct StoredCode {
  std::vector<std::string> objects;  // object files, one after the other
  std::uint64_t work = 0;            // as NativeCode
};

/// Usable from any thread and by several processes at once. Never throws: what cannot be read or written is not kept.
class CodeStore {
 public:
  /// The one of this user, as ALEMBERT_CACHE, XDG_CACHE_HOME and HOME say.
  static CodeStore& instance();
  /// In this folder, which is made where it is not there; "" keeps nothing. limit: bytes of all files together; what
  /// was not used for longest goes first.
  CodeStore(std::string folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  /// key: all that the code depends on. It is stored with the code and compared in full.
  std::optional<StoredCode> find(std::string_view key) noexcept;
  void keep(std::string_view key, const StoredCode& code) noexcept;

  /// Nothing is read or kept from now on.
  void disable() noexcept { folder_.clear(); }
  bool enabled() const noexcept { return !folder_.empty(); }
  const std::string& folder() const noexcept { return folder_; }

 private:
  void make_room(int folder, std::uint64_t added);

  std::string folder_;
  std::uint64_t limit_;
  std::mutex mutex_;                   // of the next
  std::optional<std::uint64_t> size_;  // of all files, once it was looked at
};

/// Where the environment says that code is kept, and how much of it.
struct StoreSettings {
  std::string folder;       // "": nowhere
  std::uint64_t limit = 0;  // bytes
  std::string mistake;      // in ALEMBERT_CACHE; nothing is kept then
};
StoreSettings store_settings();

}  // namespace alembert::internal::detail
