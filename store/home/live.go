package home

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"vise/model"
	"vise/store/files"
)

// LiveSession is a session of an agent's program that works, or rests and is waited for, as its hooks tell.
// It is a small file in the home, whose time is when the session was last heard of.
type LiveSession struct {
	Program string        `json:"program"`
	ID      string        `json:"session_id"`
	Agent   model.AgentID `json:"agent_id"`
	// Item is the one that it picked last, unless another session of the agent has picked it since.
	Item model.ItemID `json:"work_item_id,omitempty"`
	// Works: a turn of its runs. Else it rests, and is waited for.
	Works bool `json:"works,omitempty"`
}

const (
	// worksFor is how long a session is taken to work that nothing was heard of: a tool may take long. The
	// program may have been killed instead.
	worksFor = 10 * time.Minute
	// restsFor is the same for one that rests: who waits for it tells of it every RestsEvery.
	restsFor   = 2 * time.Minute
	RestsEvery = 30 * time.Second
	// liveAge is after how long one is forgotten.
	liveAge = 24 * time.Hour
	// maxLive bounds a file, in bytes.
	maxLive = 16 << 10
)

func liveDir(home string) string { return filepath.Join(home, "state", "hooks", "of-sessions") }

func (h *Home) liveFile(program, id string) string {
	sum := sha256.Sum256([]byte(program + "\x00" + id))
	return filepath.Join(liveDir(h.Dir()), hex.EncodeToString(sum[:8])+".json")
}

// NoteLive keeps what is heard of a session. Where no item is named it has the one that it had. What cannot be
// kept is no reason to fail.
func (h *Home) NoteLive(s LiveSession) {
	path := h.liveFile(s.Program, s.ID)
	was, err := readLive(path)
	if s.Item == "" {
		s.Item = was.Item
	}
	if err == nil && was == s {
		_ = os.Chtimes(path, time.Time{}, h.o.Now())
		return
	}
	if s.Item != was.Item {
		for _, x := range h.LiveSessions(s.Agent) {
			if x.Item == s.Item && x.ID != s.ID {
				x.Item = ""
				_ = writeLive(h.liveFile(x.Program, x.ID), x)
			}
		}
	}
	_ = writeLive(path, s)
}

// StillRests says that a session that rests is still waited for.
func (h *Home) StillRests(program, id string) {
	_ = os.Chtimes(h.liveFile(program, id), time.Time{}, h.o.Now()) // one that is not known is not missed
}

// EndLive forgets a session.
func (h *Home) EndLive(program, id string) { _ = os.Remove(h.liveFile(program, id)) }

// LiveSessions are the agent's sessions that work, or that rest and are waited for, as far as hooks told.
func (h *Home) LiveSessions(agent model.AgentID) (out []LiveSession) {
	list, _ := files.ReadDir(liveDir(h.Dir()))
	for _, x := range list {
		path := filepath.Join(liveDir(h.Dir()), x.Name())
		info, err := x.Info()
		if err != nil {
			continue
		}
		age := h.o.Now().Sub(info.ModTime())
		if age > liveAge {
			_ = os.Remove(path)
			continue
		}
		s, err := readLive(path)
		if err == nil && s.Agent == agent && (age < restsFor || s.Works && age < worksFor) {
			out = append(out, s)
		}
	}
	return out
}

// HeldElsewhere are the items that the agent's other sessions hold. A session without an item of its own
// holds none.
func (h *Home) HeldElsewhere(agent model.AgentID, isOwn func(LiveSession) bool) (out []model.ItemID) {
	for _, s := range h.LiveSessions(agent) {
		if s.Item != "" && !isOwn(s) {
			out = append(out, s.Item)
		}
	}
	return out
}

func readLive(path string) (s LiveSession, err error) {
	raw, err := files.ReadSmall(path, maxLive)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(raw, &s)
}

func writeLive(path string, s LiveSession) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(path, raw)
}
