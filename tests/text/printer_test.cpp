#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "alembert/text/statements.h"
#include "alembert/text/syntax.h"
#include "text/spec_models.h"

namespace alembert::internal {
namespace {

std::shared_ptr<const Source> from(std::string text) {
  return std::make_shared<Source>(Source{"m.alm", std::move(text)});
}

std::string formatted(const std::string& text) { return print(parse(from(text))); }

/// Random trees of every form that the language can write.
class Trees {
 public:
  explicit Trees(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % n); }

  Term leaf() {
    static const char* names[] = {"x", "q1", "model", "force", "of", "for", "step", "end", "_a", "sum"};
    static const char* numbers[] = {"1", "0.5", ".5", "1e-3", "2.5E+10", "007"};
    return below(3) ? make(Term::Form::name, names[below(10)], {}) : make(Term::Form::number, numbers[below(6)], {});
  }

  Term tree(int depth) {
    if (depth == 0) return leaf();
    switch (below(9)) {
      case 0: {
        Term base = tree(depth - 1);
        return base.form == Term::Form::prime ? base : make(Term::Form::prime, "", {base});
      }
      case 1: return make(Term::Form::index, "", {tree(depth - 1), tree(depth - 1)});
      case 2:
        if (below(4) == 0)
          return make(Term::Form::call, "if", {condition(depth - 1), tree(depth - 1), tree(depth - 1)});
        if (below(4) == 0) return make(Term::Form::call, "a[].b", trees(depth, 1 + below(3)));
        return make(Term::Form::call, "f", trees(depth, below(4)));
      case 3: return make(Term::Form::tuple, "", trees(depth, 2 + below(3)));
      case 4: return make(Term::Form::negate, "", {tree(depth - 1)});
      case 5: return chain(depth, "+-");
      case 6: return chain(depth, "*/");
      case 7: return make(Term::Form::power, "", {tree(depth - 1), tree(depth - 1)});
      default: {
        Term name = make(Term::Form::name, "i", {});
        Term range = make(Term::Form::range, "", {name, tree(depth - 1), tree(depth - 1)});
        return make(Term::Form::call, "sum", {range, tree(depth - 1)});
      }
    }
  }

  /// Comparisons, one or several in a chain, with and, or, not around them.
  Term condition(int depth) {
    static const char* signs[] = {"<", "<=", ">", ">=", "=", "!="};
    const int which = depth <= 0 ? 0 : below(4);
    if (which == 1) return make(Term::Form::opposite, "", {condition(depth - 1)});
    if (which > 1) {
      std::vector<Term> parts;
      for (int i = 2 + below(2); i > 0; --i) parts.push_back(condition(depth - 1));
      return make(which == 2 ? Term::Form::both : Term::Form::either, "", std::move(parts));
    }
    Term compare = make(Term::Form::compare, signs[below(6)], {tree(std::max(depth, 0)), tree(std::max(depth, 0))});
    if (below(3) == 0) {
      compare.text += std::string(" ") + signs[below(6)];
      compare.parts.push_back(tree(std::max(depth, 0)));
    }
    return compare;
  }

  Term target(int depth) {
    Term term = make(Term::Form::name, below(2) ? "x" : "source", {});
    if (below(2)) term = make(Term::Form::index, "", {term, tree(depth)});
    if (below(2)) term = make(Term::Form::prime, "", {term});
    return term;
  }

