#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>

#include "alembert/expr.h"
#include "alembert/expr/operators.h"

namespace alembert::internal::testing_expr {

// A reader of the language, small and recursive, written for this test: what was printed means what was meant.
class Reader {
 public:
  Reader(const std::string& text, const std::map<std::string, Quad>& names) : text_(text), names_(names) {}
  Quad read() {
    const Quad value = sum();
    if (at_ != text_.size()) throw std::runtime_error("rest: " + text_.substr(at_));
    return value;
  }

 private:
  const std::string& text_;
  const std::map<std::string, Quad>& names_;
  std::size_t at_ = 0;

  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return true;
  }
  Quad sum() {
    Quad value = take('-') ? -product() : product();
    for (;;) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  Quad product() {
    Quad value = power();
    for (;;) {
      if (take('*')) {
        value *= power();
      } else if (take('/')) {
        value /= power();
      } else {
        return value;
      }
    }
  }
  Quad power() {
    const Quad base = atom();
    return take('^') ? powq(base, power()) : base;
  }
  bool take(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return true;
  }
  // Behind "if(".
  Quad choice() {
    const bool holds = condition();
    if (!take(',')) throw std::runtime_error(", missing");
    const Quad a = sum();
    if (!take(',')) throw std::runtime_error(", missing");
    const Quad b = sum();
    if (!take(')')) throw std::runtime_error(") missing");
    return holds ? a : b;
  }
  bool condition() {
    bool any = false;
    do {
      bool all = true;
      do {
        const bool one = comparison();
        all = all && one;
      } while (take(std::string("and")));
      any = any || all;
    } while (take(std::string("or")));
    return any;
  }
  bool comparison() {
    // A bracket may open a condition or a value.
    const std::size_t start = at_;
    if (take('(')) {
      try {
        const bool inner = condition();
        if (take(')') && (at_ >= text_.size() || std::string(",)ao").find(text_[at_]) != std::string::npos))
          return inner;
      } catch (const std::runtime_error&) {}
      at_ = start;
    }
    const Quad a = sum();
    if (take(std::string("<="))) return a <= sum();
    if (take(std::string(">="))) return a >= sum();
    if (take('<')) return a < sum();
    if (take('>')) return a > sum();
    throw std::runtime_error("no comparison: " + text_.substr(at_));
  }
  Quad atom() {
    if (take('(')) {
      const Quad value = sum();
      if (!take(')')) throw std::runtime_error(") missing");
      return value;
    }
    std::size_t end = at_;
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      while (end < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[end])) || text_[end] == '.')) ++end;
      if (end < text_.size() && text_[end] == 'e') {
        end += text_[end + 1] == '-' || text_[end + 1] == '+' ? 2 : 1;
        while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
      }
      Quad value = 0;
      if (!read_number(text_.substr(at_, end - at_), value)) throw std::runtime_error("number");
      at_ = end;
      return value;
    }
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) ||
                                  std::string("[]'_.").find(text_[end]) != std::string::npos))
      ++end;
    const std::string name = text_.substr(at_, end - at_);
    at_ = end;
    if (!take('(')) return names_.at(name);
    if (name == "if") return choice();
    const Operator* function = find_function(name);
    if (function == nullptr) throw std::runtime_error("function " + name);
    const Quad first = sum();
    const Quad second = take(',') ? sum() : first;
    if (!take(')')) throw std::runtime_error(") missing");
    return evaluate<Quad>(function->op, first, second);
  }
};

}  // namespace alembert::internal::testing_expr
