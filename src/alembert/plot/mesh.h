#pragma once

// Meshes of triangles from files, for draw statements.

#include <string>
#include <vector>

namespace alembert::internal {

/// Nine numbers for each triangle. `path` is relative to the folder of the model in `model_path`. Reads .stl (binary or
/// text) and .obj (vertices and faces); throws InputError where the file is not there or holds no triangles.
std::vector<float> read_mesh(const std::string& path, const std::string& model_path);

}  // namespace alembert::internal