  Statement statement() {
    const auto& forms = statement_forms();
    const StatementForm& form = forms[below(static_cast<int>(forms.size()))];
    Statement s;
    s.keyword = form.keyword;
    const int depth = 1 + below(4);
    const auto items = [&](bool owner, int value) {
      for (int i = 1 + below(6); i > 0; --i) {
        Item item{target(2), {}, {}};
        if (owner && below(2)) item.owner = target(1);
        if (value == 2 || (value == 1 && below(2))) item.value = tree(depth);
        if (value == 1 && below(4) == 0) item.unit = "kg*m^2";
        s.items.push_back(item);
      }
    };
    const auto ranges = [&](int count) {
      for (; count > 0; --count) s.ranges.push_back({make(Term::Form::name, "for", {}), tree(depth), tree(depth)});
    };
    switch (form.shape) {
      case Shape::text:
        for (int i = below(12); i > 0; --i) s.string += "a\\\"# ü"[below(5)];
        break;
      case Shape::names: items(false, 0), ranges(below(3)); break;
      case Shape::declarations: items(false, 1), ranges(below(3)); break;
      case Shape::owned: items(true, 1), ranges(below(3)); break;
      case Shape::assignments: items(false, 2), ranges(below(3)); break;
      case Shape::component:
        s.label = make(Term::Form::name, "motor", {});
        s.string = "motor.alm";
        if (below(2)) items(false, 2);
        ranges(below(3));
        break;
      case Shape::contact:
        s.label = make(Term::Form::name, "floor", {});
        s.left = tree(depth), s.right = tree(depth), s.string = below(2) ? ">=" : "<=";
        if (below(2)) s.items.push_back({make(Term::Form::name, "restitution", {}), {}, tree(depth)});
        for (int i = below(3); i > 0; --i) s.items.push_back({make(Term::Form::name, "along", {}), {}, tree(depth)});
        ranges(below(3));
        break;
      case Shape::connection:
        if (below(3) == 0) s.string = "lossy";
        for (int i = 1 + below(4); i > 0; --i) s.items.push_back({tree(depth), {}, tree(depth)});
        ranges(below(3));
        break;
      case Shape::matrix:
        if (below(2)) items(false, 2), ranges(below(3));
        else s.left = tree(depth);
        break;
      case Shape::expression: s.left = tree(depth); break;
      case Shape::equation:
        if (below(2)) s.label = make(Term::Form::name, "rod", {});
        else if (below(2)) s.label = make(Term::Form::call, "rod", {make(Term::Form::name, "psi", {})});
        s.left = tree(depth), s.right = tree(depth), ranges(below(3));
        break;
      case Shape::watched:
        if (below(2) || s.keyword == "observe") s.label = make(Term::Form::name, "conserve", {});
        s.left = tree(depth);
        ranges(below(3));
        break;
      case Shape::table:
        s.label = make(Term::Form::call, "road", {make(Term::Form::name, "x", {})});
        if (below(2)) {
          s.string = "road \"a\".csv";
          s.items.push_back({word("file"), {}, {}});
          static const char* columns[] = {"height", "front left"};
          if (below(2)) s.items.push_back({word("column"), {}, make(Term::Form::name, columns[below(2)], {})});
          else s.items.push_back({word("column"), {}, make(Term::Form::number, "2", {})});
        } else {
          for (int i = 1 + below(4); i > 0; --i)
            s.items.push_back({word("point"), {}, make(Term::Form::tuple, "", trees(depth, 2))});
        }
        if (below(2)) s.items.push_back({word(below(2) ? "spline" : "monotone"), {}, {}});
        break;
      case Shape::reset:
        if (below(2)) {
          s.label = make(Term::Form::name, "hit", {});
        } else {
          s.left = tree(depth);
          s.right = tree(depth);
          if (below(2)) s.string = below(2) ? "rising" : "falling";
        }
        items(false, 2);
        ranges(below(3));
        break;
      case Shape::event:
        if (below(2)) s.label = make(Term::Form::name, "when", {});
        s.left = tree(depth), s.right = tree(depth), ranges(below(3));
        if (below(3) == 0) s.string = below(2) ? "rising" : "falling";
        break;
      case Shape::condition:
        s.left = tree(depth);
        if (below(3) == 0) {
          s.string = "after";
          s.label = make(Term::Form::name, "hit", {});
          break;
        }
        s.right = tree(depth);
        if (below(3) == 0) s.string = below(2) ? "rising" : "falling";
        ranges(below(3));
        break;
      case Shape::ranges: ranges(1 + below(3)); break;
      case Shape::method: {
        std::vector<const char*> names = {"step", "end"};
        std::shuffle(names.begin(), names.end(), random_);
        names.resize(below(3));
        names.insert(names.begin(), "method");
        for (const char* name : names) s.items.push_back({make(Term::Form::name, name, {}), {}, tree(depth)});
        break;
      }
      case Shape::element: {
        const std::vector<std::string> kinds = split_words(form.kinds), words = split_words(form.words);
        if (!kinds.empty()) s.string = kinds[below(static_cast<int>(kinds.size()))];
        s.label = make(Term::Form::name, "arm", {});
        if (below(3) == 0) s.label = make(Term::Form::index, "", {*s.label, tree(1)});
        ranges(below(3));
        for (int i = below(6); i > 0; --i) {
          std::string word = words[below(static_cast<int>(words.size()))];
          const char kind = word.back();  // '=' before an expression, '"' before a text
          if (kind == '=' || kind == '"') word.pop_back();
          s.items.push_back({make(Term::Form::name, word, {}), {}, {}});
          if (kind == '=') s.items.back().value = tree(depth);
          if (kind == '"') s.items.back().unit = "a text";
        }
        break;
      }
    }
    if (below(3) == 0) s.comments = {" note", " ", "!", ""};
    if (below(3) == 0) s.comment = " behind \"it\"";
    return s;
  }

