package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/storetest"
)

// Whatever agents write, and wherever it is shown, the console and the verbs send a real terminal only the control
// sequences that a harmless home causes (P6).
func TestNothingThatAgentsWriteDrivesTheTerminal(t *testing.T) {
	storetest.Slow(t)
	if len(storetest.Payloads) < 40 {
		t.Errorf("only %d payloads", len(storetest.Payloads))
	}
	harmless, ids := planted(t, map[string]string{"words": "only words", "more": "and more of them"})
	allowed := shapes(tour(t, harmless, len(ids)))
	for _, names := range batches(storetest.Amount(20, 1)) {
		t.Run(names[0], func(t *testing.T) {
			t.Parallel()
			some := map[string]string{}
			for _, name := range names {
				some[name] = storetest.Payloads[name]
			}
			h, ids := planted(t, some)
			sent := tour(t, h, len(ids))
			for shape := range shapes(sent) {
				if !allowed[shape] && !harmlessMove(shape) {
					t.Errorf("the console sent %s, which a harmless home does not", shape)
				}
			}
			for name, payload := range some {
				if f := leaked(sent, payload); f != "" {
					t.Errorf("%s: the console sent %q as it was written", name, f)
				}
			}
			verbsAreHarmless(t, h, ids, some)
		})
	}
}

// The judges above can fail: each payload is found in a text that repeats it, and the console's judge finds it in the
// output of a terminal.
func TestTheTerminalsJudgesHaveTeeth(t *testing.T) {
	found := 0
	for name, payload := range storetest.Payloads {
		if !drives(payload) {
			continue
		}
		found++
		if storetest.Harmful("objective "+payload+" end") == "" {
			t.Errorf("%s: not found in a table", name)
		}
		if len(payload) > 3 && strings.ContainsRune(payload, 0x1b) && leaked("\x1b[1;1Hobjective "+payload+" end", payload) == "" {
			t.Errorf("%s: not found in a frame", name)
		}
	}
	if found < 25 {
		t.Errorf("only %d payloads drive a terminal", found)
	}
}

// drives reports whether a payload contains what a terminal obeys.
func drives(payload string) bool {
	return strings.ContainsFunc(payload, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control)
	})
}

func batches(n int) [][]string {
	var names []string
	for name := range storetest.Payloads {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Collect(slices.Chunk(names, n))
}

// planted returns a home with each payload in every place where an agent can write.
func planted(t *testing.T, payloads map[string]string) (*home, []string) {
	t.Helper()
	h := newHome(t, "ann")
	place, err := files.NewHome(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Open(h.dir, store.Options{Plans: place})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	keys := 0
	do := func(c model.Command) model.ItemID {
		keys++
		r, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint(keys), Actor: model.Operator, Agent: "ann", Command: c})
		if err != nil {
			t.Fatalf("%s: %v", model.CommandName(c), err)
		}
		return r.WorkItemID
	}
	var ids []string
	for name, payload := range payloads {
		p := words(payload)
		for i, act := range []func(id model.ItemID) model.Command{
			func(id model.ItemID) model.Command { return model.PickWorkItem{WorkItemID: id, Reason: p} },
			func(id model.ItemID) model.Command {
				return model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo(p)}
			},
			func(id model.ItemID) model.Command {
				return model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: p, Question: p, Choices: []model.Text{p}}
			},
			func(id model.ItemID) model.Command {
				return model.Round{Text: p, WorkItemID: id, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}}
			},
		} {
			id := do(model.CreateWorkItem{Objective: model.Text(fmt.Sprint(name, " ", i, " ")) + p, TodoList: []model.Todo{{Text: p, State: model.TodoInProgress}}})
			if err := os.WriteFile(place.PlanPath("ann", id), []byte("# Plan\n\n"+payload+"\n\n- "+payload+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			do(act(id))
			ids = append(ids, string(id))
		}
	}
	return h, ids
}

// words returns a payload in a form that a command accepts.
func words(payload string) model.Text {
	r := []rune(strings.ReplaceAll(strings.ToValidUTF8(payload, "?"), "\x00", ""))
	return model.Text(r[:min(len(r), 400)]) + "."
}

// tour opens the console on a terminal, visits every item and tab, and returns all output.
func tour(t *testing.T, h *home, items int) string {
	t.Helper()
	x := onTerminal(t, h.command(ctx), 120, 36)
	x.showing("Queue")
	x.settle(150e6)
	framed(t, x)
	for range storetest.Amount(min(items, 12), items) {
		for range storetest.Amount(1, 7) {
			x.keys("]")
		}
		framed(t, x)
		x.keys("j")
	}
	for _, key := range []string{"p", "c", "b", "w", "?", "2", "3"} {
		x.keys(key)
		x.escape()
	}
	x.quit()
	return x.output()
}

// framed expects that each row of the screen is complete: the panes' sides reach from the first row to the last.
func framed(t *testing.T, x *terminal) {
	t.Helper()
	x.until("a frame with all its rows", func(screen string) bool {
		rows := strings.Split(screen, "\n")
		sides := 0
		for _, row := range rows {
			if strings.ContainsAny(row, "┃│┏╭┗╰") {
				sides++
			}
		}
		return len(rows) == x.h && strings.Contains(rows[0], "vise") && sides >= x.h-4
	})
}

