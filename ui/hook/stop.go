package hook

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/capture"
	"vise/ui/spool"
)

// maxTranscript bounds what is read of a transcript: its end.
const maxTranscript = 16 << 20

// looks are the pauses before each look at a transcript. The program writes it late, and
// has written it by the third look or not at all (console.md §4.2 measured 0.2 to 5 s).
var looks = []time.Duration{0, 200 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}

// stopped settles what the session, or one of its subagents, completed since its last stop.
func (c *call) stopped(ctx context.Context, p payload) error {
	waiting, err := c.recall(p.Session)
	if err != nil {
		return err
	}
	if c.event == "SubagentStop" {
		p.Transcript = p.SubagentIn
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return x.Subagent == "" || x.Subagent != p.Subagent })
	}
	asked, err := c.settle(ctx, p, waiting)
	if err != nil || asked || c.event == "SubagentStop" {
		return err
	}
	return c.goOn(ctx, p)
}

// settle delivers the words of what was completed. Asked: the agent is asked for some first.
func (c *call) settle(ctx context.Context, p payload, waiting []pending) (asked bool, err error) {
	if len(waiting) == 0 {
		return false, nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting)
	for _, r := range rounds {
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
	}
	if ask := c.silent(rounds, waiting, p); ask != "" {
		return true, c.askFor(ask)
	}
	if deliverErr := c.withLast(ctx, p, rounds, waiting); deliverErr != nil {
		return false, deliverErr
	}
	return false, err
}

// silent names what was completed without a word, if the operator wants that asked about
// and it was not asked yet.
func (c *call) silent(rounds []capture.Round, waiting []pending, p payload) string {
	if !c.askReport || p.Active {
		return ""
	}
	var names []string
	for _, r := range rounds {
		if r.Text == "" && len(r.Completed) == 1 {
			names = append(names, r.Completed...)
		}
	}
	for _, x := range waiting {
		names = append(names, x.Item)
	}
	return strings.Join(names, ", ")
}

// askFor asks the agent for the report once. What it says then is a turn's final text:
// offered, not promoted.
func (c *call) askFor(items string) error {
	return c.block(fmt.Sprintf("You completed %s with no report text. Write the report now: what was done, how it was checked, what is left.", items))
}

// withLast delivers the rounds that were found, and gives what has no words of its own the
// turn's last ones, as an offer. A session that will go on by itself has no last words yet.
func (c *call) withLast(ctx context.Context, p payload, rounds []capture.Round, waiting []pending) error {
	last := capture.Words(p.Last)
	paused := len(p.Background)+len(p.Crons) > 0
	for i, r := range rounds {
		if r.Text == "" && len(r.Completed) == 1 && last != "" {
			rounds[i].Text, rounds[i].Provenance = last, model.ReportTurnFinal
		}
	}
	if err := c.rounds(ctx, p.Session, rounds); err != nil {
		return err
	}
	if paused || len(waiting) == 0 {
		return nil
	}
	rest := capture.Round{ID: "last:" + waiting[0].ToolUse, Text: last, Provenance: model.ReportTurnFinal}
	for _, x := range waiting {
		if !slices.Contains(rest.Completed, x.Item) {
			rest.Completed = append(rest.Completed, x.Item)
		}
		rest.Tools = append(rest.Tools, x.ToolUse)
	}
	return c.rounds(ctx, p.Session, []capture.Round{rest})
}

// rounds delivers rounds, each under a key of its own, and forgets what was pending of them.
func (c *call) rounds(ctx context.Context, session string, list []capture.Round) error {
	var first error
	for _, r := range list {
		err := c.deliver(ctx, spool.Entry{Key: keyOf(c.program, session, r.ID), Items: r.Completed, Text: r.Text, Provenance: r.Provenance})
		if err != nil && first == nil {
			first = err
		}
		if err == nil || spool.Final(err) {
			c.forget(session, r.Tools)
		}
	}
	return first
}

func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "hook-" + hex.EncodeToString(sum[:16])
}

// fromTranscript finds the rounds of pending completions. One that is in no transcript is
// not found; that is an error only when the transcript should not have been read.
func (c *call) fromTranscript(ctx context.Context, p payload, waiting []pending) ([]capture.Round, error) {
	if p.Transcript == "" {
		return nil, nil
	}
	var found []capture.Round
	size := int64(-1)
	for _, pause := range looks {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		all, read, err := c.readTranscript(p.Transcript, p.Subagent != "", size)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if err == nil && read == size {
			continue // nothing was written since
		}
		size = read
		found = slices.DeleteFunc(all, func(r capture.Round) bool {
			return !slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
		})
		if covered(found) == len(waiting) {
			break
		}
	}
	return found, nil
}

func covered(rounds []capture.Round) (n int) {
	for _, r := range rounds {
		n += len(r.Tools)
	}
	return n
}

// programDir is where the program keeps its transcripts; nothing outside is read.
func (c *call) programDir() string {
	variable, name := "CLAUDE_CONFIG_DIR", ".claude"
	if c.program == "codex" {
		variable, name = "CODEX_HOME", ".codex"
	}
	if dir := c.Getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(c.Getenv("HOME"), name)
}

// readTranscript reads the end of a transcript: a regular file inside the program's
// directory, whatever links say. One that still has the size known is not read again.
func (c *call) readTranscript(path string, subagent bool, known int64) ([]capture.Round, int64, error) {
	dir := c.programDir()
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return nil, -1, fmt.Errorf("the transcript %s lies outside of %s; it was not read", model.Text(path), model.Text(dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, -1, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, -1, err
	}
	if !info.Mode().IsRegular() {
		return nil, -1, fmt.Errorf("the transcript %s is not a regular file; it was not read", model.Text(path))
	}
	if info.Size() == known {
		return nil, known, nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, -1, err
	}
	defer f.Close()
	if over := info.Size() - maxTranscript; over > 0 {
		if _, err := f.Seek(over, io.SeekStart); err != nil {
			return nil, -1, err
		}
	}
	var reader capture.Stream = &capture.Claude{Subagent: subagent}
	if c.program == "codex" {
		reader = &capture.Rollout{}
	}
	return completions(io.LimitReader(f, maxTranscript), reader), info.Size(), nil
}

// completions reads line by line; a line that is too long, or cut off, holds nothing.
func completions(r io.Reader, reader capture.Stream) []capture.Round {
	var out []capture.Round
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTranscript)
	for lines.Scan() {
		rounds, _ := reader.Line(lines.Bytes())
		out = append(out, rounds...)
	}
	return capture.Completing(append(out, reader.End()...))
}