 private:
  static Term word(const char* text) { return make(Term::Form::name, text, {}); }
  static Term make(Term::Form form, std::string text, std::vector<Term> parts) {
    return Term{form, {}, std::move(text), std::move(parts)};
  }

  std::vector<Term> trees(int depth, int count) {
    std::vector<Term> parts;
    for (int i = 0; i < count; ++i) parts.push_back(tree(depth - 1));
    return parts;
  }

  Term chain(int depth, const std::string& signs) {
    Term chain = make(Term::Form::chain, "", trees(depth, 2 + below(4)));
    for (std::size_t i = 1; i < chain.parts.size(); ++i) chain.text += signs[below(2)];
    return chain;
  }

  std::mt19937 random_;
};

TEST(Print, RoundTripOfEveryModelAndOfItsOwnOutput) {
  for (const std::string& model : text_test::spec_models()) {
    const Text text = parse(from(model));
    const std::string printed = print(text);
    EXPECT_TRUE(parse(from(printed)) == text) << printed;
    EXPECT_EQ(formatted(printed), printed);
  }
}

TEST(Print, RoundTripOfRandomTerms) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    const Term term = Trees(seed).tree(1 + seed % 6);
    const std::string printed = print(term);
    ASSERT_TRUE(parse_term(from(printed)) == term) << printed;
  }
}

TEST(Print, RoundTripOfRandomTexts) {
  std::size_t broken_lines = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Trees trees(seed);
    Text text;
    for (int i = 0; i < 8; ++i) text.statements.push_back(trees.statement());
    text.comments = {"", " the end"};
    const std::string printed = print(text);
    ASSERT_TRUE(parse(from(printed)) == text) << printed;
    broken_lines += std::count(printed.begin(), printed.end(), '\n') > 50;
  }
  EXPECT_GT(broken_lines, 10u);  // line breaks were really met
}

TEST(Print, IsCanonical) {
  EXPECT_EQ(formatted("kinetic   m / 2 * ( x '^2+y'^ 2 )   #c"), "kinetic m/2*(x'^2 + y'^2)  #c\n");
  EXPECT_EQ(formatted("constraint  rod:norm2(r[ i ]-r[i - 1])=l^2  for i=2 .. N - 1"),
            "constraint rod: norm2(r[i] - r[i-1]) = l^2 for i = 2..N-1\n");
  EXPECT_EQ(formatted("solve  gauss( 3 )end 1 step - .1"), "solve gauss(3) end 1 step -.1\n");
  EXPECT_EQ(formatted("momentum p[3]  of q,s"), "momentum p[3] of q, s\n");
  EXPECT_EQ(formatted("let a=1.,b=2.e3"), "let a = 1, b = 2e3\n");
  EXPECT_EQ(formatted("source \"a \\\"b\\\" \\c\""), "source \"a \\\"b\\\" \\c\"\n");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n\n  # only a comment\n\n\n"), "# only a comment\n");
}

