package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/ui/transcript"
)

// maxTranscript bounds what one look reads of a transcript; the first one reads its end.
const maxTranscript = 16 << 20

// looks are the pauses before each look at a transcript. The program writes it late, and
// has written it by the third look or not at all (console.md §4.2 measured 0.2 to 5 s).
var looks = []time.Duration{0, 200 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}

// fromTranscript finds the rounds of pending completions. One that is in no transcript is
// not found; that is an error only when the transcript should not have been read.
func (c *call) fromTranscript(ctx context.Context, p payload, waiting []pending) ([]transcript.Round, error) {
	if p.Transcript == "" {
		return nil, nil
	}
	t := c.transcript(p)
	var found []transcript.Round
	for _, pause := range looks {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			break
		}
		if err := t.look(); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		found = slices.DeleteFunc(t.rounds(), func(r transcript.Round) bool {
			return !slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
		})
		if covered(found) == len(waiting) {
			break
		}
	}
	return found, nil
}

func covered(rounds []transcript.Round) (n int) {
	for _, r := range rounds {
		n += len(r.Tools)
	}
	return n
}

// transcriptFile is a program's file that grows between looks. What was read is not read again.
type transcriptFile struct {
	dir, path string
	reader    func() reader

	file os.FileInfo
	// at is where the last look ended, part what it had of an unfinished line.
	at   int64
	part []byte
	in   reader
	over []transcript.Round
}

// reader makes rounds of lines, and says what the last of them is like so far.
type reader interface {
	Line([]byte) ([]transcript.Round, error)
	Open() []transcript.Round
}

func (c *call) transcript(p payload) *transcriptFile {
	return &transcriptFile{dir: c.programDir(), path: p.Transcript, reader: func() reader {
		if c.program == "codex" {
			return &transcript.Rollout{}
		}
		return &transcript.Claude{Subagent: p.Subagent != ""}
	}}
}

// programDir is where the program keeps its transcripts; nothing outside is read.
func (c *call) programDir() string {
	at := programOf(c.program).transcripts
	return Options{Getenv: c.Getenv}.dir(at[0], at[1])
}

// rounds are the completing rounds that were read.
func (t *transcriptFile) rounds() []transcript.Round {
	if t.in == nil {
		return nil
	}
	return transcript.Completing(slices.Concat(t.over, t.in.Open()))
}

// look reads on in a regular file inside the program's directory, whatever links say. A
// file that was replaced, or is shorter, is another one.
func (t *transcriptFile) look() error {
	name, err := filepath.Rel(t.dir, t.path)
	if err != nil || !filepath.IsLocal(name) {
		return fmt.Errorf("the transcript %s lies outside of %s; it was not read", model.Text(t.path), model.Text(t.dir))
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("the transcript %s is not a regular file; it was not read", model.Text(t.path))
	}
	if t.file == nil || !os.SameFile(t.file, info) || info.Size() < t.at {
		t.at, t.part, t.in, t.over = max(0, info.Size()-maxTranscript), nil, t.reader(), nil
	}
	if t.file = info; info.Size() == t.at {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.read(f)
}

// read takes what is new. A line that is cut off waits for its end, which no look may see:
// the last line of some files has none.
func (t *transcriptFile) read(f *os.File) error {
	fresh := make([]byte, min(t.file.Size()-t.at, maxTranscript))
	n, err := f.ReadAt(fresh, t.at)
	t.at += int64(n)
	for line := range bytes.Lines(fresh[:n]) {
		if len(t.part) > 0 {
			t.part = append(t.part, line...)
			line = t.part
		}
		if !bytes.HasSuffix(line, []byte("\n")) && !json.Valid(line) {
			t.part = bytes.Clone(line)
			break
		}
		rounds, _ := t.in.Line(bytes.TrimSpace(line))
		t.over, t.part = append(t.over, rounds...), nil
	}
	if len(t.part) > maxTranscript {
		t.part = nil
	}
	if errors.Is(err, io.EOF) {
		return nil // it became shorter; the next look begins anew
	}
	return err
}
