#include "source_folder.h"

std::string source_folder() { return ALEMBERT_SOURCE_DIR; }
