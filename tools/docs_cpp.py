#!/usr/bin/env python3
"""docs_cpp.py FOLDER PAGE...: makes a CMake project in FOLDER of the C++ blocks of the pages, and writes the models of
their blocks ```alm NAME.alm beside it. A block with main() is a program as it stands. The others of a page are one
program more, each in braces of its own: behind the statements of the page's main(), whose variables they may use, or
in a main() of their own where the page has none."""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```(cpp|alm)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(docs_cpp LANGUAGES C CXX)
find_package(alembert 0.1 REQUIRED)
"""
PROGRAM = """add_executable({name} {name}.cpp)
target_link_libraries({name} PRIVATE alembert::alembert)
"""
HEAD = "#include <iostream>\n#include <stdexcept>\n\n#include <alembert/alembert.h>\n"


def programs_of(name, blocks):
    """{name: text} of the programs of one page."""
    whole = [text for text in blocks if "int main()" in text]
    fragments = [text for text in blocks if "int main()" not in text]
    programs = {f"{name}_{number}": text for number, text in enumerate(whole)}
    if fragments:
        frame = whole[0] if whole else "using namespace alembert;\n\nint main() {\n}\n"
        end = frame.rindex("}")
        inner = "".join("{\n" + text + "}\n" for text in fragments)
        programs[f"{name}_parts"] = HEAD + frame[:end] + inner + frame[end:]
    return programs


def main(folder, pages):
    folder.mkdir(parents=True, exist_ok=True)
    project, names = PROJECT, []
    for page in pages:
        blocks = []
        for language, file, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language == "cpp":
                blocks.append(text)
            elif file:
                (folder / file).write_text(text, encoding="utf-8")
        for name, text in programs_of(page.stem.lower(), blocks).items():
            (folder / f"{name}.cpp").write_text(text, encoding="utf-8")
            project += PROGRAM.format(name=name)
            names.append(name)
    (folder / "CMakeLists.txt").write_text(project)
    if not names:
        sys.exit("no C++ in these pages")
    print("\n".join(names))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]])
