package agents

import (
	"bytes"
	"cmp"
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
	"vise/store/home"
	"vise/ui/transcript"
)

// stopped delivers what the session, or one of its subagents, completed since its last stop. An
// agent that is about to rest reads urgent messages first; a program that goes on because it was
// asked to is not asked again.
func (c *call) stopped(ctx context.Context, p payload) error {
	waiting := c.recall(p.Session)
	if c.event == "SubagentStop" {
		p.Transcript = p.SubagentIn
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return x.Subagent == "" || x.Subagent != p.Subagent })
	}
	if programOf(c.program).unnamed {
		p.Last = c.lastWords(p)
	}
	asked, err := c.report(ctx, p, waiting)
	if !asked && c.event != "SubagentStop" {
		err = cmp.Or(err, c.summary(ctx, p.Session, transcript.Words(p.Last)))
	}
	if err != nil || asked || c.event != "Stop" {
		return err
	}
	if !p.Active {
		if text := c.urgent(ctx); text != "" {
			return c.block(text)
		}
	}
	return c.awaitInServer(p)
}

// lastWords are those that a transcript ends with, where the program's hook does not tell them, or not
// them alone.
func (c *call) lastWords(p payload) string {
	all, err := c.readTranscript(p)
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Text.Raw()
}

// summary delivers the words that a session, or one of its turns, ended with: the next one is
// told of them.
func (c *call) summary(ctx context.Context, session string, words model.Text) error {
	if words == "" {
		return nil
	}
	key := keyOf(c.program, session, "summary", words.Raw()) // raw: hashed, not shown
	return c.deliver(ctx, home.HookReport{Key: key, Text: words})
}

// report delivers the words of what was completed. Asked: where the operator wants that, the
// agent is asked once for those that are missing; what it says then is a turn's final text,
// which is offered, not promoted.
func (c *call) report(ctx context.Context, p payload, waiting []pending) (asked bool, err error) {
	if len(waiting) == 0 {
		return false, nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting)
	var silent []string
	for _, r := range rounds {
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
		if r.Text == "" && len(r.Completed) == 1 {
			silent = append(silent, r.Completed...)
		}
	}
	for _, x := range waiting {
		silent = append(silent, x.Item)
	}
	if c.askReport && !p.Active && len(silent) > 0 {
		return true, c.block("You completed " + strings.Join(silent, ", ") + " with no report text. " +
			"Write the report now: what was done, how it was checked, what is left.")
	}
	return false, cmp.Or(c.rounds(ctx, p.Session, withFinal(p, rounds, waiting)), err)
}

// withFinal gives what has no words of its own, or only announces, the turn's final text, as an
// offer. A session that will go on by itself has none yet.
func withFinal(p payload, found []transcript.Round, waiting []pending) (rounds []transcript.Round) {
	final := transcript.Words(p.Last)
	for _, r := range found {
		rounds = append(rounds, r.WithFinal(final)...)
	}
	if len(p.Background)+len(p.Crons) > 0 || len(waiting) == 0 {
		return rounds
	}
	rest := transcript.Round{ID: "last:" + waiting[0].ToolUse, Text: final, Provenance: model.ReportTurnFinal}
	for _, x := range waiting {
		if !slices.Contains(rest.Completed, x.Item) {
			rest.Completed = append(rest.Completed, x.Item)
		}
		rest.Tools = append(rest.Tools, x.ToolUse)
	}
	return append(rounds, rest)
}

// rounds delivers rounds, each under a key of its own, and forgets what was pending of them.
func (c *call) rounds(ctx context.Context, session string, list []transcript.Round) error {
	var first error
	for _, r := range list {
		key := keyOf(c.program, session, r.ID)
		err := c.deliver(ctx, home.HookReport{Key: key, Items: r.Completed, Text: r.Text, Provenance: r.Provenance})
		if err != nil && first == nil {
			first = err
		}
		if err == nil || home.RefusedForGood(err) {
			c.forget(session, r.Tools)
		}
	}
	return first
}

func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "hook-" + hex.EncodeToString(sum[:16])
}

// maxTranscript bounds what is read of a transcript: its end.
const maxTranscript = 16 << 20

// readPauses are the pauses before each reading of a transcript. The program writes it late, by
// 0.2 to 5 s as measured.
var readPauses = []time.Duration{0, 200 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}

// fromTranscript finds the rounds of pending completions. One that is in no transcript is
// not found; that is an error only when the transcript should not have been read.
func (c *call) fromTranscript(ctx context.Context, p payload, waiting []pending) ([]transcript.Round, error) {
	if p.Transcript == "" {
		return nil, nil
	}
	var found []transcript.Round
	for _, pause := range readPauses {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		all, err := c.readTranscript(p)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		found = slices.DeleteFunc(transcript.Completing(all), func(r transcript.Round) bool {
			return !slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
		})
		calls := 0
		for _, r := range found {
			calls += len(r.Tools)
		}
		if calls == len(waiting) {
			break
		}
	}
	return found, nil
}

// readTranscript reads the rounds of a regular file inside the program's directory,
// whatever links say. A line that is cut off at either end of what is read holds nothing.
func (c *call) readTranscript(p payload) ([]transcript.Round, error) {
	at := programOf(c.program).transcripts
	dir := Options{Getenv: c.Getenv}.dir(at[0], at[1:]...)
	name, err := filepath.Rel(dir, p.Transcript)
	if err != nil || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the transcript %s lies outside of %s; it was not read", model.Text(p.Transcript), model.Text(dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the transcript %s is not a regular file; it was not read", model.Text(p.Transcript))
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTranscript), maxTranscript))
	if err != nil {
		return nil, err
	}
	in := programOf(c.program).transcript(p.Subagent != "")
	var all []transcript.Round
	for line := range bytes.Lines(raw) {
		rounds, _ := in.Line(bytes.TrimSpace(line))
		all = append(all, rounds...)
	}
	all = append(all, in.Open()...)
	if programOf(c.program).unnamed {
		for i, r := range all {
			all[i].Tools = r.Completed // as what is pending is named
		}
	}
	return all, nil
}

// lines reads a transcript line by line.
type lines interface {
	Line([]byte) ([]transcript.Round, error)
	// Open are the rounds that nothing ended yet, as they are so far.
	Open() []transcript.Round
}
