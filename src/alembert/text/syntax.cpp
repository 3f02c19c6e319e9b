#include "alembert/text/syntax.h"

namespace alembert::internal {

bool operator==(const Term& a, const Term& b) { return a.form == b.form && a.text == b.text && a.parts == b.parts; }

bool operator==(const Item& a, const Item& b) {
  return a.target == b.target && a.owner == b.owner && a.value == b.value && a.unit == b.unit;
}

bool operator==(const Range& a, const Range& b) { return a.index == b.index && a.first == b.first && a.last == b.last; }

bool operator==(const Statement& a, const Statement& b) {
  return a.keyword == b.keyword && a.string == b.string && a.label == b.label && a.items == b.items &&
         a.left == b.left && a.right == b.right && a.ranges == b.ranges && a.comments == b.comments &&
         a.comment == b.comment;
}

bool operator==(const Text& a, const Text& b) { return a.statements == b.statements && a.comments == b.comments; }

}  // namespace alembert::internal
