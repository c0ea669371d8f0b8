package console

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"vise/model"
	"vise/store/storetest"
)

// savedThenStuck is a ledger that cannot be read for a while after each command that it took. It
// may also lose what came of the first command.
type savedThenStuck struct {
	Ledger
	mu     sync.Mutex // guards what follows
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
		s.reads, s.keys = 3, append(s.keys, e.Command.Name())
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

// TestWhatIsSavedIsSaidToBeSaved presses each act while what follows it cannot be read: the screen
// says that it was done, and not that it was not.
func TestWhatIsSavedIsSaidToBeSaved(t *testing.T) {
	for name, x := range map[string]struct {
		keys    []string
		typed   string
		send    []string
		command string
		said    string
	}{
		"pick":     {keys: []string{"p"}, command: "PickWorkItem", said: "Picked"},
		"block":    {keys: []string{"b"}, typed: "ops", send: []string{"enter"}, command: "UpdateWorkItem", said: "Blocked"},
		"new":      {keys: []string{"o"}, typed: "Another", send: []string{"ctrl+s"}, command: "CreateWorkItem", said: "Created"},
		"complete": {keys: []string{"c"}, typed: "Done.", send: []string{"ctrl+s"}, command: "Round", said: "Completed"},
		"status":   {keys: []string{"s", "2"}, command: "UpdateWorkItem", said: "ready"},
		"message":  {keys: []string{"m"}, typed: "hello", send: []string{"ctrl+s"}, command: "Say", said: "Queued for"},
	} {
		for code, trouble := range storetest.Troubles {
			synctest.Test(t, func(t *testing.T) {
				s := &savedThenStuck{broken: trouble}
				if code == model.CodeBusy {
					s.broken = model.Refuse(model.CodeBusy, "the ledger is busy").WithHint("try again; nothing was changed")
				}
				wd := newWorld(t, 120, 30, func(o *Options) { s.Ledger, o.Ledger = o.Ledger, s })
				defer wd.end()
				wd.create("a", "Split rate limiter")
				wd.settle()
				s.mu.Lock()
				s.armed = true
				s.mu.Unlock()
				wd.press(x.keys...)
				wd.write(x.typed)
				wd.press(x.send...)
				wd.settle()
				frame := strings.Join(wd.frame(), "\n")
				if len(s.keys) != 1 || s.keys[0] != x.command {
					t.Fatalf("%s: sent %q\n%s", name, s.keys, frame)
				}
				if strings.Contains(frame, "nothing was changed") || !strings.Contains(frame, x.said) {
					t.Errorf("%s, %s: the screen does not say %q:\n%s", name, code, x.said, frame)
				}
			})
		}
	}
}
