#!/usr/bin/env python3
"""Checks what a reader must be able to rely on and no other tool looks at:

- no function of more than 80 lines, unless the line above it says why ("// long: REASON");
- no chain of assignments by comma operators ("a = 1, b = 2;"): one statement a line;
- no numeric constant without a comment that says why it is what it is, on its line or above it and its neighbours;
- no name of a method outside methods/ (and lab/, whose papers are about particular methods): capabilities decide.

Reads code as clang-format leaves it; that is checked apart.
"""

import pathlib
import re
import sys

LONGEST = 80
FOLDERS = ["include", "src", "apps", "python/src"]
STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
# What opens a brace without being a function.
NO_FUNCTION = re.compile(r"^\s*(namespace|class|struct|union|enum|extern|if|for|while|switch|do|else|try|catch)\b")
CONSTANT = re.compile(r"\s*(inline |static )*constexpr [\w:]+ \w+ = ")
NUMBER = re.compile(r"(?<![\w.])\d[\w.']*")
# An assignment, an increment or a call; a declaration has a space before its name.
EXPRESSION = re.compile(r"^(\+\+|--)?\*?[\w:]+(\.|->|[\w:]|\[[^\]]*\]|\(\))*(\+\+$|--$| [-+*/|&^]?= |\(.*\)$)")


def without_literals(text):
    """The text with comments and literals blanked out, line for line."""
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', lambda m: '""' + "\n" * m.group(0).count("\n"), text, flags=re.S)
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)
    lines = (STRING.sub('""', line) for line in text.split("\n"))
    return [re.sub(r"//.*", "", line) for line in lines]


def functions(lines):
    """(name, first line, last line) of every function body, counted from 1. A body is a brace that a parameter list
    precedes, outside of any other function."""
    found, depth, inside, head, first = [], 0, None, "", 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        for at, char in enumerate(line):
            if char == "{":
                depth += 1
                if inside is None and is_function(head):
                    inside = (name_of(head), first, depth)
                elif inside is None:
                    head = ""
            elif char == "}":
                if inside and depth == inside[2]:
                    found.append((inside[0], inside[1], number))
                    inside, head = None, ""
                depth -= 1
                if inside is None:
                    head = ""
            elif inside is None:
                if char == ";" and head.count("(") == head.count(")"):
                    head = ""
                elif char not in " \t" or head:
                    if not head:
                        first = number
                    head += char
        if inside is None and head:
            head += " "
    return found


def is_function(head):
    return "(" in head and not NO_FUNCTION.match(head) and not re.search(r"=\s*$", head.split("(")[0])


def name_of(head):
    match = re.search(r"(operator\s*\S+?|~?[\w:]+)\s*\(", head)
    return match.group(1) if match else head.strip()


def long_functions(text, lines):
    written = text.split("\n")
    for name, first, last in functions(lines):
        length = last - first + 1
        if length > LONGEST and not re.match(r"\s*// long: \S", written[first - 2] if first > 1 else ""):
            yield first, f"{name} has {length} lines, more than {LONGEST}"


def statements(lines):
    """(number of the first line, text) of everything that ends with a semicolon or a brace."""
    text, first = "", 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        if not text:
            first = number
        text = f"{text} {line.strip()}".strip()
        if text.endswith((";", "{", "}")):
            yield first, text
            text = ""


def comma_chains(lines):
    for number, statement in statements(lines):
        parts = parts_at_commas(statement[len(condition_of(statement)):])
        if len(parts) > 1 and all(EXPRESSION.match(part) for part in parts):
            yield number, "one statement a line, no comma operator: " + statement


def condition_of(statement):
    """ "if (...) ", "for (...) ", "else " and the like at the beginning of a statement."""
    match = re.match(r"(else )?((if|for|while) (?=\()|else |do |case [^:]+: |default: )?", statement)
    end, depth = match.end(), 0
    if statement[end:end + 1] != "(" or not match.group(3):
        return statement[:end]
    for end, char in enumerate(statement[end:], end + 1):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            break
    return statement[:end] + (" " if statement[end:end + 1] == " " else "")


def parts_at_commas(statement):
    """What commas outside of all brackets separate; nothing for what is no statement."""
    if not statement.endswith(";"):
        return []
    parts, depth = [""], 0
    for char in statement[:-1]:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return []
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def unexplained_constants(text):
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not CONSTANT.match(line) or all(value in ("0", "1") for value in NUMBER.findall(line.split("=", 1)[1])):
            continue
        end = next((i for i in range(number, len(lines)) if ";" in lines[i]), number)
        first = number
        while first and (CONSTANT.match(lines[first - 1]) or lines[first - 1].lstrip().startswith("template <")):
            first -= 1
        above = lines[first - 1].strip() if first else ""
        if not above.startswith("//") and not any("//" in part for part in lines[number:end + 1]):
            yield number + 1, "a constant without its reason: " + line.strip()


def method_names(root):
    """Names of files in methods/ are names of methods, and these have aliases. Three are words of mathematics too and
    cannot be looked for."""
    ordinary = {"symmetric", "composed", "discrete_gradient"}
    files = [p for p in (root / "src/alembert/methods").glob("*.cpp") if not p.stem.startswith("_")]
    aliases = [name for p in files for name in re.findall(r'\.aliases = \{.*?"(\w+)"', p.read_text(encoding="utf-8"))]
    return {p.stem for p in files} - ordinary | set(aliases)


def method_pattern(names):
    """Also as a part of a name: is_lobatto, LobattoRows. "Lobatto points" are mathematics."""
    some = sorted(names, key=len, reverse=True)
    in_camel_case = ["".join(part.capitalize() for part in name.split("_")) for name in some]
    return re.compile(r"(?<![a-z])(" + "|".join(some) + r")(?![a-z])|(" + "|".join(in_camel_case) + r")(?=[A-Z])")


def methods_named(text, pattern):
    for number, line in enumerate(text.split("\n"), 1):
        code = re.sub(r"//.*", "", line)
        if "#include" in code:
            continue
        for match in pattern.finditer(code):
            yield number, f"names the method '{match.group(0)}': ask for a capability"


def check_itself(root):
    """Ways around the search for names of methods: each must be found, and nothing else."""
    pattern = method_pattern(method_names(root))
    for line in ['name.starts_with("lobatto")', "bool is_gauss(int s);", 'if (alias == "rattle")', 'find("radau5(2)")',
                 "struct LobattoRows {", "murua_ggl_stages = 3", 'case "nonsmooth_rattle":', "auto gauss2 = 1;"]:
        assert list(methods_named(line, pattern)), "not noticed: " + line
    for line in ["gaussian(x)  // as gauss does", "weights at Lobatto points", "strattled", "symmetric(matrix)"]:
        assert not list(methods_named(line, pattern)), "taken for a method: " + line


def findings(root):
    """(file, line, message) of everything that is wrong."""
    pattern = method_pattern(method_names(root))
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            name = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8")
            lines = without_literals(text)
            found = [*long_functions(text, lines), *comma_chains(lines), *unexplained_constants(text)]
            if not re.match(r"src/alembert/(methods|lab)/", name):
                found += methods_named(text, pattern)
            for line, message in found:
                yield name, line, message


def main(root):
    check_itself(root)
    found = list(findings(root))
    for name, line, message in found:
        print(f"{name}:{line}: {message}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
