#pragma once

// What reads bytes of others: each takes any bytes, and either reads them or refuses them with an InputError. Anything
// else (a crash, a hang, memory without measure, another exception, a broken promise) is a fault. libFuzzer calls these
// in fuzz_main.cpp (tools/fuzz.sh), the tests in fuzz_test.cpp with the corpora and some mutations of them.

#include <string>
#include <string_view>
#include <vector>

namespace alembert::internal::fuzz {

struct Target {
  const char* name;
  const char* corpus;  // its folder
  void (*read)(std::string_view bytes);
  bool outside;  // libraries of others may break in it: the tests call it in a process of its own
};

/// text: parses, prints and parses again, which gives the same. model: up to the equations. csv, json, hdf5:
/// trajectories, up to their figure. studio: requests of a page, up to the answer.
const std::vector<Target>& targets();

}  // namespace alembert::internal::fuzz
