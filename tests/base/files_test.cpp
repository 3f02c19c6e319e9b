#include "alembert/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "apps/program.h"

namespace alembert::internal {
namespace {

namespace fs = std::filesystem;

TEST(Files, NothingOutsideAFolderIsOpened) {
  const apps_test::Folder outer;
  fs::create_directories(outer / "inner/deep");
  outer.write("secret", "s");
  outer.write("inner/own", "o");
  outer.write("inner/deep/own", "d");
  fs::create_symlink("own", outer / "inner/link");
  fs::create_directory_symlink(outer / "", outer / "inner/up");
  const int folder = ::open((outer / "inner").c_str(), O_RDONLY | O_DIRECTORY);
  const auto opens = [&](const std::string& path) {
    const int file = open_below(folder, path, O_RDONLY);
    if (file >= 0) ::close(file);
    return file >= 0;
  };
  for (const char* path : {"own", "deep/own", "./own", "deep/../own", "deep/./own"}) EXPECT_TRUE(opens(path)) << path;
  for (const std::string& path :
       {std::string("../secret"), outer / "secret", outer / "inner/own", std::string("link"), std::string("up/secret"),
        std::string("up"), std::string(""), std::string("deep/../../secret"), std::string("own\0x", 5)})
    EXPECT_FALSE(opens(path)) << path;
  ::close(folder);
}

TEST(Files, AreReadWhole) {
  const apps_test::Folder folder;
  const std::string path = folder.write("text", std::string("a\0b\r\n", 5));
  EXPECT_EQ(read_file(path), std::string("a\0b\r\n", 5));
  EXPECT_TRUE(file_is_there(path));
  EXPECT_FALSE(read_file(folder / "none"));
  EXPECT_FALSE(read_file(folder / ""));
  EXPECT_FALSE(file_is_there(folder / ""));
}

}  // namespace
}  // namespace alembert::internal
