// A run that is saved, loaded in another process and continued: it equals the uninterrupted one bit for bit.
//     checkpoint MODEL             runs through; saves in the middle; starts itself again to continue; compares
//     checkpoint MODEL FILE        continues what FILE holds, and writes its end there

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "alembert/alembert.h"

using namespace alembert;

namespace {

constexpr long half = 1000;

std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

void write(const std::vector<std::byte>& bytes, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Stepper make(const std::string& model) {
  return compile(find_method("lobatto(3)"), derive(read_model(model), {.inputs = {"m2"}}), {.step = 0.01});
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const std::string model = arguments[1];
  Stepper stepper = make(model);
  if (count > 2) {
    stepper.load(read(arguments[2]));
    if (!stepper.steps(half)) return 1;
    write(stepper.save(), arguments[2]);
    return 0;
  }
  stepper.set("m2", 1.5);
  if (!stepper.steps(half)) return 1;
  const std::string file = "checkpoint.state";
  write(stepper.save(), file);
  if (!stepper.steps(half)) return 1;
  const std::string again = "\"" + std::string(arguments[0]) + "\" \"" + model + "\" " + file;
  if (std::system(again.c_str()) != 0) return 1;
  const bool same = read(file) == stepper.save();
  std::printf("t = %g, x1 = %.17g: the continued run is %s\n", stepper.t(), stepper.value("x1"),
              same ? "the same, bit for bit" : "another one");
  return same ? 0 : 1;
}
