#pragma once

// The user's models in the folder of the studio; nothing outside of it.

#include <string>
#include <vector>

namespace alembert::internal::studio {

/// A model that can be opened.
struct ModelFile {
  std::string path;   // below the folder: "arms/robot.alm"; of the gallery, its name
  std::string title;  // what its model statement says; "" where there is none
};

/// What a model statement near the start of a text says.
std::string title_of(const std::string& text);

class Folder {
 public:
  /// Throws InputError where there is no such folder.
  explicit Folder(const std::string& path);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  /// All .alm files, at most so many and so deep that the list stays one to look at; hidden folders are left out.
  std::vector<ModelFile> models() const;
  /// The text of one. Throws InputError where it is none, leads outside, or is too large to be a model.
  std::string read(const std::string& path) const;
  /// Writes it, whole or not at all. Throws InputError where that fails; only names that end with .alm are taken.
  void save(const std::string& path, const std::string& text) const;

 private:
  void list(int folder, const std::string& prefix, int depth, std::vector<ModelFile>& found) const;
  int folder_ = -1;
};

}  // namespace alembert::internal::studio
