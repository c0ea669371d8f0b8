package agents

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"time"

	"vise/store/home"
	"vise/ui/transcript"
)

// maxCounted bounds what a hook reads of a transcript to count it. What is left is counted at the next turn's end, or by vise cost.
const maxCounted = 1 << 20

// CountAll counts what the sessions that people run have used since they were counted last.
func CountAll(h home.Sessions) {
	for _, s := range h.Known(nil) {
		Count(h, s, 1<<62)
	}
}

// Count adds up what a session has used, from where its transcript was read last. It reads at most about the first bytes after that. The
// sessions that a driver runs are counted by it.
func Count(h home.Sessions, s home.Session, most int64) {
	at := programOf(s.Program).transcripts
	if at == nil || s.Transcript == "" || s.Driver.PID != 0 || s.Count.Driven {
		return
	}
	f, size, err := openTranscript(Options{Getenv: os.Getenv}.dir(at[0], at[1:]...), s.Transcript)
	if err != nil || size <= s.Count.Read {
		return // it may come later
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.NewSectionReader(f, s.Count.Read, size-s.Count.Read), 64<<10)
	for end := s.Count.Read + most; s.Count.Read < end; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		s.Count.Read += int64(len(line))
		if bytes.Contains(line, []byte("okens")) {
			l, _ := transcript.Read(s.Program, bytes.TrimSpace(line))
			s.Count.Add(l.At.UTC().Format(time.DateOnly), l.Reply, l.Usage)
		}
	}
	h.KeepCount(s)
}

// counts counts what the session has used.
func (c *call) counts(p payload) {
	if s, ok := c.home.SessionOf(c.program, c.session); ok && p.Subagent == "" {
		Count(c.home.Sessions, s, maxCounted)
	}
}
