package console

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/storetest"
	"vise/ui/config"
)

// notifications returns the sequences that were sent to the terminal outside frames since the last call.
func (wd *world) notifications() (out []string) {
	for _, s := range wd.said {
		if strings.HasPrefix(s, "raw ") {
			out = append(out, s)
		}
	}
	wd.said = nil
	return out
}

func TestTheOperatorIsCalledOncePerNeedAndOnlyWhileLookingElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create old Asked before the console was there")
		wd.change("ask old Which?")
		wd.settle()
		wd.send(tea.EnvMsg{"TERM=xterm-256color", "TERM_PROGRAM=WezTerm"})
		wd.send(tea.BlurMsg{})
		for n := range 3 {
			wd.change(fmt.Sprintf("create n%d Work %d", n, n))
			wd.change(fmt.Sprintf("ask n%d LRU; or LFU?", n))
			wd.pass(3 * time.Second)
		}
		if got := wd.notifications(); len(got) != 0 {
			t.Errorf("called before the batch was full: %q", got)
		}
		wd.pass(5 * time.Second)
		if got := wd.notifications(); len(got) != 1 || !strings.Contains(got[0], "777;notify;vise: 3 items need you;claude-main: wi-") {
			t.Errorf("three questions are one call, got %q", got)
		}
		wd.pass(time.Minute)
		wd.send(tea.FocusMsg{})
		wd.change("create seen Looked at")
		wd.change("ask seen Now?")
		wd.pass(time.Minute)
		wd.send(tea.BlurMsg{})
		wd.pass(time.Minute)
		if got := wd.notifications(); len(got) != 0 {
			t.Errorf("called for what was seen: %q", got)
		}
		wd.change("create late Late")
		wd.change("ask late Now?")
		wd.pass(time.Second)
		wd.send(tea.FocusMsg{})
		wd.pass(time.Minute)
		if got := wd.notifications(); len(got) != 0 {
			t.Errorf("called although the operator came back: %q", got)
		}
	})
}

func TestTheWayOfANotificationIsTheTerminals(t *testing.T) {
	for env, want := range map[string]config.Via{
		"TERM=xterm-kitty": config.ViaOSC99, "TERM=foot": config.ViaOSC99, "TERM_PROGRAM=ghostty": config.ViaOSC777,
		"TERM=xterm-256color": config.ViaBell, "TERM=xterm-kitty TMUX=/tmp/x,1,0": config.ViaBell, "TERM=screen STY=1.x": config.ViaBell,
	} {
		if got := (terminal{}).in(strings.Fields(env)).via; got != want {
			t.Errorf("%s: got %s, want %s", env, got, want)
		}
	}
}

// GNU screen is recognised by its own variable, and on the other side of SSH only by TERM.
func TestACopyIsWrappedWhereGNUScreenMayStandBetween(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM=screen STY=1.x": true, "TERM=screen": true, "TERM=screen.xterm-256color": true,
		"TERM=screen-256color TMUX=/tmp/x,1,0": false, "TERM=tmux-256color": false, "TERM=xterm-256color": false,
	} {
		wrapped := false
		synctest.Test(t, func(*testing.T) {
			c := console{fx: &effects{now: time.Now}}
			c.terminal = terminal{}.in(strings.Fields(env))
			c.clip("It", "id")
			for _, send := range tea.Batch(c.started...)().(tea.BatchMsg) {
				raw, is := send().(tea.RawMsg)
				wrapped = wrapped || is && strings.HasPrefix(fmt.Sprint(raw.Msg), "\x1bP\x1b]52;c;")
			}
		})
		if wrapped != want {
			t.Errorf("%s: wrapped is %v", env, wrapped)
		}
	}
}

// An objective is an agent's text: it must not end the sequence that contains it.
func TestANotificationCarriesNoSequenceOfItsOwn(t *testing.T) {
	for name, payload := range storetest.Payloads {
		x := model.Inboxed{Row: model.Row{Handle: "wi-1", AgentID: model.AgentID("a"), Objective: model.Text(payload)}, Need: model.NeedAnswer}
		title, body := notificationOf([]model.Inboxed{x})
		for _, s := range []string{title, body} {
			if strings.ContainsAny(s, ";\x07\x1b\u009c\n") || storetest.Harmful(s) != "" {
				t.Errorf("%s: %q", name, s)
			}
		}
		raw := fmt.Sprint((&effects{}).notify(config.ViaOSC99, title, body)().(tea.RawMsg).Msg)
		if strings.Count(raw, "\x1b") != 4 || !strings.Contains(raw, base64.StdEncoding.EncodeToString([]byte(body))) {
			t.Errorf("%s: OSC 99 is %q", name, raw)
		}
	}
}

type fakeNative struct {
	program, text string
	err           error
}

func (n *fakeNative) Copy(_ context.Context, text string) (string, error) {
	n.text = text
	return n.program, n.err
}
func (n *fakeNative) Notify(context.Context, string, string) error { return errors.New("no desktop") }

func TestTheToastNamesTheWayOfACopy(t *testing.T) {
	long := strings.Repeat("x", mostCopied+1)
	for name, c := range map[string]struct {
		native *fakeNative
		text   string
		want   string
	}{
		"terminal alone":   {nil, "id", "sent to the terminal's clipboard (OSC 52)"},
		"no program":       {&fakeNative{}, "id", "sent to the terminal's clipboard (OSC 52)"},
		"desktop":          {&fakeNative{program: "wl-copy"}, "id", "copied with wl-copy"},
		"desktop refuses":  {&fakeNative{program: "xclip", err: errors.New("no display")}, "id", "xclip refused it"},
		"too long":         {nil, long, "is in a file, whose path was sent (OSC 52): /edits/copy.md"},
		"long and desktop": {&fakeNative{program: "pbcopy"}, long, "copied with pbcopy"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 160, 36, func(o *Options) {
					o.EditBuffers = &fakeBuffers{copies: map[string]string{}}
					if c.native != nil {
						o.Native = c.native
					}
				})
				defer wd.end()
				wd.settle()
				wd.send(act(func(next *console) { next.clip("It", c.text) }))
				wd.settle()
				if screen := strings.Join(wd.frame(), "\n"); !strings.Contains(screen, c.want) {
					t.Errorf("the screen does not say %q:\n%s", c.want, screen)
				}
				if c.native != nil && c.native.text != c.text {
					t.Errorf("the desktop got %d bytes", len(c.native.text))
				}
			})
		})
	}
}
