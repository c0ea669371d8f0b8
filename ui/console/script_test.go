package console

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cockroachdb/datadriven"

	"vise/model"
	"vise/ui/acp"
)

// The scripts show the screen as an operator sees it (go test -run Script -rewrite writes them again). Verbs:
//
//	new size=120x36 [ascii nocolor …]   a console on an empty ledger, or at its first run
//	do                                  what other processes do, a line each (see change)
//	press, type                         keys by name, or text; nothing is answered yet
//	click x=3 y=4, wheel x=50 y=9 [up]  the mouse, cells from 0
//	settle                              every effect is carried out
//	pass 2s                             time goes by
//	frame [from=3 to=9]                 the screen, or some of its lines
//	said                                the output to the terminal outside the screen
//	drafts                              the kept text of unfinished dialogs
//	threadlog                           what happened to threads
//	choice                              what was chosen at the first run
//	started                             the agents that were started, + those whose program was installed first
//	files                               the status of each file todo, and the newest row of its history
//	fail, heal                          the ledger refuses everything, or works again
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var wd *world
				defer func() {
					if wd != nil {
						wd.end()
					}
				}()
				datadriven.RunTest(t, f, func(t *testing.T, d *datadriven.TestData) string {
					if d.Cmd == "new" {
						if wd != nil {
							wd.end()
						}
						wd = newFromScript(t, d)
						return ""
					}
					wd.t = t
					return wd.run(d)
				})
			})
		})
	}
}

func newFromScript(t *testing.T, d *datadriven.TestData) *world {
	w, h := sizeOf(t, d)
	var wd *world
	wd = newWorld(t, w, h, func(o *Options) {
		if d.HasArg("first") {
			o.FirstRun = &FirstRun{Home: "~/.local/share/vise", Dir: "~/shop", Agents: []model.AgentID{"vise"}}
			if d.HasArg("programs") {
				o.FirstRun.Programs, o.FirstRun.Agents = []string{"claude", "codex"}, []model.AgentID{"claude", "codex"}
				o.FirstRun.Lines = func(_ context.Context, programs []string) (model.Text, error) {
					return "vise install " + model.Text(programs[0]) + "\n--- /home/me/.claude.json\n+++ /home/me/.claude.json\n+  \"mcpServers\": {\n\x1b]0;owned\x07 }", nil
				}
				o.Start = func(_ context.Context, ref string, get bool) (string, error) {
					if p, _ := acp.Named(ref); !get {
						return "", acp.NotInstalled{Program: p}
					}
					wd.started = append(wd.started, ref+"+")
					return "agent " + ref + " is started", nil
				}
			}
		}
		o.ASCII, o.NoColor, o.Demo = d.HasArg("ascii"), d.HasArg("nocolor"), d.HasArg("demo")
		if d.HasArg("readonly") {
			o.ReadOnly = "written by a newer vise, opened read-only"
		}
	})
	return wd
}

func sizeOf(t testing.TB, d *datadriven.TestData) (w, h int) {
	t.Helper()
	size := "120x36"
	maybe(t, d, "size", &size)
	if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil {
		t.Fatal(err)
	}
	return w, h
}

func (wd *world) run(d *datadriven.TestData) string {
	switch d.Cmd {
	case "do":
		for line := range strings.SplitSeq(d.Input, "\n") {
			wd.change(line)
		}
	case "press":
		for _, a := range d.CmdArgs {
			wd.press(a.Key)
		}
	case "type":
		wd.write(d.Input)
	case "paste":
		wd.send(tea.PasteMsg{Content: d.Input})
	case "settle":
		wd.settle()
	case "pass":
		span, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			wd.t.Fatal(err)
		}
		wd.pass(span)
	case "click", "wheel":
		wd.mouse(d)
	case "resize":
		wd.w, wd.h = sizeOf(wd.t, d)
		wd.send(tea.WindowSizeMsg{Width: wd.w, Height: wd.h})
	case "frame":
		from, to := 1, wd.h
		maybe(wd.t, d, "from", &from)
		maybe(wd.t, d, "to", &to)
		return strings.Join(wd.frame()[from-1:min(to, wd.h)], "\n") + "\n"
	case "said":
		slices.Sort(wd.said) // effects that run at the same time end in any order
		out := strings.Join(wd.said, "\n") + "\n"
		wd.said = nil
		return out
	case "drafts":
		return fmt.Sprintf("%q\n", wd.drafts.kept)
	case "files":
		return wd.standing()
	case "threadlog":
		return strings.Join(wd.threads.log, "\n") + "\n"
	case "choice":
		return wd.choice + "\n"
	case "started":
		return fmt.Sprintln(wd.started)
	case "degrade":
		x := model.Condition{Code: model.Code(d.CmdArgs[0].Key), ReadOnly: len(d.CmdArgs) > 1}
		x.Message, x.Hint, _ = strings.Cut(d.Input, "\n")
		wd.faulty.degrade(x)
	case "fail":
		wd.faulty.fail(model.Refuse(model.Code(d.CmdArgs[0].Key), "%s", d.Input))
	case "heal":
		wd.faulty.fail(nil)
	default:
		wd.t.Fatalf("unknown verb %s", d.Cmd)
	}
	return ""
}

