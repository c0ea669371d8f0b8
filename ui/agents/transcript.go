package agents

import (
	"bytes"
	"context"
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
		found = slices.DeleteFunc(all, func(r transcript.Round) bool {
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

// readTranscript reads the completing rounds of a regular file inside the program's directory,
// whatever links say. A line that is cut off at either end of what is read holds nothing.
func (c *call) readTranscript(p payload) ([]transcript.Round, error) {
	at := programOf(c.program).transcripts
	dir := Options{Getenv: c.Getenv}.dir(at[0], at[1])
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
	var in interface {
		Line([]byte) ([]transcript.Round, error)
		Open() []transcript.Round
	} = &transcript.Claude{Subagent: p.Subagent != ""}
	if c.program == "codex" {
		in = &transcript.Rollout{}
	}
	var all []transcript.Round
	for line := range bytes.Lines(raw) {
		rounds, _ := in.Line(bytes.TrimSpace(line))
		all = append(all, rounds...)
	}
	return transcript.Completing(append(all, in.Open()...)), nil
}
