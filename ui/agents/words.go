package agents

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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
	// maxTranscript bounds how much of a transcript is read for one completion.
	maxTranscript = 16 << 20
	// maxReply bounds how far before a completion's place in the transcript its reply may begin.
	maxReply = 2 << 20
	// turnAge is how long a completion waits for the end of its turn. After that any process with the home open brings its text.
	turnAge = 30 * time.Second
)

// readPauses are the pauses before each read of a transcript. The program writes it late, by 0.2 to 5 s as measured. endPauses are used at
// the end of a session, since the program does not wait longer for that hook.
var (
	readPauses = []time.Duration{0, 200 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}
	endPauses  = readPauses[:3]
)

// fromTranscript finds the rounds of pending completions. A completion that is in no transcript is left out. That is an error only if the
// transcript should not have been read.
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
		if err != nil && !files.IsGone(err) {
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

// transcripts returns the directory of the program's transcripts.
func (c *call) transcripts() string {
	at := programOf(c.program).config
	return Options{Getenv: c.Getenv}.dir(at[0], at[1:]...)
}

// openOf opens the transcript of a session.
func openOf(getenv func(string) string, s home.Session) (f *os.File, size int64, err error) {
	p := programOf(s.Program)
	if p.transcript == nil || s.Transcript == "" {
		return nil, 0, model.Refused("%s keeps no transcript that vise reads", s.Program)
	}
	return openTranscript(Options{Getenv: getenv}.dir(p.config[0], p.config[1:]...), s.Transcript)
}

// openTranscript opens a regular file inside the program's directory; links cannot lead outside.
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

// readTranscript reads the rounds of pending completions. It reads from each completion's place to the end of its reply, however long the
// transcript is. If the place is unknown, it reads the end of the transcript.
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
		for _, r := range c.scan(io.NewSectionReader(f, from, maxTranscript), subagent, waiting) {
			isNew := !slices.ContainsFunc(found, func(y transcript.Round) bool { return y.ID == r.ID })
			if isNew && slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) }) {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

// scan reads completing rounds until it has those of all that wait, or to the end if none is named.
func (c *call) scan(r io.Reader, subagent bool, waiting []pending) (all []transcript.Round) {
	in := programOf(c.program).transcript(subagent)
	if r, ok := in.(*transcript.Replies); ok {
		r.Done = c.done
	}
	c.eachRound(r, in, func(r transcript.Round) bool {
		all = append(all, r)
		return len(waiting) == 0 || slices.ContainsFunc(waiting, func(x pending) bool { return !x.isIn(all) })
	})
	return transcript.Completing(all)
}

// finalText returns the final text of a transcript: the text of a reply that calls nothing. It is used for programs whose hook does not
// give that text alone.
func (c *call) finalText(ctx context.Context, p payload) string {
	for _, pause := range readPauses {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		f, size, err := openTranscript(c.transcripts(), p.Transcript)
		if err != nil {
			continue // the text may not be written yet
		}
		in := programOf(c.program).transcript(false)
		var end transcript.Round
		c.eachRound(io.NewSectionReader(f, max(0, size-maxReply), maxReply), in, func(r transcript.Round) bool {
			end = r
			return true
		})
		f.Close()
		if in.(interface{ Ends() bool }).Ends() {
			return end.Text.Raw() // raw: compared with read text, not shown
		}
	}
	return ""
}

// lines reads a transcript line by line.
type lines interface {
	Line([]byte) []transcript.Round
	// Open returns the rounds that have not ended, as they are so far.
	Open() []transcript.Round
}

// eachRound calls visit for each round until visit returns false. A line that is cut off at either end is ignored.
func (c *call) eachRound(r io.Reader, in lines, visit func(transcript.Round) bool) {
	p, source := programOf(c.program), bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := source.ReadBytes('\n')
		rounds := in.Line(bytes.TrimSpace(line))
		if err != nil {
			rounds = append(rounds, in.Open()...)
		}
		for _, r := range rounds {
			if p.unnamed {
				r.Tools = r.Completed // pending completions use these names
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

// rolloutOf matches a Codex session id, which is part of the transcript's file name.
var rolloutOf = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// unhooked delivers the completions of a Codex session whose hooks nobody has trusted. Codex then calls only notify, at the end of each
// turn.
func (c *call) unhooked(ctx context.Context, p payload) error {
	heard := func(s home.Session) bool { return s.ID == c.session }
	if !rolloutOf.MatchString(c.session) || slices.ContainsFunc(c.home.LiveSessions(c.agent), heard) {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(c.transcripts(), "sessions", "*", "*", "*", "rollout-*-"+c.session+".jsonl"))
	if err != nil || len(paths) != 1 {
		return err
	}
	f, size, err := openTranscript(c.transcripts(), paths[0])
	if err != nil {
		return err
	}
	defer f.Close()
	var fresh []transcript.Round
	for _, r := range c.scan(io.NewSectionReader(f, max(0, size-maxTranscript), maxTranscript), false, nil) {
		if c.once("unhooked", c.session+r.ID) {
			fresh = append(fresh, r)
		}
	}
	return c.rounds(ctx, withFinal(p, fresh, nil))
}

// TakePending brings the text of completions whose turn ended without a report, because its program was killed or interrupted. Every
// process that has the home open calls it.
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

// takePending delivers the text that a session's completions have by now. A completion whose text is missing or only an announcement stays
// until the end of the turn, and is tried again after twice the time.
func (c *call) takePending(ctx context.Context, dir string) {
	all := c.recallIn(dir)
	for _, x := range all {
		c.done = append(c.done, x.ToolUse)
	}
	for _, x := range all {
		c.session = x.Session
		path := c.pendingPath(x.ToolUse)
		tried, err := os.Lstat(path)
		age := c.Now().Sub(x.At)
		if err != nil || ctx.Err() != nil || age < max(turnAge, 2*tried.ModTime().Sub(x.At)) {
			continue
		}
		_ = os.Chtimes(path, time.Time{}, c.Now())
		c.agent = cmp.Or(x.Agent, model.AgentID(c.program))
		for _, r := range c.known(x, all) {
			if r.Unanswered || r.Text == "" {
				continue
			}
			if r.Waits() {
				r.Tools = nil // the round is delivered, but its completion stays pending
			}
			_ = c.rounds(ctx, []transcript.Round{r}) // tried again if it fails
		}
	}
}

// known returns the rounds of a pending completion that can be read now, given all pending completions of its session.
func (c *call) known(x pending, all []pending) []transcript.Round {
	switch {
	case x.Round != nil:
		r := *x.Round
		for _, y := range all { // the same reply may have completed others
			if y.Round != nil && y.Round.ID == r.ID && y.ToolUse != x.ToolUse {
				r.Completed, r.Tools = append(r.Completed, y.Item), append(r.Tools, y.ToolUse)
			}
		}
		return []transcript.Round{r}
	case x.Transcript == "" || x.Subagent != "":
		return nil
	}
	found, _ := c.readTranscript(x.Dir, x.Transcript, false, []pending{x}) // the transcript may have been deleted
	return found
}
