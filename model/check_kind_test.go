package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What counts as a check, and whether the line's exit status is the check's.
func TestWhatALineOfShellChecks(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"go test ./...", "test told"},
		{"cd web && npm test", "test told"},
		{"(cd web && npm run test:unit)", "test told"},
		{"cd web; npm run build", "build told"},
		{"CGO_ENABLED=0 timeout 60 go test -run 'A|B' ./... 2>&1", "test told"},
		{"go vet ./... && go test ./... && echo fine", "test told"},
		{"go test $(go list ./... | grep -v e2e)", "test told"},
		{"# all of them\ngo test ./...", "test told"},
		{"go test \\\n  ./...", "test told"},
		{"set -o pipefail; go test ./... | tail -5", "test told"},
		{"python -m pytest -q", "test told"},
		{"uv run ruff check .", "lint told"},
		{"npx tsc --noEmit", "build told"},
		{"make", "build told"},
		{"make -C sub lint", "lint told"},
		{"./gradlew :app:test", ""},
		{"./gradlew test", "test told"},
		{"./test.sh fast", "test told"},
		{"bash scripts/check.sh", "test told"},
		{"go test ./... 2>&1 | tail -20", "test hidden"},
		{"go test ./... || true", "test hidden"},
		{"go test ./...; echo done", "test hidden"},
		{"go test ./... & ", "test hidden"},
		{"go test ./... && echo fine &", "test hidden"},
		{"false || go test ./...", "test hidden"},
		{"go vet ./...; go test ./...", "test hidden"},
		{"(go test ./... | cat) && echo", "test hidden"},
		{"go test ./... <<EOF\nx\nEOF", ""},
		{"git commit -m 'fix; go test ./... passes'", ""},
		{"echo \"go test ./...\"", ""},
		{"grep -rn 'go test' .", ""},
		{"go run ./test", ""},
		{"go build -o x . && ./x", "build told"},
		{"yarn add jest", ""},
		{"pytest --version", ""},
		{"make clean >test.log", ""},
		{"for p in a b; do go test $p; done", ""},
		{"! go test ./...", ""},
		{"", ""},
		{"((", ""},
	} {
		if got := checkText(Text(c.line), ""); got != c.want {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
	for _, c := range []struct{ line, named, want string }{
		{".ci/run  vet", ".ci/run vet", "named told"},
		{"cd x && .ci/run vet", ".ci/run vet", "named told"},
		{".ci/run vet | tail", ".ci/run vet", "named hidden"},
		{"make ci | tee log", "make ci | tee log", "test told"},
		{"ls", ".ci/run vet", ""},
		{"go test ./...", ".ci/run vet", "test of no account"},
		{"go test ./... | tail && .ci/run vet", ".ci/run vet", "test told"},
	} {
		if got := checkText(Text(c.line), Text(c.named)); got != c.want {
			t.Errorf("%q, named %q: %q, want %q", c.line, c.named, got, c.want)
		}
	}
}

func checkText(line, named Text) string {
	kind, told, counts := EvidenceRule{Command: named}.check(line)
	switch {
	case kind == "":
		return ""
	case !counts:
		return string(kind) + " of no account"
	case told:
		return string(kind) + " told"
	}
	return string(kind) + " hidden"
}

// Whatever follows a check hides its exit status, except after &&.
func TestWhatFollowsACheckHidesItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		joined := rapid.SampledFrom([]string{"&&", "||", ";", "|", "\n", "&"})
		links := rapid.SliceOfN(rapid.SampledFrom([]string{"ls", "echo 'a | b'", "cat x 2>&1", "(cd y; ls)"}), 0, 4).Draw(t, "links")
		line, hidden := "go test ./...", false
		for _, l := range links {
			op := joined.Draw(t, "op")
			line, hidden = line+" "+op+" "+l, hidden || op != "&&"
		}
		want := "test told"
		if hidden {
			want = "test hidden"
		}
		if got := checkText(Text(line), ""); got != want {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
	})
}

func TestAnyTextIsReadAsShell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"go test", " ", "'", `"`, "(", ")", "|", "&", ";", "\n", "\\", "`", "#", "<", ">", "é", "\x00"}))
		EvidenceRule{Command: "a  b"}.check(Text(strings.Join(parts.Draw(t, "parts"), "")))
	})
}
