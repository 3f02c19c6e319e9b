#include "alembert/plot/mesh.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "alembert/base/files.h"
#include "alembert/error.h"

namespace alembert::internal {
namespace {

constexpr std::size_t most_triangles = 200'000;  // 14 MB of text in a page

/// 80 bytes of anything, the number of triangles, then 50 bytes a triangle, its normal first.
std::vector<float> binary_stl(const std::string& data) {
  std::uint32_t count = 0;
  std::memcpy(&count, data.data() + 80, 4);
  std::vector<float> corners(9 * std::size_t(count));
  for (std::size_t i = 0; i < count; ++i) std::memcpy(&corners[9 * i], data.data() + 84 + 50 * i + 12, 36);
  return corners;
}

bool is_binary_stl(const std::string& data) {
  if (data.size() < 84) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, data.data() + 80, 4);
  return data.size() == 84 + 50 * std::size_t(count);
}

std::vector<float> text_stl(const std::string& data) {
  std::vector<float> corners;
  std::istringstream text(data);
  for (std::string word; text >> word;) {
    if (word != "vertex") continue;
    float x = 0, y = 0, z = 0;
    if (text >> x >> y >> z) corners.insert(corners.end(), {x, y, z});
  }
  corners.resize(corners.size() / 9 * 9);
  return corners;
}

/// Faces of more than three corners are cut into a fan.
std::vector<float> obj(const std::string& data) {
  std::vector<float> places, corners;
  std::istringstream text(data);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      float x = 0, y = 0, z = 0;
      words >> x >> y >> z;
      places.insert(places.end(), {x, y, z});
    } else if (word == "f") {
      std::vector<std::size_t> face;
      const long count = static_cast<long>(places.size()) / 3;
      for (std::string corner; words >> corner;) {
        const long given = std::strtol(corner.c_str(), nullptr, 10), at = given < 0 ? count + given : given - 1;
        if (at >= 0 && at < count) face.push_back(static_cast<std::size_t>(at));
      }
      for (std::size_t k = 2; k < face.size(); ++k)
        for (const std::size_t at : {face[0], face[k - 1], face[k]})
          corners.insert(corners.end(), {places[3 * at], places[3 * at + 1], places[3 * at + 2]});
    }
  }
  return corners;
}

}  // namespace

std::vector<float> read_mesh(const std::string& path, const std::string& model_path) {
  std::filesystem::path file = path;
  if (file.is_relative()) file = std::filesystem::path(model_path).parent_path() / file;
  const std::optional<std::string> found = read_file(file.string());
  if (!found) throw InputError("cannot read the mesh '" + file.string() + "'", "its path is relative to the model");
  const std::string& data = *found;
  const bool is_obj = file.extension() == ".obj" || file.extension() == ".OBJ";
  std::vector<float> corners = is_obj ? obj(data) : is_binary_stl(data) ? binary_stl(data) : text_stl(data);
  if (corners.empty())
    throw InputError("the mesh '" + file.string() + "' holds no triangles", "files .stl and .obj are known");
  if (corners.size() > 9 * most_triangles)
    throw InputError("the mesh '" + file.string() + "' has more than " + std::to_string(most_triangles) + " triangles");
  return corners;
}

}  // namespace alembert::internal
