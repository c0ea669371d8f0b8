package agents

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/transcript"
)

const (
	// maxTranscript bounds what is read of a transcript for one completion.
	maxTranscript = 16 << 20
	// maxReply is how far before the end that a transcript had at a completion its reply may begin.
	maxReply = 2 << 20
	// turnAge is how long a completion waits for the end of its turn; then whoever uses vise brings its words.
	turnAge = 30 * time.Second
)

// readPauses are the pauses before each reading of a transcript. The program writes it late, by
// 0.2 to 5 s as measured. endPauses are those at the end of a session, which waits for no hook longer.
var (
	readPauses = []time.Duration{0, 200 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}
	endPauses  = readPauses[:3]
)

// fromTranscript finds the rounds of pending completions. One that is in no transcript is
// not found; that is an error only when the transcript should not have been read.
func (c *call) fromTranscript(ctx context.Context, p payload, waiting []pending, pauses []time.Duration) ([]transcript.Round, error) {
	if p.Transcript == "" {
		return nil, nil
	}
	var found []transcript.Round
	var err error
	for _, pause := range pauses {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		found, err = c.readTranscript(c.transcripts(), p.Transcript, p.Subagent != "", waiting)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !slices.ContainsFunc(waiting, func(x pending) bool { return !x.isIn(found) }) {
			break
		}
	}
	return found, nil
}

// isIn reports whether one of the rounds completed it.
func (x pending) isIn(list []transcript.Round) bool {
	return slices.ContainsFunc(list, func(r transcript.Round) bool { return slices.Contains(r.Tools, x.ToolUse) })
}

// transcripts is the directory in which the program keeps its own.
func (c *call) transcripts() string {
	at := programOf(c.program).transcripts
	return Options{Getenv: c.Getenv}.dir(at[0], at[1:]...)
}

