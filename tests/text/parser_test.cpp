#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <random>

#include "alembert/text/syntax.h"
#include "text/spec_models.h"

namespace alembert::internal {
namespace {

std::shared_ptr<const Source> model(std::string text) {
  return std::make_shared<Source>(Source{"m.alm", std::move(text)});
}

Term term(const std::string& text) { return parse_term(model(text)); }

/// The tree with every bracket written out.
std::string tree(const Term& t) {
  const auto parts = [&](const std::string& separator) {
    std::string out;
    for (std::size_t i = 0; i < t.parts.size(); ++i) out += (i ? separator : "") + tree(t.parts[i]);
    return out;
  };
  switch (t.form) {
    case Term::Form::number:
    case Term::Form::name: return t.text;
    case Term::Form::prime: return "{" + parts("") + "}'";
    case Term::Form::index: return "{" + parts("[") + "]}";
    case Term::Form::call: return t.text + "(" + parts(",") + ")";
    case Term::Form::tuple: return "<" + parts(",") + ">";
    case Term::Form::negate: return "{-" + parts("") + "}";
    case Term::Form::chain: return "{" + t.text + " " + parts(" ") + "}";
    case Term::Form::power: return "{" + parts("^") + "}";
    case Term::Form::range: return parts(":");
    case Term::Form::compare: return "{" + t.text + " " + parts(" ") + "}";
    case Term::Form::both: return "{" + parts(" and ") + "}";
    case Term::Form::either: return "{" + parts(" or ") + "}";
    case Term::Form::opposite: return "{not " + parts("") + "}";
  }
  return {};
}

std::string message(const std::string& text) {
  std::vector<Diagnostic> errors;
  parse(model(text), errors);
  return errors.empty() ? "" : format(errors[0]);
}

std::size_t error_count(const std::string& text) {
  std::vector<Diagnostic> errors;
  parse(model(text), errors);
  return errors.size();
}

void expect_error(const std::string& text, const std::string& place, const std::string& part) {
  const std::string found = message(text);
  EXPECT_EQ(found.substr(0, 6 + place.size() + 1), "m.alm:" + place + ":") << found;
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(ParseTerm, PrecedenceAndChains) {
  EXPECT_EQ(tree(term("a - b + c")), "{-+ a b c}");
  EXPECT_EQ(tree(term("a*b/c")), "{*/ a b c}");
  EXPECT_EQ(tree(term("a + b*c")), "{+ a {* b c}}");
  EXPECT_EQ(tree(term("-x^2")), "{-{x^2}}");
  EXPECT_EQ(tree(term("-a*b")), "{* {-a} b}");
  EXPECT_EQ(tree(term("-a + b")), "{+ {-a} b}");
  EXPECT_EQ(tree(term("2^-1")), "{2^{-1}}");
  EXPECT_EQ(tree(term("2^-x^y*3")), "{* {2^{-{x^y}}} 3}");
  EXPECT_EQ(tree(term("a^b^c")), "{a^{b^c}}");
  EXPECT_EQ(tree(term("x'^2")), "{{x}'^2}");
  EXPECT_EQ(tree(term("q[2]'")), "{{q[2]}}'");
  EXPECT_EQ(tree(term("r[i-1][3]")), "{{r[{- i 1}]}[3]}");
  EXPECT_EQ(tree(term("(a)")), "a");
  EXPECT_EQ(tree(term("(a, b)*c")), "{* <a,b> c}");
  EXPECT_EQ(tree(term("(a + b) + c")), "{+ {+ a b} c}");
  EXPECT_EQ(tree(term("+a - +b")), "{- a b}");
  EXPECT_EQ(tree(term("f()")), "f()");
  EXPECT_EQ(tree(term("sum(i = 1..N, x[i])")), "sum(i:1:N,{x[i]})");
  EXPECT_EQ(tree(term("f(model, of, step)")), "f(model,of,step)");
}

TEST(ParseTerm, Numbers) {
  for (const char* text : {"1", "1.5", ".5", "1e-3", "1.5E+10", "0"}) {
    EXPECT_EQ(term(text).form, Term::Form::number);
    EXPECT_EQ(term(text).text, text);
  }
  EXPECT_EQ(tree(term("sum(i = 1..2, i)")), "sum(i:1:2,i)");
  EXPECT_EQ(tree(term("sum(i = 1...5, i)")), "sum(i:1:.5,i)");
  EXPECT_EQ(term("1.").text, "1");
  EXPECT_THROW(term("1e400"), InputError);
  EXPECT_THROW(term("1.2.3"), InputError);
  EXPECT_THROW(term("2x"), InputError);
  EXPECT_THROW(term("1e"), InputError);
}

TEST(ParseTerm, PlacesCoverTheWholeTerm) {
  const Term t = term("a + f(bb, (c - d))*2");
  EXPECT_EQ(t.place.column, 1);
  EXPECT_EQ(t.place.length, 20);
  const Term& product = t.parts[1];
  EXPECT_EQ(product.place.column, 5);
  EXPECT_EQ(product.place.length, 16);
  const Term& difference = product.parts[0].parts[1];
  EXPECT_EQ(difference.place.column, 11);
  EXPECT_EQ(difference.place.length, 7);  // with its brackets
}

TEST(ParseTerm, OneTermAndNothingElse) {
  EXPECT_THROW(term(""), InputError);
  EXPECT_THROW(term("# nothing"), InputError);
  EXPECT_THROW(term("a\nb"), InputError);
  EXPECT_THROW(term("a = b"), InputError);
  EXPECT_EQ(tree(term(" a +\n b # c")), "{+ a b}");
}

TEST(ParseAssignment, AsOptionsGiveIt) {
  const Item item = parse_assignment(model("x1' = -10"));
  EXPECT_EQ(tree(item.target), "{x1}'");
  EXPECT_EQ(tree(*item.value), "{-10}");
  EXPECT_FALSE(item.owner);
  for (const char* text : {"", "x1", "x1 =", "= 3", "3 = x", "x = 1, y = 2", "x = 1 2"}) {
    EXPECT_THROW(parse_assignment(model(text)), InputError) << text;
  }
  try {
    parse_assignment(std::make_shared<Source>(Source{"--set m1=", "m1="}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--set m1=:1:4: expected an expression behind '=', found the end of the line\n    m1=\n       ^");
  }
}

TEST(Parse, FillsWhatTheKeywordSays) {
  const Text text = parse(model(text_test::spec_models()[2] + text_test::spec_models()[5]));
  std::map<std::string, const Statement*> last;
  for (const Statement& s : text.statements) last[s.keyword] = &s;
  EXPECT_EQ(last["model"]->string, "Four particles on two bars");
  EXPECT_EQ(last["model"]->comment, " Hamiltonian form");
  ASSERT_EQ(last["momentum"]->items.size(), 4u);
  EXPECT_EQ(tree(last["momentum"]->items[3].target), "{p4[3]}");
  EXPECT_EQ(tree(*last["momentum"]->items[3].owner), "q4");
  EXPECT_EQ(tree(*last["constraint"]->label), "surface(psi)");
  EXPECT_EQ(tree(*last["constraint"]->left), "{y[2]}");
  EXPECT_EQ(tree(*last["constraint"]->right), "{* b {{y[1]}^3}}");
  ASSERT_EQ(last["force"]->ranges.size(), 2u);
  EXPECT_EQ(tree(last["force"]->ranges[1].last), "{- N 1}");
  ASSERT_EQ(last["let"]->items.size(), 2u);
  EXPECT_EQ(tree(last["let"]->items[0].target), "f(a,b)");
  ASSERT_EQ(last["pin"]->items.size(), 3u);
  EXPECT_EQ(tree(last["pin"]->items[2].target), "{{{r[2]}[3]}}'");
  ASSERT_EQ(last["solve"]->items.size(), 3u);
  EXPECT_EQ(tree(*last["solve"]->items[0].value), "suzuki(symmetric(true_euler))");
  EXPECT_EQ(last["solve"]->items[1].target.text, "end");
  EXPECT_EQ(tree(*last["solve"]->items[2].value), "{-1e-2}");
  EXPECT_EQ(last["pin"]->comments, std::vector<std::string>{""});
  EXPECT_EQ(text.comments, (std::vector<std::string>{"", " the end"}));
}

TEST(Parse, LinesGoOnInBracketsAndBehindOperators) {
  const Text text =
      parse(model("kinetic (a\n + b\n)\npotential a +  # x\n\n  b\nparameter force = 1,\n  model = 2\n"
                  "let source = f(\n source + 1,\nmodel)\r\nconstraint c:\n a =\n b\n"));
  ASSERT_EQ(text.statements.size(), 5u);
  EXPECT_EQ(tree(*text.statements[0].left), "{+ a b}");
  EXPECT_EQ(tree(*text.statements[1].left), "{+ a b}");
  EXPECT_EQ(text.statements[2].items.size(), 2u);
  EXPECT_EQ(tree(*text.statements[3].items[0].value), "f({+ source 1},model)");
  EXPECT_EQ(text.statements[4].place.line, 12);
}

TEST(Parse, TakesMarksAndWideCharactersInCommentsAndTexts) {
  const Text text = parse(model("\xEF\xBB\xBFmodel \"Größe\" # Übung \xFF\n"));
  EXPECT_EQ(text.statements[0].string, "Größe");
  expect_error("\xEF\xBB\xBFmodel \"ö\" x", "1:11", "expected an operator or the end of the line, found 'x'");
}

TEST(ParseErrors, UnknownStatement) {
  expect_error("potental m*g", "1:1", "^~~~~~~~ did you mean 'potential'?");
  expect_error("mass_of_it = 3", "1:1", "write 'parameter mass_of_it = ...'");
  expect_error("qqqq 3", "1:1", "a statement starts with one of model, source, parameter");
  expect_error("kinetic a\n  + b", "2:3", "a line goes on after an operator");
  expect_error("3 = x", "1:1", "expected a statement, found '3'");
}

TEST(ParseErrors, ExpectedAndFound) {
  expect_error("model Pendulum", "1:7", "expected a quoted text, found 'Pendulum'");
  expect_error("kinetic", "1:8", "expected an expression, found the end of the line");
  expect_error("kinetic a +", "1:12", "expected an expression behind '+', found the end of the line");
  expect_error("kinetic a b", "1:11", "expected an operator or the end of the line, found 'b'");
  expect_error("kinetic 2 x", "1:11", "between factors write '*'");
  expect_error("kinetic (a)(b)", "1:12", "expected an operator");
  expect_error("kinetic a**2", "1:11", "a power is written a^b");
  expect_error("kinetic a // x", "1:12", "comments start with '#'");
  expect_error("kinetic a)", "1:10", "no bracket is open here");
  expect_error("kinetic a = b", "1:11", "found '='");
  expect_error("kinetic ()", "1:9", "the brackets are empty");
  expect_error("kinetic (a, b]", "1:14", "'(' was opened in line 1, column 9");
  expect_error("kinetic q[1, 2]", "1:12", "a second index has its own bracket");
  expect_error("kinetic f(x = 3)", "1:16", "expected '..', found ')'");
  expect_error("kinetic x''^2", "1:11", "accelerations are not written");
  expect_error("coordinate x y", "1:14", "names are separated by commas");
  expect_error("coordinate x, , y", "1:15", "expected a name, found ','");
  expect_error("coordinate x,", "1:14", "expected a name, found the end of the line");
  expect_error("coordinate p of q", "1:14", "found 'of'");
  expect_error("initial x", "1:10", "expected '=', found the end of the line");
  expect_error("initial q = 1, 0, 0", "1:16", "a vector is written with brackets");
  expect_error("pin x = 1", "1:7", "found '='");
  expect_error("constraint a", "1:13", "expected '='");
  expect_error("constraint a == b", "1:15", "an equation has one '='");
  expect_error("constraint a + b: c = d", "1:12", "what stands before ':' must be a name");
  expect_error("constraint c(2*a): c = d", "1:14", "a multiplier is given by its name");
  expect_error("conserve c(a): b", "1:10", "must be a name");
  expect_error("family 1..N", "1:8", "expected the name of an index, found '1'");
  expect_error("family i = 1.N", "1:14", "expected '..'");
  expect_error("force x = 1 for", "1:16", "expected the name of an index");
  expect_error("solve gauss(3) step 1 step 2", "1:23", "'step' is given twice");
  expect_error("solve gauss(3) stepp 1", "1:16", "expected 'step', 'end' or the end of the line, found 'stepp'");
}

TEST(ParseErrors, StrangeCharacters) {
  expect_error("kinetic m·v", "1:10", "write '*'");
  expect_error("coordinate θ", "1:12", "unexpected character 'θ'");
  expect_error("coordinate θ", "1:12", "write 'theta'");
  expect_error("kinetic a;", "1:10", "unexpected character ';'");
  expect_error("kinetic a \x01", "1:11", "unexpected character 0x01");
  expect_error("kinetic \xFF + 1", "1:9", "byte 0xFF");
  expect_error("model \"abc", "1:7", "the quoted text is not closed");
  expect_error("model \"a\xFF\"", "1:7", "the file must be UTF-8");
  expect_error("kinetic 1e999", "1:9", "this number is too large");
  expect_error(std::string("kinetic a\nb\0c", 13), "2:2", "this is not a text: it holds the byte 0x00");
  std::string rubbish;
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) rubbish += static_cast<char>(1 + random() % 255);
  expect_error(rubbish, message(rubbish).substr(6, 3), "this is not a text");
  EXPECT_EQ(error_count(rubbish), 1u);
}

TEST(ParseErrors, OpenBracketDoesNotSwallowTheText) {
  const std::string text = "kinetic m*(x'^2 + y'^2\npotential g*y\n\ncoordinate x, f(, y\nlet a = (1,\nsolve gauss(2\n";
  std::vector<Diagnostic> errors;
  const Text parsed = parse(model(text), errors);
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(format(errors[0]),
            "m.alm:1:11: '(' is not closed\n    kinetic m*(x'^2 + y'^2\n              ^ ')' is missing");
  EXPECT_EQ(errors[1].place.line, 4);
  EXPECT_EQ(errors[2].place.line, 5);
  EXPECT_EQ(errors[2].place.column, 9);
  EXPECT_EQ(errors[3].place.line, 6);
  EXPECT_EQ(errors[3].place.column, 12);
  ASSERT_GE(parsed.statements.size(), 1u);
  EXPECT_EQ(parsed.statements[0].keyword, "potential");
  // A line that starts no statement shows the bracket too.
  expect_error("kinetic (a + b\nx = 3\n", "1:9", "'(' is not closed");
  // In the first column a keyword before a bracket or sign is a statement.
  expect_error("kinetic (a +\nkinetic (b)\n", "1:13", "found the end of the line");
}

TEST(ParseErrors, AllAtOnceAndTheNamesOfABrokenListStay) {
  std::vector<Diagnostic> errors;
  const Text text = parse(
      model("parameter a = 1, b = = 2, c = (1, 2, d = 4\nkinetic 2 a\nparameter e = 1, f = * 2, g = 3\n"), errors);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].place.column, 22);
  EXPECT_EQ(errors[1].place.line, 2);
  EXPECT_EQ(errors[2].place.line, 3);
  ASSERT_EQ(text.statements.size(), 2u);
  ASSERT_EQ(text.statements[1].items.size(), 3u);
  EXPECT_FALSE(text.statements[1].items[1].value);
  EXPECT_EQ(text.statements[1].items[2].target.text, "g");
  EXPECT_THROW(parse(text.source), InputError);
}

TEST(ParseErrors, ManyAreCounted) {
  std::string text;
  for (int i = 0; i < 70; ++i) text += "kinetic a b\n";
  try {
    parse(model(text));
    FAIL();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.diagnostics().size(), 70u);
    EXPECT_EQ(what.substr(what.rfind('\n') + 1), "... and 20 more errors");
  }
}

std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

TEST(ParseLimits, DeepNestingIsAnError) {
  for (const int n : {1000, 1000000}) {
    for (const std::string& text : {repeated("(", n) + "x" + repeated(")", n), repeated("-", n) + "x",
                                    "x" + repeated("^x", n), "x" + repeated("[1]", n), repeated("f(", n),
                                    repeated("q[", n), "2" + repeated("^-2", n), repeated("(-", n)}) {
      const std::string found = message("kinetic " + text);
      EXPECT_NE(found.find("nested too deeply"), std::string::npos) << found;
    }
  }
  for (const std::string& text : {repeated("(", 199) + "x" + repeated(")", 199), repeated("-", 200) + "x",
                                  "x" + repeated("^x", 200), "x" + repeated("[1]", 200)}) {
    const Term deep = term(text);
    EXPECT_TRUE(term(print(deep)) == deep);
  }
  // Many levels of many kinds at once stay within the stack, whatever the verdict.
  std::string mixed = "x";
  for (int i = 0; i < 150; ++i) mixed = "(1 - 2*" + mixed + repeated("[1]", 190) + ")";
  EXPECT_NE(message("kinetic " + mixed).find("nested too deeply"), std::string::npos);
}

TEST(ParseLimits, AMillionTermsTakeLinearTime) {
  const auto seconds = [](int n) {
    std::string text = "potential x";
    for (int i = 1; i < n; ++i) text += i % 3 ? " + a*x" : " - b/x";
    const std::clock_t start = std::clock();
    {
      const Text parsed = parse(model(text));
      EXPECT_EQ(parsed.statements[0].left->parts.size(), static_cast<std::size_t>(n));
      const Text again = parse(model(print(parsed)));
      EXPECT_TRUE(again == parsed);
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = seconds(100000);
  const double large = seconds(1000000);
  EXPECT_LT(large, 40 * small + 1);  // ten times the work; quadratic would be a hundred
}

TEST(ParseFuzz, MutatedTextsParseOrSayWhy) {
  std::mt19937 random(4);
  const std::string bytes = "()[],=:.'\"#+-*/^ \n\tx1e_;\xC3\xA4\xFF";
  const std::string words[] = {"for", "of", "step", "kinetic ", "..", "((", "\n", "initial ", "''", "sum(i = "};
  int failed = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = text_test::spec_models()[random() % text_test::spec_models().size()];
    for (int edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text[at] = bytes[random() % bytes.size()]; break;
        case 2: text.erase(at, 1 + random() % 5); break;
        case 3: text.insert(at, 1, bytes[random() % bytes.size()]); break;
        default: text.insert(at, words[random() % 10]); break;
      }
      if (text.empty()) text = "x";
    }
    try {
      const Text parsed = parse(model(text));
      ASSERT_TRUE(parse(model(print(parsed))) == parsed) << text;
    } catch (const InputError& error) {
      ++failed;
      ASSERT_FALSE(error.diagnostics().empty());
      for (const Diagnostic& d : error.diagnostics()) {
        ASSERT_FALSE(d.message.empty());
        ASSERT_GE(d.place.line, 1);
        ASSERT_GE(d.place.column, 1);
      }
    }
  }
  EXPECT_GT(failed, 1000);
  EXPECT_LT(failed, 5900);
}

}  // namespace
}  // namespace alembert::internal
