#include "alembert/tree.h"

#include <nlohmann/json.hpp>

#include "alembert/error.h"

namespace alembert {

namespace {

std::string written(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write(const Tree& tree, std::string& text) {
  struct Writer {
    std::string& text;
    void operator()(std::monostate) const { text += "null"; }
    void operator()(bool yes) const { text += yes ? "true" : "false"; }
    void operator()(long number) const { text += std::to_string(number); }
    void operator()(double number) const { text += written(number); }
    void operator()(const std::string& word) const { text += written(word); }
    void operator()(const Tree::List& list) const {
      text += '[';
      for (const Tree& one : list) {
        if (&one != list.data()) text += ',';
        write(one, text);
      }
      text += ']';
    }
    void operator()(const Tree::Members& members) const {
      text += '{';
      for (const auto& member : members) {
        if (&member != members.data()) text += ',';
        text += written(member.first) + ':';
        write(member.second, text);
      }
      text += '}';
    }
  };
  std::visit(Writer{text}, tree.value);
}

}  // namespace

const Tree* Tree::find(const std::string& name) const {
  if (const Members* members = std::get_if<Members>(&value))
    for (const auto& [own, one] : *members)
      if (own == name) return &one;
  return nullptr;
}

Tree& Tree::operator[](const std::string& name) {
  if (std::holds_alternative<std::monostate>(value)) value = Members();
  Members* const members = std::get_if<Members>(&value);
  check(members != nullptr, "only members have names");
  for (auto& [own, one] : *members)
    if (own == name) return one;
  return members->emplace_back(name, Tree()).second;
}

std::string to_json(const Tree& tree) {
  std::string text;
  write(tree, text);
  return text;
}

}  // namespace alembert
