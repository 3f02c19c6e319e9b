#include "alembert/plot/web.h"

#include <algorithm>

#include "alembert/error.h"

namespace alembert::internal {

std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string page;
  for (;;) {
    const std::size_t open = text.find("{{");
    page += text.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = text.find("}}", open);
    check(close != std::string_view::npos, "a place of a template has an end");
    const std::string_view name = text.substr(open + 2, close - open - 2);
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    check(found != values.end(), "every place of a template has a value");
    page += found->second;
    text.remove_prefix(close + 2);
  }
}

}  // namespace alembert::internal
