package agents

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"vise/model"
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
// sessions that a driver runs are counted by it. It returns why a call of vise's tools was refused, if none of the session's succeeded.
func Count(h home.Sessions, s home.Session, most int64) (refused string) {
	if driven(s) {
		return ""
	}
	f, size, err := openOf(os.Getenv, s)
	if err != nil || size <= s.Count.Read {
		return "" // it may come later
	}
	defer f.Close()
	open := map[string]bool{} // vise's tools that have not answered
	in := bufio.NewReaderSize(io.NewSectionReader(f, s.Count.Read, size-s.Count.Read), 64<<10)
	for end := s.Count.Read + most; s.Count.Read < end; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		s.Count.Read += int64(len(line))
		if len(open) == 0 && !bytes.Contains(line, []byte("okens")) && !bytes.Contains(line, []byte("vise")) {
			continue
		}
		l := transcript.Read(s.Program, bytes.TrimSpace(line))
		s.Count.Add(l.At.UTC().Format(time.DateOnly), l.Reply, l.Usage)
		for _, u := range l.Calls {
			if transcript.IsOurs(u.Tool) {
				open[u.ID] = true
			}
		}
		for _, a := range l.Answers {
			if open[a.ID] {
				s.Count.Served, refused = s.Count.Served || !a.Failed, a.Text()
			}
			delete(open, a.ID)
		}
	}
	h.KeepCount(s)
	if s.Count.Served {
		return ""
	}
	return refused
}

// driven reports whether a driver counts what a session uses.
func driven(s home.Session) bool { return s.Driver.PID != 0 || s.Count.Driven }

// countsPlugin counts the replies that OpenCode's plugin tells. It tells all of them again after a restart; their ids ascend.
func (c *call) countsPlugin(p payload) {
	s, ok := c.home.SessionOf(c.agent, c.program, c.session)
	if !ok || driven(s) || len(p.Used) == 0 {
		return
	}
	for _, u := range p.Used {
		if u.ID > s.Count.Reply {
			s.Count.Add(time.UnixMilli(u.At).UTC().Format(time.DateOnly), u.ID, model.Usage{InputTokens: u.Input, OutputTokens: u.Output})
		}
	}
	c.home.KeepCount(s)
}

// everyCall is what a note names as the tool if all calls of vise's tools were refused: that needs a person. It stays after the session's
// end, until a call of its program succeeds or somebody hides it.
const everyCall = "every call of vise's tools"

// counts counts what the session has used, and notes that all its calls were refused.
func (c *call) counts(ctx context.Context, p payload) error {
	s, ok := c.home.SessionOf(c.agent, c.program, c.session)
	if !ok || p.Subagent != "" {
		return nil
	}
	why := Count(c.home.Sessions, s, maxCounted)
	if why == "" || c.busy || !c.once("refused", c.session) {
		return nil
	}
	ask := model.AskPermission{AgentID: c.agent, Program: model.Text(c.program), Session: model.Text(c.session), Tool: everyCall,
		Input: model.Text(why), Refused: true}
	return c.deliver(ctx, home.HookReport{Key: home.NewKey(), Ask: &ask})
}
