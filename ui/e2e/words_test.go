package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vise/store/storetest"
)

var (
	// notOnScreen are the ledger's words for which people read others (model.OnScreen).
	notOnScreen = regexp.MustCompile(`(?i)\b(operators?|runnable|trigger(s|ed|ing)?|rechecks?|rounds?|candidates?)\b`)
	// code is what keeps the ledger's words: names of flags, of commands and of their values.
	code = regexp.MustCompile(`--[\w-]+|vise trigger|\btrigger (\[ID|url|list|revoke|reports)|(?m)^ *trigger  |review trigger unblock|` +
		`use operator, agent:|acts: operator, agent:|default: operator on|operator is you|acp, rounds or|OpenCode, rounds\)|and runnable;`)
)

func wantNone(t *testing.T, where, text string) {
	t.Helper()
	for _, line := range strings.Split(code.ReplaceAllString(text, ""), "\n") {
		if word := notOnScreen.FindString(line); word != "" {
			t.Errorf("%s says %q: %s", where, word, line)
		}
	}
}

// Nobody who looks at the console, or reads help and the answers of commands, meets a word of the ledger that has another on screen.
func TestWordsOnScreenAreNotTheLedgers(t *testing.T) {
	storetest.Slow(t)
	frames, err := filepath.Glob("../console/testdata/*.txt")
	must(t, err)
	for _, file := range append(frames, "../../docs/frames/80x24.txt") {
		all, err := os.ReadFile(file)
		must(t, err)
		for line := range strings.Lines(string(all)) {
			if strings.ContainsAny(line, "│┃─━") {
				wantNone(t, filepath.Base(file), line)
			}
		}
	}
	pages, err := os.ReadFile("../../docs/commands.md") // help of every command
	must(t, err)
	wantNone(t, "help", string(pages))

	h := newHome(t, "ann")
	made := func(objective string) string {
		return strings.Fields(string(h.must("new", objective, "--agent", "ann")))[1]
	}
	works, asks, news, late, done, left := made("Works"), made("Asks"), made("Has news"), made("Checked again"), made("Done"), made("Left")
	h.must("wait", asks, "--operator", "LRU or LFU?")
	h.must("wait", news, "--external", "run/1")
	h.must("trigger", news, "--source", "ci")
	h.must("block", late, "legal", "--recheck", "2h")
	h.must("pick", done)
	h.must("complete", done, "--report-file", os.DevNull)
	h.must("wait", left, "--timer", "2h")
	h.must("pick", works)
	for _, args := range []string{"help", "list", "status", "inbox", "next", "why ann", "events", "brief", "agents", "search s", "status --format tmux",
		"status --format waybar"} {
		wantNone(t, args, string(h.must(strings.Fields(args)...)))
	}
	for _, id := range []string{works, asks, news, late, done, left} {
		for _, verb := range []string{"show", "why", "notes"} {
			wantNone(t, verb, string(h.must(verb, id)))
		}
		wantNone(t, "story", string(h.must("show", id, "--story")))
	}
}
