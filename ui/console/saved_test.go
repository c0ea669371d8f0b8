package console

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"vise/model"
	"vise/store/storetest"
	"vise/ui/action"
)

// savedThenStuck is a ledger that cannot be read for a while after each command that it took. It can also lose the
// outcome of the first command.
type savedThenStuck struct {
	Ledger
	mu     sync.Mutex // protects the fields below
	reads  int
	keys   []string
	armed  bool
	broken error
}

func (s *savedThenStuck) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := s.Ledger.Apply(ctx, e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.armed {
		s.reads, s.keys = 3, append(s.keys, model.CommandName(e.Command))
	}
	return in, err
}

func (s *savedThenStuck) View(ctx context.Context, fn func(model.Reader) error) error {
	s.mu.Lock()
	s.reads--
	stuck := s.reads >= 0
	s.mu.Unlock()
	if stuck {
		return s.broken
	}
	return s.Ledger.View(ctx, fn)
}

// acted is an act that sends a command.
type acted struct {
	act    action.ID
	before []string // what others did, then the operator's keys, each after "press "
	keys   []string // with = in front it is typed
	command,
	said string
}

// actsThatSend has each command of each act that writes.
var actsThatSend = []acted{
	{action.Pick, []string{"create a Split"}, []string{"p"}, "PickWorkItem", "Picked"},
	{action.Complete, []string{"create a Split"}, []string{"c", "=Done.", "ctrl+s"}, "Round", "Completed"},
	{action.Block, []string{"create a Split"}, []string{"b", "=ops", "enter"}, "UpdateWorkItem", "Blocked"},
	{action.Block, []string{"create a Split", "block a ops"}, []string{"b", "enter"}, "UpdateWorkItem", "Unblocked"},
	{action.Block, []string{"create a Split", "create b Merge", "press v", "press v"}, []string{"b", "=ops", "enter"}, "Batch", "Blocked 2"},
	{action.Block, []string{"ask  Which?"}, []string{"b", "enter"}, "CancelWait", "Cancelled the question"},
	{action.Wait, []string{"create a Split"}, []string{"w", "4", "tab", "=ci", "tab", "=30m", "ctrl+s"}, "WaitFor", "waits for"},
	{action.Answer, []string{"create a Split", "ask a Which?"}, []string{"i", "=LRU", "ctrl+s"}, "Answer", "Answered"},
	{action.Answer, []string{"create a Split", "pick a", "permission claude-main Bash ls", "press 2", "press tab", "press i"}, []string{"y"},
		"AnswerPermission", "Answered claude"},
	{action.Review, []string{"create a Split", "pick a", "turn claude-main", "turn claude-main 1 completed"}, []string{"r"}, "Retry", "Trying"},
	{action.TodoList, []string{"create a Split"}, []string{"t", "o", "=Measure", "enter", "ctrl+s"}, "UpdateWorkItem", "Todos saved"},
	{action.Tick, []string{"create a Split", "todos a - Measure", "pick a"}, []string{"space"}, "UpdateWorkItem", "Ticked"},
	{action.New, []string{"create a Split"}, []string{"o", "=Another", "ctrl+s"}, "CreateWorkItem", "Created"},
	{action.Objective, []string{"create a Split"}, []string{"@objective", "= it", "ctrl+s"}, "UpdateWorkItem", "Objective saved"},
	{action.Status, []string{"create a Split"}, []string{"@plan-status", "2"}, "UpdateWorkItem", "ready"},
	{action.Priority, []string{"create a Split"}, []string{"@priority", "1"}, "UpdateWorkItem", "high"},
	{action.Report, []string{"create a Split", "complete a"}, []string{"P", "=It works.", "ctrl+s"}, "ReportWorkItem", "eport"},
	{action.Report, []string{"create a Split", "complete a", "offer a turn_final It works."}, []string{"P", "3"}, "DeclineReport", "Declined"},
	{action.Hide, []string{"create a Split", "status a needs_input"}, []string{"A", "1"}, "Snooze", "Hid "},
	{action.Hide, []string{"create a Split", "complete a"}, []string{"A", "1"}, "Acknowledge", "Hid "},
	{action.Hide, []string{"create a Split", "status a needs_input", "create b Merge", "status b needs_input", "press v", "press v"},
		[]string{"A", "1"}, "Batch", "Hid what"},
	{action.Hide, []string{"create a Split", "status a needs_input"}, []string{"A", "2"}, "Snooze", "hidden until"},
	{action.Message, []string{"create a Split"}, []string{"m", "=hello", "ctrl+s"}, "Say", "Queued for"},
	{action.New, []string{"create a Split", "began a /src", "differs M a.go binary", "press g", "press v"},
		[]string{"o", "=Why?", "ctrl+s"}, "CommentOn", "Commented"},
	{action.Message, []string{"create a Split", "began a /src", "differs M a.go binary", "comment a a.go Why?", "press g", "press v"},
		[]string{"m"}, "SendComments", "Sent 1 comment"},
	{action.Drop, []string{"create a Split", "began a /src", "differs M a.go binary", "comment a a.go Why?", "press g", "press v", "press j"},
		[]string{"D"}, "CommentOn", "Dropped"},
	{action.Undo, []string{"create a Split", "press p"}, []string{"u"}, "Undo", "Undone"},
	{action.Redo, []string{"create a Split", "press p", "press u"}, []string{"U"}, "Undo", "again"},
	{action.Posture, []string{"create a Split"}, []string{"ctrl+t"}, "UpdateAgent", "Stopped"},
	{action.Posture, []string{"create a Split"}, []string{":", "=stop or", "enter"}, "UpdateAgent", "Stopped"},
}

