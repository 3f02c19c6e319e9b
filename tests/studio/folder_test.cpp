#include "alembert/studio/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "alembert/error.h"
#include "apps/program.h"

namespace alembert::internal::studio {
namespace {

namespace fs = std::filesystem;
using apps_test::file_text;

/// A folder with models, and secrets beside it that links lead to.
struct FolderWithSecrets {
  apps_test::Folder outer;
  Folder folder{filled(outer)};

  static std::string filled(const apps_test::Folder& outer) {
    fs::create_directories(outer / "inner/arms");
    outer.write("secret.alm", "model \"Secret\"\n");
    outer.write("inner/own.alm", "model \"Own\"\ncoordinate x\n");
    outer.write("inner/arms/robot.alm", "coordinate x\n");
    outer.write("inner/notes.txt", "no model\n");
    fs::create_symlink(outer / "secret.alm", outer / "inner/link.alm");
    fs::create_directory_symlink(outer / "", outer / "inner/up");
    ::mkfifo((outer / "inner/pipe.alm").c_str(), 0600);
    return outer / "inner";
  }
};

TEST(StudioFolder, ListsModelsOnly) {
  const FolderWithSecrets place;
  const std::vector<ModelFile> found = place.folder.models();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "arms/robot.alm");
  EXPECT_EQ(found[0].title, "");
  EXPECT_EQ(found[1].path, "own.alm");
  EXPECT_EQ(found[1].title, "Own");
}

TEST(StudioFolder, ReadsAndSavesBelowItself) {
  const FolderWithSecrets place;
  EXPECT_EQ(place.folder.read("arms/robot.alm"), "coordinate x\n");
  EXPECT_EQ(place.folder.read("arms/../own.alm"), "model \"Own\"\ncoordinate x\n");
  place.folder.save("arms/robot.alm", "coordinate y\n");
  EXPECT_EQ(file_text(place.outer / "inner/arms/robot.alm"), "coordinate y\n");
  place.folder.save("new.alm", "");
  EXPECT_EQ(file_text(place.outer / "inner/new.alm"), "");
  // Nothing else is left behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(place.outer / "inner/arms"), fs::directory_iterator()), 1);
}

TEST(StudioFolder, NothingOutsideIsReadOrWritten) {
  const FolderWithSecrets place;
  const std::string absolute = place.outer / "secret.alm";
  for (const std::string& path :
       {std::string("../secret.alm"), std::string("arms/../../secret.alm"), absolute, std::string("link.alm"),
        std::string("up/secret.alm"), std::string("pipe.alm"), std::string("arms"), std::string(""), std::string("."),
        std::string(".."), std::string("/"), std::string("notes.txt"), std::string(".alm"), std::string("missing.alm"),
        std::string("own.alm/x.alm"), std::string("../secret.alm\0.alm", 18)}) {
    EXPECT_THROW(place.folder.read(path), InputError) << path;
    if (path == "missing.alm") continue;
    EXPECT_THROW(place.folder.save(path, "changed"), InputError) << path;
  }
  EXPECT_EQ(file_text(place.outer / "secret.alm"), "model \"Secret\"\n");
  EXPECT_EQ(file_text(place.outer / "inner/notes.txt"), "no model\n");
  EXPECT_TRUE(fs::is_symlink(place.outer / "inner/link.alm"));
}

TEST(StudioFolder, LargeFilesAreNoModels) {
  const FolderWithSecrets place;
  place.outer.write("inner/large.alm", std::string(2 << 20, ' '));
  EXPECT_THROW(place.folder.read("large.alm"), InputError);
  EXPECT_THROW(place.folder.save("own.alm", std::string(2 << 20, ' ')), InputError);
}

}  // namespace
}  // namespace alembert::internal::studio
