#!/usr/bin/env python3
"""The checks are checked: breaks the program in one place at a time and expects that a test notices.

  tools/mutate.py --check BUILD        every mutation still has its place in the sources, and its test exists
  tools/mutate.py BUILD                all of them; the score comes last
  tools/mutate.py --sample 10 BUILD    ten of them, the same ones for the same --seed (part of ./test)
  tools/mutate.py BUILD coefficients   those whose file or text holds this word
  tools/mutate.py --search 'Euler*:Claims*' BUILD euler.cpp
                                       the first of these tests that notices each, instead of the one in mutations.py

BUILD is a build folder whose tests are built (build/release). All mutations chosen are compiled at once, into copies of
the sources that hold them: (broken(7) ? mutated : original), and linked with everything else that is in BUILD. Which one
is broken says the environment, ALEMBERT_MUTATION=7. Nothing outside BUILD/mutate is written.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from mutations import MUTATIONS  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(ROOT, 'src', 'alembert')
LONGEST = 120  # seconds for one test; who does not end is noticed too
SWITCH = '''#pragma once
#include <cstdlib>
#include <string>
// The one mutation that is alive, by its number.
inline bool broken(int number) {
  static const int alive = std::getenv("ALEMBERT_MUTATION") ? std::atoi(std::getenv("ALEMBERT_MUTATION")) : -1;
  return number == alive;
}
// The same for a place in a literal text.
inline std::string broken_text(std::string text, int number, const std::string& old, const std::string& other) {
  if (broken(number)) text.replace(text.find(old), old.size(), other);
  return text;
}
'''


class Mutation:
    def __init__(self, number, file, text, test):
        self.number, self.file, self.test = number, file, test
        self.before, self.old, self.new, self.after = re.fullmatch(r'(.*?)<<(.*) => (.*)>>(.*)', text, re.S).groups()
        self.place = self.before + self.old + self.after

    def __str__(self):
        return f'{self.number} {self.file}: {self.before}<<{self.old} => {self.new}>>{self.after}'.replace('\n', ' ')

    def apply(self, text):
        at = text.index(self.place) + len(self.before)
        if self.old.endswith(';'):
            changed = f'if (broken({self.number})) {{ {self.new} }} else {{ {self.old} }}'
        else:
            changed = f'(broken({self.number}) ? ({self.new}) : ({self.old}))'
        return text[:at] + changed + text[at + len(self.old):]


LITERAL = re.compile(r'const char (\w+)\[\] = (R"\((?:(?!\)").)*\)")', re.S)


def apply(mutations, text):
    """The text of a source with all these mutations in it. A literal that holds some becomes a call."""

    def call(literal):
        value = literal[2]
        for m in mutations:
            if m.place in literal[2]:
                value = f'broken_text({value}, {m.number}, R"({m.old})", R"({m.new})")'
        return literal[0] if value == literal[2] else f'const std::string {literal[1]} = {value}'

    literals = [found[0] for found in LITERAL.finditer(text)]
    for m in mutations:
        if not any(m.place in literal for literal in literals):
            text = m.apply(text)
    return LITERAL.sub(call, text)


def chosen(arguments):
    every = [Mutation(number, *entry) for number, entry in enumerate(MUTATIONS, 1)]
    found = [m for m in every if not arguments.words or any(w in m.file + m.place for w in arguments.words)]
    if not arguments.sample:
        return found
    files = sorted({m.file for m in found})
    random.Random(arguments.seed).shuffle(files)  # whole files: each is compiled once
    return sorted(found, key=lambda m: files.index(m.file))[:arguments.sample]


def check(mutations, tests):
    wrong = 0
    for m in mutations:
        count = open(os.path.join(SOURCES, m.file), encoding='utf-8').read().count(m.place)
        if count != 1 or m.old == m.new:
            wrong += 1
            print(f'{m.file}: "{m.place}" stands there {count} times, not once')
        if m.test not in tests:
            wrong += 1
            print(f'{m}: there is no test "{m.test}"')
    print(f'{len(mutations)} mutations, {wrong} mistakes in tools/mutations.py')
    return wrong


class Build:
    """The test program and the program, of objects of another build but for those that hold mutations."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.own = os.path.join(self.folder, 'mutate')
        self.program = os.path.join(self.own, 'alembert')
        self.tests = os.path.join(self.own, 'alembert_tests')
        self.holds = {}  # by object: the mutated copies in it

    def ninja(self, *arguments):
        return subprocess.run(['ninja', '-C', self.folder, *arguments], check=True, capture_output=True, text=True).stdout

    def write(self, mutations):
        """The mutated copies below mutate/src; their paths below src."""
        texts = {}
        for file in {m.file for m in mutations}:
            original = open(os.path.join(SOURCES, file), encoding='utf-8').read()
            texts[file] = apply([m for m in mutations if m.file == file], original)
        copies = {os.path.join(self.own, 'src', 'broken.h'): SWITCH}
        for file, text in texts.items():
            copies[os.path.join(self.own, 'src', 'alembert', file)] = f'#include "broken.h"\n#line 1 "{file}"\n' + text
        for folder, _, names in os.walk(os.path.join(self.own, 'src')):
            for path in (os.path.join(folder, name) for name in names):
                if path not in copies:
                    os.unlink(path)
        for path, text in copies.items():  # what is the same need not be compiled again
            if not os.path.exists(path) or open(path, encoding='utf-8').read() != text:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'w', encoding='utf-8') as out:
                    out.write(text)
        return ['alembert/' + file for file in texts]

    def users(self, headers):
        """Objects that were compiled with one of these headers."""
        found, current = set(), ''
        for line in self.ninja('-t', 'deps').splitlines() if headers else []:
            if not line.startswith(' '):
                current = line.split(':')[0]
            elif any(line.strip().endswith('/src/' + h) for h in headers):
                found.add(current)
        return found

    def units(self, files):
        """What must be compiled again: (object, command)."""
        users = self.users([f for f in files if f.endswith('.h')])
        for entry in json.load(open(os.path.join(self.folder, 'compile_commands.json'))):
            source, target = entry['file'], re.search(r' -o (\S+)', entry['command'])[1]
            if '/dummy' in source or not re.search(r'^(CMakeFiles/alembert_(objects|once|code)\.dir|tests)/', target):
                continue
            own = os.path.relpath(source, os.path.join(ROOT, 'src'))
            text = open(source).read() if '/united/' in source else ''
            held = [f for f in files if f == own or f'"{f}"' in text or (f.endswith('.h') and target in users)]
            if not held:
                continue
            self.holds[target] = [os.path.join(self.own, 'src', f) for f in held]
            into = os.path.join(self.own, target)
            command = entry['command'].replace(f' -o {target}', f' -w -o {into}', 1)
            copies = os.path.join(self.own, 'src')
            if own in files:
                command = command.replace(f' -c {source}', f' -c {os.path.join(copies, own)}', 1)
            yield target, command.replace(' -I', f' -I{copies} -I', 1)

    def make(self, mutations):
        units = dict(self.units(self.write(mutations)))

        def compile_one(target):
            into = os.path.join(self.own, target)
            os.makedirs(os.path.dirname(into), exist_ok=True)
            result = subprocess.run(units[target], shell=True, cwd=self.folder, capture_output=True, text=True)
            if result.returncode and os.path.exists(into):
                os.unlink(into)
            return result.stderr if result.returncode else ''

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = ''.join(pool.map(compile_one, [target for target in units if self.is_old(target)]))
        if wrong:
            sys.exit(wrong[:8000])
        self.link('libalembert.a', 'libalembert.a', units, [])
        done = [('libalembert.a', os.path.join(self.own, 'libalembert.a'))]
        self.link('bin/alembert', self.program, units, done)
        self.link('bin/alembert_tests', self.tests, units, done)
        return len(units)

    def is_old(self, target):
        """Whether a copy or what this object was compiled from in the build changed behind it."""
        into = os.path.join(self.own, target)
        newest = max(os.path.getmtime(path) for path in self.holds[target] + [os.path.join(self.folder, target)])
        return not os.path.exists(into) or os.path.getmtime(into) < newest

    def link(self, target, to, units, replaced):
        command = self.ninja('-t', 'commands', target).splitlines()[-1]
        for unit in units:
            command = command.replace(f' {unit} ', f' {os.path.join(self.own, unit)} ')
        for old, new in [(target, os.path.join(self.own, to))] + replaced:
            command, places = re.subn(rf'(?<= )({re.escape(self.folder)}/)?{re.escape(old)}(?= |$)', new, command)
            if not places:
                sys.exit(f'{old} has no place in the command that links {target}')
        result = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True)
        if result.returncode:
            sys.exit(result.stderr[:4000])

    def run(self, tests, number, limit=LONGEST):
        """The first of these tests that fails, '' where none does; with the mutation of this number."""
        names = os.path.join(self.own, f'tests.{number}.{os.getpid()}')
        with open(names, 'w', encoding='utf-8') as out:
            out.write('--gtest_filter=' + ':'.join(tests) + '\n')
        environment = {**os.environ, 'ALEMBERT_MUTATION': str(number), 'ALEMBERT_PROGRAM': self.program,
                       'XDG_CACHE_HOME': os.path.join(self.own, 'cache')}
        try:
            result = subprocess.run([self.tests, f'--gtest_flagfile={names}', '--gtest_fail_fast'], env=environment,
                                    cwd=ROOT, capture_output=True, text=True, errors='replace', timeout=limit)
        except subprocess.TimeoutExpired as stopped:
            started = re.findall(r'\[ RUN      \] (\S+)', (stopped.stdout or b'').decode(errors='replace'))
            return (started or [''])[-1] + ' (does not end)'
        finally:
            os.unlink(names)
        if result.returncode == 0 and '[  PASSED  ]' in result.stdout:
            return ''
        failed = re.findall(r'\[  FAILED  \] ([^\s,]+)', result.stdout)
        started = re.findall(r'\[ RUN      \] (\S+)', result.stdout)  # the last one, where the program crashed in it
        return (failed or started[-1:] or ['no test'])[0]

    def all_tests(self):
        listed = subprocess.run([os.path.join(self.folder, 'bin', 'alembert_tests'), '--gtest_list_tests'],
                                check=True, capture_output=True, text=True).stdout
        suite, names = '', []
        for line in listed.splitlines():
            if line.startswith('  '):
                names.append(suite + line.split('#')[0].strip())
            elif '.' in line:
                suite = line.split('#')[0].strip()
        return names


def search(build, mutations, pattern):
    for m in mutations:
        print(f'{m}: {build.run([pattern], m.number, 600) or "SURVIVED"}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('words', nargs='*')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--search', metavar='TESTS')
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--seed', type=int, default=10)
    arguments = parser.parse_args()
    build, mutations = Build(arguments.build), chosen(arguments)
    if arguments.check:
        return 1 if check(mutations, set(build.all_tests())) else 0
    units = build.make(mutations)
    print(f'{len(mutations)} mutations compiled in {units} units', flush=True)
    if arguments.search:
        return search(build, mutations, arguments.search)
    failing = build.run(sorted({m.test for m in mutations}), 0, 1200)
    if failing:
        sys.exit(f'{failing} fails without any mutation')
    noticed = 0
    for m in mutations:
        by = build.run([m.test], m.number)
        noticed += by != ''
        print(f'{m}: {"noticed by " + by if by else "SURVIVED " + m.test}', flush=True)
    print(f'score: {noticed} of {len(mutations)} mutations noticed')
    return 0 if noticed == len(mutations) else 1


if __name__ == '__main__':
    sys.exit(main())
