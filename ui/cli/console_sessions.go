package cli

import (
	"slices"
	"time"

	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/agents"
	"vise/ui/runner"
)

// sessionView shows the sessions of a home in the console.
type sessionView struct {
	home home.Sessions
	dir  string
}

func sessionsIn(h *home.Home, now func() time.Time) sessionView {
	return sessionView{home.SessionsIn(h.Dir(), now), h.Dir()}
}

// Known is part of console.Sessions.
func (v sessionView) Known() []home.Session {
	list := v.home.Known(runner.Alive)
	for i, s := range list {
		list[i] = agents.Look(s)
	}
	return slices.DeleteFunc(list, func(s home.Session) bool { return s.ID == "" && s.State == home.SessionGone })
}

// Read is part of console.Sessions.
func (v sessionView) Read(s home.Session, from int64) ([]acp.Entry, int64, error) {
	if s.Driver.PID == 0 {
		return agents.Told(s, from)
	}
	return acp.ReadLog(acp.LogPath(v.dir, s.Agent, s.ID), from)
}