// openTranscript opens a regular file inside the program's directory, whatever links say.
func openTranscript(dir, path string) (f *os.File, size int64, err error) {
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return nil, 0, fmt.Errorf("the transcript %s lies outside of %s; it was not read", model.Text(path), model.Text(dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("the transcript %s is not a regular file; it was not read", model.Text(path))
	}
	f, err = root.Open(name)
	return f, info.Size(), err
}

// readTranscript reads the rounds of pending completions, each from its place in the transcript on, however
// much follows; where that is not known, in the transcript's end.
func (c *call) readTranscript(dir, path string, subagent bool, waiting []pending) (found []transcript.Round, err error) {
	f, size, err := openTranscript(dir, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read := int64(-1)
	for _, x := range waiting {
		from := max(0, size-maxTranscript)
		if x.Transcript == path && x.Place <= size {
			from = max(0, x.Place-maxReply)
		}
		if from == read || x.isIn(found) {
			continue
		}
		read = from
		for _, r := range c.scan(io.NewSectionReader(f, from, maxTranscript), subagent, x) {
			isNew := !slices.ContainsFunc(found, func(y transcript.Round) bool { return y.ID == r.ID })
			if isNew && slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) }) {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

// scan reads completing rounds up to the one that is looked for.
func (c *call) scan(r io.Reader, subagent bool, x pending) (all []transcript.Round) {
	in := programOf(c.program).transcript(subagent)
	if claude, ok := in.(*transcript.Claude); ok {
		claude.Done = c.done
	}
	c.eachRound(r, in, func(r transcript.Round) bool {
		all = append(all, r)
		return !x.isIn(all)
	})
	return transcript.Completing(all)
}

// finalText is what a transcript ends with, where the program's hook does not tell it, or not it alone: of a
// reply that calls nothing.
func (c *call) finalText(ctx context.Context, p payload) string {
	for _, pause := range readPauses {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		f, size, err := openTranscript(c.transcripts(), p.Transcript)
		if err != nil {
			continue // it may be written yet
		}
		in := programOf(c.program).transcript(false)
		var end transcript.Round
		c.eachRound(io.NewSectionReader(f, max(0, size-maxReply), maxReply), in, func(r transcript.Round) bool {
			end = r
			return true
		})
		f.Close()
		if in.(interface{ Ends() bool }).Ends() {
			return end.Text.Raw() // raw: compared with what was read, not shown
		}
	}
	return ""
}

// lines reads a transcript line by line.
type lines interface {
	Line([]byte) ([]transcript.Round, error)
	// Open are the rounds that nothing ended yet, as they are so far.
	Open() []transcript.Round
}

// eachRound visits rounds as long as that is asked for. A line that is cut off at either end holds nothing.
func (c *call) eachRound(r io.Reader, in lines, visit func(transcript.Round) bool) {
	p, source := programOf(c.program), bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := source.ReadBytes('\n')
		rounds, _ := in.Line(bytes.TrimSpace(line))
		if err != nil {
			rounds = append(rounds, in.Open()...)
		}
		for _, r := range rounds {
			if p.unnamed {
				r.Tools = r.Completed // as what is pending is named
			}
			if !visit(r) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// rolloutOf is how Codex names a session, and with it its transcript.
var rolloutOf = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// unhooked delivers what a session of Codex's completed whose hooks nobody has trusted: then notify alone is
// called, at the end of each turn.
func (c *call) unhooked(ctx context.Context, p payload) error {
	heard := func(s home.Session) bool { return s.ID == p.Session }
	if !rolloutOf.MatchString(p.Session) || slices.ContainsFunc(c.home.LiveSessions(model.AgentID(c.agent)), heard) {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(c.transcripts(), "sessions", "*", "*", "*", "rollout-*-"+p.Session+".jsonl"))
	if err != nil || len(paths) != 1 {
		return err
	}
	f, size, err := openTranscript(c.transcripts(), paths[0])
	if err != nil {
		return err
	}
	defer f.Close()
	var fresh []transcript.Round
	for _, r := range c.scan(io.NewSectionReader(f, max(0, size-maxTranscript), maxTranscript), false, pending{}) {
		if c.once("unhooked", p.Session+r.ID) {
			fresh = append(fresh, r)
		}
	}
	return c.rounds(ctx, p.Session, withFinal(p, fresh, nil))
}

// TakePending brings the words of completions whose turn ended without a word of it: its program was killed,
// or interrupted. Whoever has the home open does it.
func TakePending(ctx context.Context, h *home.Home, now time.Time) {
	for _, p := range programs {
		root := stateDir(h.Dir(), p.name, "pending")
		sessions, _ := files.ReadDir(root)
		for _, session := range sessions {
			c := &call{Streams: Streams{Now: func() time.Time { return now }}, program: p.name, home: h}
			c.takePending(ctx, filepath.Join(root, session.Name()))
		}
	}
}

// takePending delivers the words that a session's completions have by now. What has none yet, or only announces,
// stays for the end of the turn, and is looked for again after twice the time.
func (c *call) takePending(ctx context.Context, dir string) {
	all := c.recallIn(dir)
	for _, x := range all {
		c.done = append(c.done, x.ToolUse)
	}
	for _, x := range all {
		path := c.pendingPath(x.Session, x.ToolUse)
		tried, err := os.Lstat(path)
		age := c.Now().Sub(x.At)
		if err != nil || ctx.Err() != nil || age < max(turnAge, 2*tried.ModTime().Sub(x.At)) {
			continue
		}
		_ = os.Chtimes(path, time.Time{}, c.Now())
		c.agent = cmp.Or(string(x.Agent), c.program)
		for _, r := range c.known(x, all) {
			if r.Unanswered || r.Text == "" {
				continue
			}
			if r.Waits() {
				r.Tools = nil // it is delivered, and stays pending
			}
			_ = c.rounds(ctx, x.Session, []transcript.Round{r}) // what fails is tried again
		}
	}
}

// known are the rounds of a pending completion among all of its session, as far as they can be read by anybody.
func (c *call) known(x pending, all []pending) []transcript.Round {
	switch {
	case x.Round != nil:
		r := *x.Round
		for _, y := range all { // what the same reply completed
			if y.Round != nil && y.Round.ID == r.ID && y.ToolUse != x.ToolUse {
				r.Completed, r.Tools = append(r.Completed, y.Item), append(r.Tools, y.ToolUse)
			}
		}
		return []transcript.Round{r}
	case x.Transcript == "" || x.Subagent != "":
		return nil
	}
	found, _ := c.readTranscript(x.Dir, x.Transcript, false, []pending{x}) // a transcript may be gone
	return found
}