// TestWhatIsSavedIsSaidToBeSaved presses each act while the reads after it fail: the screen says that the act is done,
// and not that it is not.
func TestWhatIsSavedIsSaidToBeSaved(t *testing.T) {
	storetest.Slow(t)
	for _, x := range actsThatSend {
		for code, trouble := range storetest.Troubles {
			synctest.Test(t, func(t *testing.T) {
				s := &savedThenStuck{broken: trouble}
				if code == model.CodeBusy {
					s.broken = model.Refuse(model.CodeBusy, "the ledger is busy").WithHint("try again; nothing was changed")
				}
				wd := newWorld(t, 120, 30, func(o *Options) { s.Ledger, o.Ledger = o.Ledger, s })
				defer wd.end()
				for _, line := range x.before {
					if key, ok := strings.CutPrefix(line, "press "); ok {
						wd.settle()
						wd.press(key)
					} else {
						wd.change(line)
					}
				}
				wd.settle()
				s.mu.Lock()
				s.armed = true
				s.mu.Unlock()
				for _, k := range x.keys {
					if words, ok := strings.CutPrefix(k, "="); ok {
						wd.write(words)
					} else {
						wd.press(k)
					}
				}
				wd.settle()
				frame := strings.Join(wd.frame(), "\n")
				if len(s.keys) != 1 || s.keys[0] != x.command {
					t.Fatalf("%s: sent %q, want %s\n%s", x.act, s.keys, x.command, frame)
				}
				if strings.Contains(frame, "nothing was changed") || !strings.Contains(frame, x.said) {
					t.Errorf("%s, %s: the screen does not say %q:\n%s", x.act, code, x.said, frame)
				}
			})
		}
	}
}

// actsThatSend has every act that writes, and every command that the sources name.
func TestEveryActThatWritesIsTriedAfterACommit(t *testing.T) {
	acts := map[action.ID]bool{action.EditPlan: true}                           // the editor writes; edit_test.go has what the console then says
	commands := map[string]bool{"CompleteWorkItem": true, "RefreshTodos": true} // in a Round; nobody asked for it
	for _, x := range actsThatSend {
		acts[x.act], commands[x.command] = true, true
	}
	for _, a := range action.Standard() {
		if a.Writes && !acts[a.ID] {
			t.Errorf("%s is tried nowhere", a.ID)
		}
	}
	of := func(pattern string) (out string) {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %q %v", pattern, names, err)
		}
		for _, name := range names {
			if raw, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
				out += string(raw)
			}
		}
		return out
	}
	sources := of("*.go") + of("../action/*.go")
	for _, m := range regexp.MustCompile(`func \((\w+)\) Name\(\) string +\{ return "`).FindAllStringSubmatch(of("../../model/*.go"), -1) {
		if regexp.MustCompile(`\bmodel\.`+m[1]+`\b`).MatchString(sources) && !commands[m[1]] {
			t.Errorf("%s is sent, and tried nowhere", m[1])
		}
	}
}
