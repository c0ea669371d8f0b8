package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/storetest"
)

// leftover is what a completion leaves of an item, without what differs between homes: ids, times, and the number of
// writes.
type leftover struct {
	State  model.State
	Report model.Text
	Needs  bool
	Brief  string
	Offers []string
	Events []string
}

const spoken, both = "It is done; tests pass.", "Both are done."

// The items of the three cases: with words, without words, and two items that one round completes.
var cases = []string{"With words", "Without words", "One of two", "Two of two"}

// TestACompletionLeavesTheSameRecordsThroughEveryFrontend compares MCP with hooks, the driver, and the console for what
// a person can do there.
func TestACompletionLeavesTheSameRecordsThroughEveryFrontend(t *testing.T) {
	storetest.Slow(t)
	by := map[string]map[string]leftover{}
	for name, through := range map[string]func(*home, map[string]model.ItemID){"mcp": throughTools, "drive": throughDriver, "console": throughConsole} {
		h := newHome(t, "ann")
		ids := map[string]model.ItemID{}
		for _, c := range cases {
			ids[c] = h.item(c)
		}
		through(h, ids)
		by[name] = map[string]leftover{}
		for _, c := range cases {
			by[name][c] = h.left(ids[c])
		}
		h.sound()
	}
	for _, c := range cases {
		if got, want := by["mcp"][c], by["drive"][c]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: through MCP\n%+v\nthrough the driver\n%+v", c, got, want)
		}
		t.Logf("%s: %+v", c, by["drive"][c])
	}
	for _, c := range cases[:2] { // a person completes one item at a time
		if got, want := by["console"][c], byHand(by["drive"][c]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: through the console\n%+v\nthrough the driver\n%+v", c, got, want)
		}
	}
	if x := by["drive"]["With words"]; x.Report != spoken || x.Needs || len(x.Offers) > 0 {
		t.Errorf("words: %+v", x)
	}
	if x := by["drive"]["Without words"]; x.Report != "" || x.Needs || x.Brief != "" || len(x.Offers) > 0 {
		t.Errorf("no words: %+v", x)
	}
	for _, c := range cases[2:] {
		if x := by["drive"][c]; x.Report != "" || !x.Needs || x.Brief != "" || len(x.Offers) != 1 {
			t.Errorf("two at once: %+v", x)
		}
	}
}

// byHand is what the same completion leaves when the operator does it: the words are the operator's, and there is no
// turn with a brief.
func byHand(x leftover) leftover {
	x.Brief = strings.ReplaceAll(x.Brief, "same_round", "operator")
	x.Events = slices.Clone(x.Events)
	for i := range x.Events {
		x.Events[i] = strings.ReplaceAll(x.Events[i], "same_round", "operator")
	}
	x.Events = slices.DeleteFunc(x.Events, func(s string) bool { return strings.HasPrefix(s, string(model.EventBriefSuppressed)) })
	return x
}

func (h *home) item(objective string) model.ItemID {
	h.t.Helper()
	var out struct {
		Data struct {
			Item model.View `json:"work_item"`
		} `json:"data"`
	}
	raw := h.must("new", objective, "--agent", "ann", "--todo", "left undone", "--json")
	if err := json.Unmarshal(raw, &out); err != nil || out.Data.Item.ID == "" {
		h.t.Fatalf("%v in %s", err, raw)
	}
	return out.Data.Item.ID
}

// comparedEvents are the events of a completion whose data is compared.
var comparedEvents = []model.EventKind{model.EventWorkItemWritten, model.EventFocusReleased, model.EventReportPromoted, model.EventReportOffered,
	model.EventCompletionWarning, model.EventBriefSuppressed}

