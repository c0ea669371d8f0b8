package home

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vise/model"
)

// TestOnlyTheMeantHomeIsFollowed: a host that opens another home than its address names, another than before, or one that
// is shown already stays away, and gets no command.
func TestOnlyTheMeantHomeIsFollowed(t *testing.T) {
	there := newAway(t)
	there.do("ann", model.CreateWorkItem{Objective: "Fix login"})
	id := there.Ledger.Home().ID
	usual := func(t *testing.T) []Host { return []Host{there.host("build")} }
	for name, x := range map[string]struct {
		hosts func(t *testing.T) []Host
		o     HostOptions
		want  string // empty: it is followed
	}{
		"the usual home": {hosts: usual},
		"the named home": {hosts: func(*testing.T) []Host {
			h := there.host("build")
			h.Dir = there.Dir() + "/"
			return []Host{h}
		}},
		"not the named home": {hosts: func(*testing.T) []Host {
			h := there.host("build")
			h.Dir = "/srv/vise"
			return []Host{h}
		}, want: "not /srv/vise"},
		"the home of this vise":   {hosts: usual, o: HostOptions{Here: func() string { return id }}, want: "it is the home that is here already"},
		"a home under two names":  {hosts: func(*testing.T) []Host { return []Host{there.host("build"), there.host("other")} }, want: "it is the same home as"},
		"a vise that tells no id": {hosts: lineHost(`{"protocol":1,"revision":1}`), want: "does not say which home"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			x.o.Retry = func(int) time.Duration { return time.Millisecond }
			h := NewHosts(ctx, x.o)
			t.Cleanup(func() { stop(); h.Close() })
			h.Set(x.hosts(t))
			h.Settled(ctx)
			away, said := 0, ""
			for _, s := range h.States() {
				if s.Away {
					away++
					said = s.Trouble.Error()
					_, err := h.link(s.Name).apply(ctx, model.Envelope{Key: NewKey(), Agent: model.AgentID("ann@" + s.Name), Command: model.Say{Text: "x"}})
					if !errors.Is(err, &model.Error{Code: model.CodeBusy}) {
						t.Errorf("a command to %s: %v", s.Name, err)
					}
				}
			}
			if want := min(len(x.want), 1); away != want || !strings.Contains(said, x.want) {
				t.Errorf("%d are away: %q, want %q", away, said, x.want)
			}
		})
	}
}

// lineHost are hosts of which the only one says a line and then nothing.
func lineHost(line string) func(t *testing.T) []Host {
	return func(t *testing.T) []Host {
		return []Host{{Name: "build", Argv: []string{"sh", "-c", `echo "$0"; cat >/dev/null`, line}}}
	}
}

// TestAnotherHomeThanAtFirstIsRefused: a connection that comes back with another home is not followed on.
func TestAnotherHomeThanAtFirstIsRefused(t *testing.T) {
	there := newAway(t)
	there.do("ann", model.CreateWorkItem{Objective: "Fix login"})
	ctx, stop := context.WithCancel(t.Context())
	h := NewHosts(ctx, HostOptions{})
	t.Cleanup(func() { stop(); h.Close() })
	h.Set([]Host{there.host("build")})
	h.Settled(ctx)
	l := h.link("build")
	if err := l.admits(fromHost{Protocol: hostProtocol, HomeID: there.Ledger.Home().ID, Home: there.Dir()}); err != nil {
		t.Errorf("the same home: %v", err)
	}
	err := l.admits(fromHost{Protocol: hostProtocol, HomeID: "other", Home: there.Dir()})
	if err == nil || !strings.Contains(err.Error(), "another home is there than before") {
		t.Errorf("another home: %v", err)
	}
}