// change makes a change by another process, as a line says, like "create a Land retry budget PR".
func (wd *world) change(line string) {
	wd.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(rest, " ")
	id := wd.names[name]
	if wd.changeFile(verb, name, rest) {
		return
	}
	switch verb {
	case "create":
		wd.create(name, unescaped(rest))
	case "pick":
		wd.do(model.PickWorkItem{WorkItemID: id, Reason: model.Text(rest)})
	case "block":
		wd.do(model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo(model.Text(unescaped(rest)))})
	case "status":
		s := model.PlanStatus(rest)
		wd.do(model.UpdateWorkItem{WorkItemID: id, PlanStatus: &s})
	case "reword":
		o := model.Text(rest)
		wd.do(model.UpdateWorkItem{WorkItemID: id, Objective: &o})
	case "ask":
		question, choices, _ := strings.Cut(rest, " | ")
		w := model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: "asks for a choice", Question: model.Text(question)}
		for c := range strings.SplitSeq(choices, " | ") {
			if c != "" {
				w.Choices = append(w.Choices, model.Text(c))
			}
		}
		wd.do(w)
	case "permission": // asked by the program of an agent: its tool and arguments
		tool, input, _ := strings.Cut(rest, " ")
		wd.do(model.AskPermission{AgentID: model.AgentID(name), Program: "claude", Session: "5f1c", Tool: model.Text(tool),
			Input: model.Text(unescaped(input)), AnswerMS: 120_000})
	case "answer":
		wd.do(model.Answer{WorkItemID: id, Text: model.Text(rest)})
	case "as": // followed by its changes
		wd.acting = model.AgentID(name)
	case "agent": // makes one known
		wd.do(model.AddAgent{AgentID: model.AgentID(name)})
	case "turn": // begins one, or ends it as rest says
		if rest == "" {
			wd.do(model.ClaimTurn{AgentID: model.AgentID(name), Holder: "a test"})
			return
		}
		n, outcome, _ := strings.Cut(rest, " ")
		outcome, reason, _ := strings.Cut(outcome, " ")
		index, _ := strconv.Atoi(n)
		wd.do(model.EndTurn{AgentID: model.AgentID(name), Turn: index, Outcome: model.TurnOutcome(outcome), Reason: model.Text(reason)})
	case "stall": // gives an agent turns that change nothing until the offered item is stalled
		for range 5 {
			agent := model.AgentID(name)
			wd.doAs(model.Operator, model.Retry{AgentID: agent})
			r := wd.doAs(model.Scheduler, model.Tick{AgentID: agent})
			turn := wd.doAs(model.Scheduler, model.ClaimTurn{AgentID: agent, Holder: "a test", Tick: r.Decision.Key}).Turn
			wd.doAs(model.Scheduler, model.EndTurn{AgentID: agent, Turn: turn, Outcome: model.TurnCompleted})
		}
	case "await":
		source, resource, _ := strings.Cut(rest, " ")
		wd.do(model.WaitFor{WorkItemID: id, Wake: model.WakeExternal, Reason: "waits: " + model.Text(source), Source: model.Text(source), Resource: model.Text(resource)})
	case "trigger":
		source, payload, _ := strings.Cut(rest, " ")
		wd.do(model.Trigger{WorkItemID: id, Source: model.Text(source), Payload: model.Text(payload)})
	case "complete":
		wd.do(model.Round{Text: model.Text(rest), WorkItemID: id, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}})
	case "offer": // final text of a completion, as a hook brings it
		by, words, _ := strings.Cut(rest, " ")
		wd.do(model.OfferReport{WorkItemIDs: []model.ItemID{id}, Text: model.Text(unescaped(words)), Provenance: model.ReportOf(by)})
	case "todos":
		list := todosOf(rest)
		wd.do(model.UpdateWorkItem{WorkItemID: id, TodoList: &list})
	case "plan":
		wd.plans.put(id, unescaped(rest))
	case "refresh":
		p := wd.plans.Plan(wd.t.Context(), testAgent, id)
		wd.do(model.RefreshPlan{WorkItemID: id, Plan: p.Artifact})
	case "spoil":
		wd.plans.spoil(id, PlanText{Artifact: model.BadPlanArtifact(testAgent, id, model.PlanCondition(rest))})
	case "adopt": // the n-th item of the ledger gets a name
		n, _ := strconv.Atoi(rest)
		wd.names[name] = model.ItemID(fmt.Sprintf("wi-01k%023d", n))
	case "pass":
		span, _ := time.ParseDuration(name)
		wd.pass(span)
	default:
		if !wd.changeThread(verb, name, rest) && !wd.changeTree(verb, name, rest) {
			wd.t.Fatalf("unknown change %q", line)
		}
	}
}

// unescaped reads \n, \x1b and the like in a script's text.
func unescaped(s string) string {
	if out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`); err == nil {
		return out
	}
	return s
}

// todosOf reads "x done > doing - to do", one per " | ".
func todosOf(s string) []model.Todo {
	states := map[string]model.TodoState{"x": model.TodoCompleted, ">": model.TodoInProgress, "-": model.TodoPending}
	var out []model.Todo
	for part := range strings.SplitSeq(s, " | ") {
		mark, words, _ := strings.Cut(part, " ")
		out = append(out, model.Todo{Text: model.Text(words), State: states[mark]})
	}
	return out
}

// mouse clicks a cell, or turns the wheel there.
func (wd *world) mouse(d *datadriven.TestData) {
	m := tea.Mouse{Button: tea.MouseLeft}
	maybe(wd.t, d, "x", &m.X)
	maybe(wd.t, d, "y", &m.Y)
	switch {
	case d.Cmd == "click":
		wd.send(tea.MouseClickMsg(m))
		return
	case d.HasArg("up"):
		m.Button = tea.MouseWheelUp
	default:
		m.Button = tea.MouseWheelDown
	}
	wd.send(tea.MouseWheelMsg(m))
}

func maybe(t testing.TB, d *datadriven.TestData, key string, to any) {
	t.Helper()
	for _, a := range d.CmdArgs {
		if a.Key != key {
			continue
		}
		if _, err := fmt.Sscan(a.Vals[0], to); err != nil {
			t.Fatal(err)
		}
	}
}
