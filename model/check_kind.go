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

func squeezed(t Text) string { return strings.Join(strings.Fields(string(t)), " ") }

// The programs that run another one: at once, and after a word of their own.
var (
	wrappers  = strings.Fields("time env nice command exec sudo npx bunx xvfb-run bash sh")
	launchers = strings.Fields("timeout uv poetry pipenv pdm rye bundle python python3")
)

// checkPrograms are the programs that are checks themselves.
var checkPrograms = byWord(map[CheckKind]string{
	CheckTest:  "pytest py.test unittest tox nox jest vitest mocha ava karma rspec phpunit ctest gotestsum bats playwright cypress",
	CheckBuild: "tsc make gmake ninja",
	CheckLint: "eslint ruff flake8 pylint mypy pyright golangci-lint staticcheck shellcheck rubocop stylelint biome oxlint hadolint " +
		"cargo-clippy",
})

// checkWords are the usual names of checks.
var checkWords = byWord(map[CheckKind]string{
	CheckTest: "test tests t check verify ci nextest", CheckBuild: "build compile assemble typecheck", CheckLint: "lint vet clippy",
})

// byWord is the kind of each word in the lists.
func byWord(lists map[CheckKind]string) map[string]CheckKind {
	out := map[string]CheckKind{}
	for kind, words := range lists {
		for w := range strings.FieldsSeq(words) {
			out[w] = kind
		}
	}
	return out
}

// The programs whose first argument names the check, and those for which any argument can.
var (
	byFirstWord = strings.Fields("go cargo dotnet swift mix deno zig flutter dart bazel bazelisk buck2 npm pnpm yarn bun nx turbo " +
		"composer hatch stack cabal dune mise poe")
	byAnyWord = strings.Fields("make gmake just task rake gradle gradlew mvn mvnw ninja sbt cmake meson")
)

// checksNothing are the arguments with which a program only describes itself, or what it would do.
var checksNothing = strings.Fields("--help -h --version -V help version --collect-only --co --list --dry-run --if-present")

// checks is the kind of check of a simple command; empty: none.
func (l shellLink) checks() CheckKind {
	words := slices.DeleteFunc(slices.Clone(l.words), func(w string) bool { return strings.ContainsAny(w, "<>") })
	for len(words) > 0 {
		switch base := words[0][strings.LastIndexByte(words[0], '/')+1:]; {
		case slices.Contains(wrappers, base):
			words = words[1:]
		case slices.Contains(launchers, base):
			words = words[min(2, len(words)):]
		case strings.Contains(words[0], "=") || len(words) < len(l.words) && strings.HasPrefix(words[0], "-"):
			words = words[1:]
		default:
			return checksOf(base, words[0], words[1:])
		}
	}
	return ""
}

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
		runs := program != "go" && program != "cargo" // others run scripts and programs of the project
		if runs && len(said) > 1 && (said[0] == "run" || said[0] == "run-script" || said[0] == "exec") {
			said = said[1:]
		}
		if len(said) == 0 {
			return ""
		}
		if k := checkPrograms[said[0]]; k != "" && runs {
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
	return checkWords[w[:len(w)-len(strings.TrimLeftFunc(w, unicode.IsLetter))]]
}