func (h *home) left(id model.ItemID) (x leftover) {
	h.t.Helper()
	err := h.open().View(ctx, func(r model.Reader) error {
		w, _ := r.Item(id)
		v := model.ViewOf(r, w)
		x = leftover{State: v.State, Report: w.ResultSummary, Needs: v.NeedsOperator}
		if b, ok := r.Brief("ann", id); ok {
			warned, _ := json.Marshal(b.Warnings)
			x.Brief = fmt.Sprintf("%s %s %s %s", b.BriefKind, b.Provenance, b.Text, warned)
		}
		for _, o := range v.Offered {
			x.Offers = append(x.Offers, fmt.Sprintf("%s %s shared with %d", o.Provenance, o.Text, len(o.SharedWith)))
		}
		for _, e := range slices.Backward(r.Entries(id, 100)) {
			if slices.Contains(comparedEvents, e.Kind) {
				x.Events = append(x.Events, string(e.Kind)+" "+plain(e.Data))
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	slices.Sort(x.Events)
	return x
}

// plain returns an event's data without ids, times and revisions.
func plain(raw json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return string(raw)
	}
	for k := range fields {
		if strings.HasSuffix(k, "_id") || strings.HasSuffix(k, "revision") {
			delete(fields, k)
		}
	}
	if shared, ok := fields["shared_with"].([]any); ok {
		fields["shared_with"] = len(shared)
	}
	out, _ := json.Marshal(fields)
	return string(out)
}

// throughDriver lets a scripted program make the four completions in one turn.
func throughDriver(h *home, ids map[string]model.ItemID) {
	pick := func(c string) string {
		return fmt.Sprintf(`{"tool":"PickWorkItem","input":{"work_item_id":%q,"reason":"next"}}`, ids[c])
	}
	complete := func(c string) string {
		return fmt.Sprintf(`{"tool":"CompleteWorkItem","input":{"work_item_id":%q}}`, ids[c])
	}
	round := func(text string, calls ...string) string {
		return fmt.Sprintf(`{"text":%q,"calls":[%s]}`, text, strings.Join(calls, ","))
	}
	said := filepath.Join(h.t.TempDir(), "said")
	lines := []string{
		round("", pick(cases[0])), round(spoken, complete(cases[0])),
		round("", pick(cases[1])), round("", complete(cases[1])),
		round("", pick(cases[2])), round(both, complete(cases[2]), pick(cases[3]), complete(cases[3])),
	}
	if err := os.WriteFile(said, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.must("drive", "--once", "--agent", "ann", "--adapter", "rounds", "--", "cat", said)
}

// throughTools lets an MCP client make them. The hooks of Claude Code bring the words.
func throughTools(h *home, ids map[string]model.ItemID) {
	claude := h.t.TempDir()
	server := h.command(ctx, "mcp", "--agent", "ann")
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: server}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer session.Close()
	x := &toolSession{home: h, claude: claude, session: session}
	for i, c := range cases {
		x.call("PickWorkItem", map[string]any{"work_item_id": ids[c], "reason": "next"})
		message := fmt.Sprint("m", min(i, 2)) // the last two belong to one reply
		x.complete(message, ids[c])
		switch i {
		case 0:
			x.says(message, spoken)
			x.stop(spoken)
		case 1:
			x.stop("")
		case 3:
			x.says(message, both)
			x.stop(both)
		}
	}
	h.must("list", "--agent", "ann") // takes the hook's file from the queue, if the ledger was busy
}

type toolSession struct {
	*home
	claude  string
	session *sdk.ClientSession
	lines   []string
}

func (x *toolSession) call(tool string, args map[string]any) {
	x.t.Helper()
	out, err := x.session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil || out.IsError {
		x.t.Fatalf("%s: %v %+v", tool, err, out)
	}
}

func (x *toolSession) says(message, text string) {
	x.lines = append(x.lines, fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"text","text":%q}]}}`, message, text))
}

func (x *toolSession) complete(message string, id model.ItemID) {
	x.t.Helper()
	x.call("CompleteWorkItem", map[string]any{"work_item_id": id})
	x.lines = append(x.lines,
		fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"tool_use","id":"use-%s","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, message, id, id),
		fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"use-%s","content":"ok"}]}}`, id))
	x.hook("PostToolUse", fmt.Sprintf(`{"session_id":"s","tool_name":"mcp__vise__CompleteWorkItem","tool_input":{"work_item_id":%q},"tool_use_id":"use-%s","tool_response":"ok"}`, id, id))
}

func (x *toolSession) stop(last string) {
	x.t.Helper()
	path := filepath.Join(x.claude, "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(x.lines, "\n")+"\n"), 0o600); err != nil {
		x.t.Fatal(err)
	}
	x.hook("Stop", fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"last_assistant_message":%q}`, path, last))
}

func (x *toolSession) hook(event, input string) {
	x.t.Helper()
	c := x.command(ctx, "hook", "claude", event, "--agent", "ann")
	// Here the flag --home is before the verb. Hooks read it after theirs, or from the variable.
	c.Args = slices.Concat(c.Args[:1], c.Args[3:])
	c.Env, c.Stdin = append(c.Env, "CLAUDE_CONFIG_DIR="+x.claude, "VISE_ACTOR="), strings.NewReader(input)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		x.t.Fatalf("hook %s: %v %s", event, err, out)
	}
}

// throughConsole lets the operator complete the first two on a terminal.
func throughConsole(h *home, ids map[string]model.ItemID) {
	x := onTerminal(h.t, h.command(ctx), 120, 36)
	for i, c := range cases[:2] {
		h.must("pick", string(ids[c]), "--reason", "next")
		x.until("the focus on "+c, func(s string) bool {
			_, after, ok := strings.Cut(s, "WORKS")
			line, _, _ := strings.Cut(strings.TrimPrefix(after, " "), "QUEUED")
			return ok && strings.Contains(line, c)
		})
		x.keys("ggc")
		x.until("the dialog", func(s string) bool {
			return strings.Contains(s, "Complete wi-") && strings.Contains(s, "Final: it cannot be reopened")
		})
		if i == 0 {
			x.keys(spoken)
		}
		x.keys("\x13")
		x.showing("Completed wi-")
		x.until("the end of the dialog", func(s string) bool { return !strings.Contains(s, "cannot be reopened") })
	}
	x.quit()
}
