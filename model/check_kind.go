package model

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// CheckKind is the kind of a check.
type CheckKind string

// The kinds of checks. A check that an agent's policy names has kind named if it is none of the others.
const (
	CheckTest  CheckKind = "test"
	CheckBuild CheckKind = "build"
	CheckLint  CheckKind = "lint"
	checkNamed CheckKind = "named"
)

// checkKinds is their order: the kind that says most about the work comes first.
var checkKinds = []CheckKind{CheckTest, checkNamed, CheckBuild, CheckLint}

// checkOf is the kind of check in a shell line; empty: none. told: the line's exit status is that of its checks, because no
// pipe and no later command hides it.
func checkOf(line Text, kindOf func(shellLink) CheckKind) (kind CheckKind, told bool) {
	list, told := shellLinks(line.Raw()) // raw: compared, not shown
	for i, l := range list {
		k, ofGroup := kindOf(l), true
		if inner, is := l.group(); is {
			k, ofGroup = checkOf(Text(inner), kindOf)
		}
		if k == "" {
			continue
		}
		kind = moreTelling(kind, k)
		hidden := slices.ContainsFunc(list[i+1:], func(next shellLink) bool { return next.op != "&&" || next.behind })
		told = told && ofGroup && !hidden && !l.behind && l.op != "||"
	}
	return kind, told
}

// check is the kind of check in a line, whether its result is told, and whether the rule counts it.
func (e EvidenceRule) check(line Text) (kind CheckKind, told, counts bool) {
	kind, told = checkOf(line, shellLink.checks)
	want := squeezed(e.Command)
	if want == "" || kind == "" && !strings.Contains(squeezed(line), want) {
		return kind, told, kind != ""
	}
	named, isTold := checkNamed, true
	if squeezed(line) != want {
		named, isTold = checkOf(line, func(l shellLink) CheckKind {
			if strings.Join(l.words, " ") == want {
				return checkNamed
			}
			return ""
		})
	}
	if named == "" {
		return kind, told, false
	}
	return cmp.Or(kind, named), isTold, true
}

// moreTelling is the earlier of two kinds in checkKinds.
func moreTelling(a, b CheckKind) CheckKind {
	if a == "" || b != "" && slices.Index(checkKinds, b) < slices.Index(checkKinds, a) {
		return b
	}
	return a
}

func squeezed(t Text) string { return strings.Join(strings.Fields(t.Raw()), " ") } // raw: compared, not shown

// checkWrappers are the programs that run another one, with the number of their own words.
var checkWrappers = map[string]int{
	"time": 0, "env": 0, "nice": 0, "command": 0, "exec": 0, "sudo": 0, "npx": 0, "bunx": 0, "timeout": 1, "xvfb-run": 0,
	"uv": 1, "poetry": 1, "pipenv": 1, "pdm": 1, "rye": 1, "bundle": 1, "python": 1, "python3": 1, "bash": 0, "sh": 0,
}

// checkPrograms are the programs that are checks themselves.
var checkPrograms = map[string]CheckKind{
	"pytest": CheckTest, "py.test": CheckTest, "unittest": CheckTest, "tox": CheckTest, "nox": CheckTest, "jest": CheckTest,
	"vitest": CheckTest, "mocha": CheckTest, "ava": CheckTest, "karma": CheckTest, "rspec": CheckTest, "phpunit": CheckTest,
	"ctest": CheckTest, "gotestsum": CheckTest, "bats": CheckTest, "playwright": CheckTest, "cypress": CheckTest,
	"tsc": CheckBuild, "make": CheckBuild, "gmake": CheckBuild, "ninja": CheckBuild,
	"eslint": CheckLint, "ruff": CheckLint, "flake8": CheckLint, "pylint": CheckLint, "mypy": CheckLint, "pyright": CheckLint,
	"golangci-lint": CheckLint, "staticcheck": CheckLint, "shellcheck": CheckLint, "rubocop": CheckLint, "stylelint": CheckLint,
	"biome": CheckLint, "oxlint": CheckLint, "hadolint": CheckLint, "cargo-clippy": CheckLint,
}

// The programs whose first argument names the check, and those for which any argument can.
var (
	byFirstWord = strings.Fields("go cargo dotnet swift mix deno zig flutter dart bazel bazelisk buck2 npm pnpm yarn bun nx turbo " +
		"composer hatch stack cabal dune mise poe")
	byAnyWord = strings.Fields("make gmake just task rake gradle gradlew mvn mvnw ninja sbt cmake meson")
)

// checkWords are the usual names of checks.
var checkWords = map[string]CheckKind{
	"test": CheckTest, "tests": CheckTest, "t": CheckTest, "check": CheckTest, "verify": CheckTest, "ci": CheckTest, "nextest": CheckTest,
	"build": CheckBuild, "compile": CheckBuild, "assemble": CheckBuild, "typecheck": CheckBuild,
	"lint": CheckLint, "vet": CheckLint, "clippy": CheckLint,
}

// checksNothing are the arguments with which a program only describes itself, or what it would do.
var checksNothing = strings.Fields("--help -h --version -V help version --collect-only --co --list --dry-run --if-present")

// checks is the kind of check of a simple command; empty: none.
func (l shellLink) checks() CheckKind {
	words := slices.DeleteFunc(slices.Clone(l.words), func(w string) bool { return strings.ContainsAny(w, "<>") })
	for len(words) > 0 {
		own, is := checkWrappers[baseName(words[0])]
		switch {
		case is:
			words = words[min(own+1, len(words)):]
		case strings.Contains(words[0], "=") || len(words) < len(l.words) && strings.HasPrefix(words[0], "-"):
			words = words[1:]
		default:
			return checksOf(baseName(words[0]), words[0], words[1:])
		}
	}
	return ""
}

// baseName is a program's name without its directory.
func baseName(program string) string { return program[strings.LastIndexByte(program, '/')+1:] }

func checksOf(program, named string, args []string) CheckKind {
	if slices.ContainsFunc(args, func(a string) bool { return slices.Contains(checksNothing, a) }) {
		return ""
	}
	said := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	switch {
	case slices.Contains(byAnyWord, program):
		for _, a := range said {
			if k := checkWord(a); k != "" {
				return k
			}
		}
		if len(said) > 0 {
			return ""
		}
	case slices.Contains(byFirstWord, program):
		if len(said) > 1 && (said[0] == "run" || said[0] == "run-script" || said[0] == "exec") && program != "go" && program != "cargo" {
			said = said[1:]
		}
		if len(said) == 0 {
			return ""
		}
		if k := checkPrograms[said[0]]; k != "" && program != "go" && program != "cargo" {
			return k
		}
		return checkWord(said[0])
	case strings.Contains(named, "/") && checkPrograms[program] == "":
		return checkWord(program) // a script of the project
	}
	return checkPrograms[program]
}

// checkWord is the kind of check in a word such as test:unit or build-all.
func checkWord(w string) CheckKind {
	at := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
	if at < 0 {
		at = len(w)
	}
	return checkWords[w[:at]]
}
