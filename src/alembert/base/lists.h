#pragma once

// Lists put together: the one place for what would else be lines of insert().

#include <concepts>
#include <vector>

namespace alembert::internal {

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <class T, class Item>
requires std::convertible_to<Item, T>
void append(std::vector<T>& list, const Item& item) { list.push_back(item); }

/// A list of T from lists and single items, in their order: joined<Expr>(e.t, e.y, e.z).
template <class T, class... Parts>
std::vector<T> joined(const Parts&... parts) {
  std::vector<T> all;
  (append(all, parts), ...);
  return all;
}

}  // namespace alembert::internal
