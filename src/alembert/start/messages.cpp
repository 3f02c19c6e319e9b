#include "alembert/start/messages.h"

namespace alembert::internal {

namespace {

constexpr std::size_t most_names = 12;  // as many as fit into two lines of a message

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == most_names && names.size() > most_names + 1) {
      return text + " and " + std::to_string(names.size() - i) + " more";
    }
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<int>& numbers) {
  std::vector<std::string> result;
  for (const int i : numbers) result.push_back(names[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace alembert::internal
