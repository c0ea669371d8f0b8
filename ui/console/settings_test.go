package console

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"vise/ui/action"
	"vise/ui/config"
)

// withSettings is a console whose settings the test changes through the channel.
func withSettings(t *testing.T, w, h int, first config.Settings) (*world, chan config.Settings) {
	changes := make(chan config.Settings)
	wd := newWorld(t, w, h, func(o *Options) {
		o.Settings = first
		o.NextSettings = func(ctx context.Context) (config.Settings, error) {
			select {
			case s := <-changes:
				return s, nil
			case <-ctx.Done():
				return config.Settings{}, ctx.Err()
			}
		}
	})
	return wd, changes
}

func TestSettingsAreTakenWhileTheConsoleRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, changes := withSettings(t, 120, 36, config.Defaults())
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		before := wd.console.View()
		s := config.Defaults()
		s.Theme, s.Mouse, s.WindowTitle, s.Glyphs = "light", false, false, config.GlyphsASCII
		s.Keys = map[action.ID]config.Keys{action.Do: {"f6"}}
		changes <- s
		wd.settle()
		after := wd.console.View()
		if after.MouseMode != tea.MouseModeNone || before.MouseMode != tea.MouseModeCellMotion {
			t.Errorf("the mouse: %v, then %v", before.MouseMode, after.MouseMode)
		}
		if after.WindowTitle != "" || before.WindowTitle == "" {
			t.Errorf("the title: %q, then %q", before.WindowTitle, after.WindowTitle)
		}
		frame := strings.Join(wd.frame(), "\n")
		if !strings.Contains(frame, "f6") || !strings.Contains(frame, "Settings taken.") || strings.ContainsAny(frame, "┃—") {
			t.Errorf("key, message or glyphs are not as set:\n%s", frame)
		}
		wd.press("f6")
		wd.settle()
		if frame := strings.Join(wd.frame(), "\n"); !strings.Contains(frame, "Picked") {
			t.Errorf("the key that was set does nothing:\n%s", frame)
		}
	})
}

func TestABadFileKeepsWhatHoldsAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := config.Defaults()
		good.Theme = "light"
		wd, changes := withSettings(t, 120, 36, good)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		before := wd.console.View().Content
		bad := config.Defaults()
		bad.Problems = config.Problems{{File: "config.yaml", Line: 3, Path: "theem", Message: "unknown key", Hint: "do you mean theme?"}}
		changes <- bad
		wd.settle()
		if frame := strings.Join(wd.frame(), "\n"); !strings.Contains(frame, "onfig.yaml:3: theem: unknown key; do you mean theme?") {
			t.Errorf("what is wrong is not said:\n%s", frame)
		}
		wd.press("esc")
		wd.settle()
		if after := wd.console.View().Content; after != before {
			t.Error("a bad file changed the screen")
		}
		changes <- good
		wd.settle()
		if frame := strings.Join(wd.frame(), "\n"); !strings.Contains(frame, "Settings taken.") {
			t.Errorf("after a bad file a good one is not taken:\n%s", frame)
		}
	})
}

func TestABadFileAtTheStartIsOnTheFirstFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := config.Defaults()
		bad.Problems = config.Problems{{File: "config.yaml", Line: 1, Message: "not YAML"}}
		wd, _ := withSettings(t, 80, 24, bad)
		defer wd.end()
		if frame := strings.Join(wd.frame(), "\n"); !strings.Contains(frame, "onfig.yaml:1: not YAML") {
			t.Errorf("got\n%s", frame)
		}
	})
}