// shapes returns the kinds of sequences in a terminal's output.
func shapes(sent string) map[string]bool {
	found := map[string]bool{}
	p := ansi.NewParser()
	for state, rest := byte(0), sent; rest != ""; {
		seq, _, n, next := ansi.DecodeSequence(rest, state, p)
		state, rest = next, rest[n:]
		switch r := []rune(seq); {
		case ansi.HasCsiPrefix(seq):
			shape := fmt.Sprintf("CSI %q", ansi.Cmd(p.Command()).Final())
			if prefix := ansi.Cmd(p.Command()).Prefix(); prefix != 0 {
				shape = fmt.Sprintf("CSI %q", seq[2:])
			}
			found[shape] = true
			if strings.HasSuffix(seq, "m") {
				if bad := storetest.Harmful(seq); bad != "" {
					found["SGR "+bad] = true
				}
			}
		case ansi.HasOscPrefix(seq):
			if !webLink.MatchString(seq) {
				found[fmt.Sprint("OSC ", p.Command())] = true
			}
		case len(r) > 0 && (unicode.IsControl(r[0]) || unicode.In(r[0], unicode.Bidi_Control, unicode.Zl, unicode.Zp)):
			found[fmt.Sprintf("control %.3q", seq)] = true
		}
	}
	return found
}

// webLink matches the sequences around a link to the web, whose address is plain characters.
var webLink = regexp.MustCompile("^\x1b\\]8;(id=[0-9]+;https?://[!-~]+|;)\a$")

// harmlessMove matches a movement of the cursor within the frame, which a renderer chooses itself, its shape in a text field, and
// switching the wrapping of lines off and on around a line with wide characters.
func harmlessMove(shape string) bool {
	for _, final := range "ABCDEFGHIJKPXLMSTZ@abdem`r" {
		if shape == fmt.Sprintf("CSI %q", byte(final)) {
			return true
		}
	}
	return slices.Contains([]string{`CSI 'q'`, `control "\n"`, `control "\r"`, `control "\b"`, `control "\t"`, `control "\x1bM"`, `CSI "?7l"`, `CSI "?7h"`}, shape)
}

// leaked matches the part of a payload around a control character, as it was written. Two characters of the payload on
// each side distinguish it from the frame's own.
func leaked(sent, payload string) string {
	for i, r := range payload {
		if r != 0x1b && (r < 0x80 || r > 0x9f) {
			continue
		}
		part := payload[max(0, i-1):min(len(payload), i+5)]
		if len(part) > 3 && strings.Contains(sent, part) {
			return part
		}
	}
	return ""
}

// verbsAreHarmless checks the verbs: on a terminal a line has only visible characters and colours, and the number of
// lines is right; JSON has no character that a terminal obeys.
func verbsAreHarmless(t *testing.T, h *home, ids []string, payloads map[string]string) {
	t.Helper()
	calls := [][]string{{"list", "all", "--limit", "100"}, {"events", "--limit", "200"}, {"status"}, {"next"}, {"agents"}}
	for i, id := range ids {
		if i < 2 || storetest.Long {
			calls = append(calls, []string{"show", id}, []string{"why", id}, []string{"plan", "show", id}, []string{"report", id}, []string{"notes", id}, []string{"resume", id})
		}
	}
	errors := 0
	for _, payload := range payloads {
		if p := strings.ReplaceAll(payload, "\x00", ""); p != "" && (storetest.Long || strings.ContainsRune(p, 0x1b) && errors < 4) {
			errors++
			calls = append(calls, []string{"show", "x" + p})
		}
	}
	for _, args := range calls {
		out := printed(t, h, args...)
		if bad := storetest.Harmful(out); bad != "" {
			t.Errorf("vise %.40q shows %s", args, bad)
		}
		if args[0] == "list" {
			listedAll(t, out, len(ids))
		}
		raw, _ := h.command(context.Background(), append([]string{"--json"}, args...)...).Output()
		if bad := storetest.Harmful(string(raw)); bad != "" || strings.ContainsRune(string(raw), 0x1b) {
			t.Errorf("vise --json %.40q holds %s", args, bad)
		}
		if args[0] != "events" && !json.Valid(raw) {
			t.Errorf("vise --json %.40q is no JSON", args)
		}
	}
}

// printed returns what a verb writes on a terminal, line by line.
func printed(t *testing.T, h *home, args ...string) string {
	t.Helper()
	x := onTerminal(t, h.command(ctx, args...), 120, 50)
	<-x.ended
	return strings.ReplaceAll(x.output(), "\r\n", "\n")
}

func listedAll(t *testing.T, out string, want int) {
	t.Helper()
	got := 0
	for line := range strings.Lines(out) {
		if strings.Contains(line, "wi-") {
			got++
		}
	}
	if got != want {
		t.Errorf("%d items listed, want %d:\n%s", got, want, out)
	}
}