// However attributes are ordered, a statement is the same, but for the order in which bodies are named.
TEST(Print, AttributesComeInAnyOrder) {
  const std::string leg =
      "component leg[i] = \"leg.alm\" at (i, 0, 0) rotated 20*deg about (0, 0, 1) with l = 2, m = 3 for i = 1..6\n";
  for (const char* other :
       {"component leg[i] = \"leg.alm\" with l = 2, m = 3 at (i, 0, 0) rotated 20*deg about (0, 0, 1) for i = 1..6\n",
        "component leg[i] = \"leg.alm\" for i = 1..6 about (0, 0, 1) turned 20*deg with l = 2, m = 3 at (i, 0, 0)\n",
        "component leg[i] = \"leg.alm\" rotated 20*deg with l = 2, m = 3 for i = 1..6 about (0, 0, 1) at (i, 0, 0)\n"})
    EXPECT_EQ(formatted(other), leg);
  EXPECT_EQ(formatted("body arm for i = 1..2 mass 2 inertia 1\n"),
            formatted("body arm mass 2 inertia 1 for i = 1..2\n"));
  EXPECT_EQ(formatted("contact c friction 0.5 to ground plane from ball sphere 0.1 for i = 1..2\n"),
            formatted("contact c friction 0.5 to ground plane for i = 1..2 from ball sphere 0.1\n"));
}

TEST(Print, KeepsCommentsAndAtMostOneBlankLine) {
  EXPECT_EQ(formatted("\n# head\n\n\n\n#\ncoordinate x,  # first\n  # between\n\n  y  # last\n\n\n# tail\n\n"),
            "# head\n\n#\n# first\n# between\ncoordinate x, y  # last\n\n# tail\n");
}

TEST(Print, PutsBracketsOnlyWhereNeeded) {
  for (const char* text :
       {"a - (b - c)", "a - b - c", "a + (b + c)", "(a + b) + c", "a*(b*c)",    "a/(b/c)",  "(-a)^2",    "-a^2",
        "--a",         "2^-1",      "a^b^c",       "(a^b)^c",     "a^(b*c)",    "(a*b)^2",  "-(a*b)",    "-a*b",
        "a*-b",        "a - -b",    "(a, b)*c",    "(a + b)'",    "(a, b)[1]",  "(a*b)[1]", "f((a, b))", "q[1]'",
        "q'[1]",       "r[i][3]'",  "(-a)'",       "a^-b^c",      "(a, (b, c))"}) {
    EXPECT_EQ(print(parse_term(from(text))), text);
  }
  EXPECT_EQ(print(parse_term(from("((a))*((b + c))"))), "a*(b + c)");
}

TEST(Print, BreaksLongLinesBehindCommasAndOperators) {
  std::string list = "coordinate ";
  std::string sum = "potential 1";
  for (int i = 0; i < 100; ++i) list += (i ? ", x" : "x") + std::to_string(i);
  for (int i = 0; i < 100; ++i) sum += " + f(a, b)*x" + std::to_string(i);
  const std::string text = list + "\n" + sum + "\n";
  const std::string printed = formatted(text);
  EXPECT_TRUE(parse(from(printed)) == parse(from(text)));
  std::istringstream lines(printed);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 120u);
    if (line.rfind("coordinate", 0) == 0 || line.rfind("potential", 0) == 0) continue;
    EXPECT_EQ(line.find_first_not_of(' '), 4u) << line;
    EXPECT_EQ(line.find(", b)") == std::string::npos, line.find("f(a") == std::string::npos)
        << "broken inside: " << line;
  }
  EXPECT_GT(count, 12);
}

TEST(Grammar, ComesFromTheTableAndItsExamplesAreCanonical) {
  const std::string text = grammar();
  for (const StatementForm& form : statement_forms()) {
    EXPECT_NE(text.find("`" + syntax_of(form) + "`"), std::string::npos) << form.keyword;
    EXPECT_NE(text.find("`" + std::string(form.example) + "`"), std::string::npos) << form.keyword;
    const Text parsed = parse(from(std::string(form.example)));
    ASSERT_EQ(parsed.statements.size(), 1u);
    EXPECT_EQ(parsed.statements[0].keyword, form.keyword);
    EXPECT_EQ(print(parsed), std::string(form.example) + "\n");
  }
}

}  // namespace
}  // namespace alembert::internal
