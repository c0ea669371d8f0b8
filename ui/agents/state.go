package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/ui/transcript"
)

// State between calls is kept in the home below state/hooks/PROGRAM, in one file for each thing, so that concurrent hooks need no lock.

func stateDir(home, program string, below ...string) string {
	return filepath.Join(append([]string{home, "state", "hooks", program}, below...)...)
}

// state returns the path for a thing of a kind. Its names may be any text.
func (c *call) state(kind string, names ...string) string {
	below := []string{kind}
	for _, s := range names {
		below = append(below, model.Hash(s)[:16])
	}
	return stateDir(c.home.Dir(), c.program, below...)
}

// seenEvent says when an event of a program was last seen, and how often.
type seenEvent struct {
	Event string
	Last  time.Time
	Count int64
}

// maxState bounds a file in bytes.
const maxState = 4 << 20

// maxCount bounds the file that counts an event, with one byte for each time.
const maxCount = 1 << 20

// countEvent counts an event: it appends one byte to the event's file, whose modification time is the last sighting. An error is ignored,
// since a missing count is no reason to fail.
func (c *call) countEvent() {
	dir := stateDir(c.home.Dir(), c.program, "seen")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := files.OpenRegular(filepath.Join(dir, c.event), os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < maxCount {
		_, _ = f.WriteString(".")
	}
	_ = os.Chtimes(f.Name(), time.Time{}, c.Now())
}

// seenEvents returns the events of a program that this home has seen, by name.
func seenEvents(home, program string) (out []seenEvent) {
	list, _ := files.ReadDir(stateDir(home, program, "seen"))
	for _, x := range list {
		if info, err := x.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, seenEvent{Event: x.Name(), Last: info.ModTime(), Count: info.Size()})
		}
	}
	return out
}

// The ages after which state is deleted: that something was done, the session of an item, and a completion whose turn never ended.
const (
	onceAge    = 30 * 24 * time.Hour
	pendingAge = 7 * 24 * time.Hour
)

// once returns true to the first caller only, if a thing of a kind was not done before. It removes what is old of the kind.
func (c *call) once(kind, name string) bool {
	path := c.state(kind, name)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	f.Close()
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		if info, err := x.Info(); err == nil && c.Now().Sub(info.ModTime()) > onceAge {
			_ = os.Remove(filepath.Join(dir, x.Name()))
		}
	}
	return true
}

// wasDone reports whether a thing of a kind was done before.
func (c *call) wasDone(kind, name string) bool {
	_, err := os.Lstat(c.state(kind, name))
	return err == nil
}

// undo marks a thing as not done.
func (c *call) undo(kind, name string) { _ = os.Remove(c.state(kind, name)) }

// pending is a completion whose text is not known yet.
type pending struct {
	Session string `json:"session_id"`
	ToolUse string `json:"tool_use_id"`
	Item    string `json:"work_item"`
	// Subagent completed it. Its text is in a transcript of its own.
	Subagent string        `json:"subagent,omitempty"`
	Agent    model.AgentID `json:"agent_id,omitempty"`
	At       time.Time     `json:"at"`
	// Dir is the program's directory, Transcript is the file in it that will get the text, and Place is that file's length at the
	// completion.
	Dir        string `json:"dir,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Place      int64  `json:"place,omitempty"`
	// Round is the part of the reply that is known if there is no transcript.
	Round *transcript.Round `json:"round,omitempty"`
}

func (c *call) pendingPath(tool string) string {
	return c.state("pending", c.session, tool) + ".json"
}

func (c *call) remember(p pending) error {
	p.Session, p.Agent, p.At = c.session, c.agent, c.Now()
	return writeJSON(c.pendingPath(p.ToolUse), p)
}

// writeJSON writes a private file, and makes its directory.
func writeJSON(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return files.WriteAtomic(path, raw)
}

// recall returns the session's pending completions, oldest first.
func (c *call) recall() []pending { return c.recallIn(c.state("pending", c.session)) }

func (c *call) recallIn(dir string) (out []pending) {
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		path := filepath.Join(dir, x.Name())
		raw, err := files.ReadSmall(path, maxState)
		var p pending
		if err != nil || filepath.Ext(path) != ".json" || json.Unmarshal(raw, &p) != nil {
			continue
		}
		if c.Now().Sub(p.At) > pendingAge {
			_ = os.Remove(path)
			continue
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(x, y pending) int { return x.At.Compare(y.At) })
	return out
}

// forget removes completions that are settled. If a removal fails, the completion is settled again under the same key, which changes
// nothing.
func (c *call) forget(tools []string) {
	for _, tool := range tools {
		_ = os.Remove(c.pendingPath(tool))
	}
	_ = os.Remove(c.state("pending", c.session)) // succeeds only if the directory is empty
}
