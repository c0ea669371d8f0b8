package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/store/files"
)

// pending is a completion whose words are not known yet. Each has a file of its own, so
// that hooks that run at once need no lock.
type pending struct {
	Session string `json:"session_id"`
	ToolUse string `json:"tool_use_id"`
	Item    string `json:"work_item"`
	// Subagent completed it, and says its words in a transcript of its own.
	Subagent string    `json:"subagent,omitempty"`
	At       time.Time `json:"at"`
}

// pendingAge is when a completion whose turn never ended is given up.
const pendingAge = 7 * 24 * time.Hour

func (c *call) pendingDir(session string) string {
	return filepath.Join(c.home.Dir(), "state", "hooks", c.program, "pending", short(session))
}

// short is a name for a file that stands for any text.
func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

func (c *call) remember(p pending) error {
	dir := c.pendingDir(p.Session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return files.WriteAtomic(filepath.Join(dir, short(p.ToolUse)+".json"), raw)
}

// recall are the session's pending completions, oldest first.
func (c *call) recall(session string) ([]pending, error) {
	dir := c.pendingDir(session)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []pending
	for _, x := range list {
		path := filepath.Join(dir, x.Name())
		raw, err := os.ReadFile(path)
		var p pending
		if err != nil || !strings.HasSuffix(x.Name(), ".json") || json.Unmarshal(raw, &p) != nil {
			continue
		}
		if c.Now().Sub(p.At) > pendingAge {
			_ = os.Remove(path) // given up; a second try is as good
			continue
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(x, y pending) int { return x.At.Compare(y.At) })
	return out, nil
}

// forget drops completions that are settled. One that stays is settled again under the
// same key, which changes nothing.
func (c *call) forget(session string, tools []string) {
	dir := c.pendingDir(session)
	for _, t := range tools {
		_ = os.Remove(filepath.Join(dir, short(t)+".json"))
	}
	_ = os.Remove(dir) // only when it is empty
}
