package cli

import (
	"slices"
	"time"

	"vise/store/home"
	"vise/ui/acp"
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

// Driven is part of console.Sessions.
func (v sessionView) Driven() []home.Session {
	list := v.home.Driven()
	for i, s := range list {
		if s.State != home.SessionGone && !runner.Alive(s.Driver) {
			list[i].State = home.SessionGone
		}
	}
	return slices.DeleteFunc(list, func(s home.Session) bool { return s.ID == "" && s.State == home.SessionGone })
}

// Read is part of console.Sessions.
func (v sessionView) Read(s home.Session, from int64) ([]acp.Entry, int64, error) {
	return acp.ReadLog(acp.LogPath(v.dir, s.Agent, s.ID), from)
}
