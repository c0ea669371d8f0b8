package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePrimerIsABlockThatIsRenewedInPlaceAndTakenOutToTheByte, whatever text is around it.
func TestThePrimerIsABlockThatIsRenewedInPlaceAndTakenOutToTheByte(t *testing.T) {
	for _, before := range []string{"", "# Rules\n", "# Rules, no end", "# Rules\n\n\n"} {
		b := newInstallBench(t)
		if before != "" {
			b.write("CLAUDE.md", before)
		}
		was := b.files()
		o := b.options("claude")
		path := b.home + "/CLAUDE.md"
		keep := func(o Options, text string) string {
			t.Helper()
			if _, err := KeepPrimer(o, path, text); err != nil {
				t.Fatal(err)
			}
			raw, _ := os.ReadFile(path)
			return string(raw)
		}
		if got := keep(o, "one\n"); !strings.HasPrefix(got, before) || strings.Count(got, "one\n") != 1 {
			t.Errorf("%q: kept as %q", before, got)
		}
		with := keep(o, "one\n")
		if got := keep(o, "two\n"); got != strings.Replace(with, "one\n", "two\n", 1) {
			t.Errorf("%q: renewed to %q", before, got)
		}
		o.Project, o.Uninstall = b.home, true
		b.run(o)
		equal(t, "taken out", b.files(), was)

		o.Uninstall = false
		edited := keep(o, "one\n") + "\nMine.\n"
		b.write("CLAUDE.md", edited)
		if got := keep(o, "two\n"); got != strings.Replace(edited, "one\n", "two\n", 1) {
			t.Errorf("%q: renewed to %q", before, got)
		}
		o.Uninstall = true
		if got := keep(o, ""); !strings.HasPrefix(got, before) || !strings.HasSuffix(got, "\nMine.\n") || strings.Contains(got, "vise") {
			t.Errorf("%q: taken out of %q it is %q", before, edited, got)
		}
	}
	b := newInstallBench(t)
	path := b.write("AGENTS.md", primerBegins+"no end\n")
	if _, err := KeepPrimer(b.options("codex"), path, "one\n"); err == nil {
		t.Error("a block without an end is edited")
	}
}

// TestAUsersPrimerIsTakenOutWithTheRest, for each program.
func TestAUsersPrimerIsTakenOutWithTheRest(t *testing.T) {
	for _, name := range Programs {
		b := newInstallBench(t)
		o := b.options(name)
		p := programOf(name)
		path := filepath.Join(o.dir(p.config[0], p.config[1:]...), p.instructions)
		below, err := filepath.Rel(b.home, path)
		if err != nil {
			t.Fatal(err)
		}
		b.write(below, "# Mine\n")
		was := b.files()
		b.run(o)
		if _, err := KeepPrimer(o, path, "one\n"); err != nil {
			t.Fatal(err)
		}
		o.Uninstall = true
		b.run(o)
		equal(t, name, b.files(), was)
	}
}
