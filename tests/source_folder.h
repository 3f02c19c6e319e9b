#pragma once

// Where the repository is. One source knows the path, so that the compiler cache serves every checkout.

#include <string>

std::string source_folder();
