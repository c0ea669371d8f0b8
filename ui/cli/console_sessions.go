package cli

import (
	"os"

	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/runner"
)

// sessionView shows the sessions of a home in the console.
type sessionView struct {
	home home.Sessions
	dir  string
}

// Driven is part of console.Sessions.
func (v sessionView) Driven() []home.Session {
	list := v.home.Driven()
	for i, s := range list {
		if s.State != home.SessionGone && !runner.Alive(s.Driver) {
			list[i].State = home.SessionGone
		}
	}
	return list
}

// shownOfLog is how much of a session's log is shown, in bytes: what fits in memory and is read at once.
const shownOfLog = 8 << 20

// Read is part of console.Sessions.
func (v sessionView) Read(s home.Session, from int64) ([]acp.Entry, int64, error) {
	path := acp.LogPath(v.dir, s.Agent, s.ID)
	if info, err := os.Stat(path); err == nil && from == 0 {
		from = max(info.Size()-shownOfLog, 0)
	}
	return acp.ReadLog(path, from)
}
