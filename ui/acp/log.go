package acp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/files"
)

// Entry is a line of a session's log. All of its text comes from outside.
type Entry struct {
	At time.Time `json:"at"`
	// Turn begins a turn of the agent; Ended says how one ended.
	Turn  int        `json:"turn,omitempty"`
	Ended model.Text `json:"ended,omitempty"`
	// Prompt is what vise sent; From says who said it.
	Prompt model.Text  `json:"prompt,omitempty"`
	From   model.Actor `json:"from,omitempty"`
	// Update is what the program sent, as the protocol has it. Chunks of one text are joined; long arguments and outputs are cut.
	Update *acp.SessionUpdate `json:"update,omitempty"`
	// Ask is a permission that the program asks for. With Answer, the entry is the answer.
	Ask    *acp.ToolCallUpdate `json:"ask,omitempty"`
	Answer model.Text          `json:"answer,omitempty"`
}

// The bounds of logs, in bytes: when a session's log is set aside at the beginning of a turn, and how much of an agent's is kept.
const (
	maxLog    = 4 << 20
	maxLogs   = 64 << 20
	maxString = 16 << 10
	// flushAt is when what waits to be written is written at once.
	flushAt = 256 << 10
)

// flushEvery is how long chunks are joined before they are written, after the first: a frame of a screen. What comes in it is lost if the
// driver is killed.
const flushEvery = 16 * time.Millisecond

// LogDir is the directory of an agent's session logs.
func LogDir(home string, agent model.AgentID) string {
	return filepath.Join(home, "agents", string(agent), "sessions")
}

// LogPath is the file that keeps what a session said.
func LogPath(home string, agent model.AgentID, session string) string {
	if !model.ValidID(session) {
		session = model.Hash(session)[:32]
	}
	return filepath.Join(LogDir(home, agent), session+".jsonl")
}

// Log writes a session's log. A log that cannot be written loses its lines, not the session; Close returns the error.
type Log struct {
	now func() time.Time

	mu    sync.Mutex // protects all below
	f     *os.File
	lines []byte
	chunk *acp.SessionUpdate
	text  strings.Builder
	begun time.Time
	// wrote is when lines were last written; timer runs until the next are.
	wrote time.Time
	timer *time.Timer
	err   error
}

// OpenLog opens a session's log for a turn. It returns the log's size, which is where the turn begins.
func OpenLog(home string, agent model.AgentID, session string, now func() time.Time) (*Log, int64, error) {
	path := LogPath(home, agent, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, 0, err
	}
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLog {
		aside := fmt.Sprintf("%s.%d.jsonl", strings.TrimSuffix(path, ".jsonl"), now().UnixMilli())
		if err := os.Rename(path, aside); err != nil {
			return nil, 0, err
		}
		removeOld(filepath.Dir(path), path)
	}
	f, err := files.OpenRegular(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	l := &Log{now: now, f: f}
	if info.Size() > 0 { // a half line of a driver that was killed
		l.lines = []byte("\n")
	}
	return l, info.Size(), nil
}

// removeOld removes the oldest logs of an agent until they fit, but not the log in use.
func removeOld(dir, inUse string) {
	var all []fs.FileInfo
	var size int64
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		if info, err := x.Info(); err == nil && strings.HasSuffix(x.Name(), ".jsonl") {
			all = append(all, info)
			size += info.Size()
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, x := range all {
		if path := filepath.Join(dir, x.Name()); size > maxLogs && path != inUse && os.Remove(path) == nil {
			size -= x.Size()
		}
	}
}

// textOf returns the text of a chunk of words or thoughts, and which text it belongs to.
func textOf(u acp.SessionUpdate) (text *string, of string) {
	switch {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		return &u.AgentMessageChunk.Content.Text.Text, "words " + given(u.AgentMessageChunk.MessageId)
	case u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Content.Text != nil:
		return &u.AgentThoughtChunk.Content.Text.Text, "thought " + given(u.AgentThoughtChunk.MessageId)
	}
	return nil, ""
}

// given returns what an optional field holds.
func given[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}

// Update adds what a program sent. It must own u.
func (l *Log) Update(u acp.SessionUpdate) {
	text, of := textOf(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if text != nil {
		if l.chunk != nil {
			if _, open := textOf(*l.chunk); open != of {
				l.endChunk()
			}
		}
		if l.chunk == nil {
			l.chunk, l.begun = &u, l.now()
		}
		l.text.WriteString(*text)
		l.soon()
		return
	}
	if u.AvailableCommandsUpdate != nil || u.ConfigOptionUpdate != nil { // large, and nobody reads them
		return
	}
	l.add(Entry{Update: &u})
}

// Add adds an entry of vise's own.
func (l *Log) Add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(e)
}

func (l *Log) add(e Entry) {
	l.endChunk()
	e.At = l.now().UTC()
	l.write(e)
	l.soon()
}

// endChunk makes a line of the text that is being joined.
func (l *Log) endChunk() {
	if l.chunk == nil {
		return
	}
	text, _ := textOf(*l.chunk)
	*text = l.text.String()
	l.write(Entry{At: l.begun.UTC(), Update: l.chunk})
	l.chunk = nil
	l.text.Reset()
}

func (l *Log) write(e Entry) {
	line, err := json.Marshal(e)
	if err == nil && len(line) > maxString && e.Update != nil && e.Update.AgentMessageChunk == nil {
		line, err = cutStrings(line)
	}
	if err != nil {
		l.err = errors.Join(l.err, err)
		return
	}
	l.lines = append(append(l.lines, line...), '\n')
}

// cutStrings cuts each long text in a JSON value. Its end is kept too: there is how a command ended.
func cutStrings(line []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, err
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			if len(v) <= maxString {
				return v
			}
			head, tail := v[:maxString/2], v[len(v)-maxString/4:]
			return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", strings.ToValidUTF8(head, ""), len(v)-len(head)-len(tail),
				strings.ToValidUTF8(tail, ""))
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name])
			}
		}
		return v
	}
	return json.Marshal(walk(v))
}

// soon writes the lines at once if the last were written flushEvery ago, or if there are many, else then.
func (l *Log) soon() {
	since := l.now().Sub(l.wrote)
	switch {
	case since >= flushEvery, since < 0, len(l.lines)+l.text.Len() >= flushAt:
		l.flush()
	case l.timer == nil:
		l.timer = time.AfterFunc(flushEvery-since, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.timer = nil
			l.flush()
		})
	}
}

// flush writes what was added so far.
func (l *Log) flush() {
	l.endChunk()
	if len(l.lines) == 0 || l.f == nil {
		return
	}
	_, err := l.f.Write(l.lines)
	l.err = errors.Join(l.err, err)
	l.lines, l.wrote = l.lines[:0], l.now()
}

// Close writes the rest.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	err := l.f.Close()
	l.f = nil
	return errors.Join(l.err, err)
}

// ReadLog reads the entries of a log from an offset on, and where the next ones will be. A line that is not complete yet is left for then;
// one that does not read is skipped.
func ReadLog(path string, from int64) (all []Entry, next int64, err error) {
	f, err := files.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	in := bufio.NewReader(io.NewSectionReader(f, from, 1<<62))
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return all, from, nil
		}
		from += int64(len(line))
		var e Entry
		if json.Unmarshal(line, &e) == nil && utf8.Valid(line) {
			all = append(all, e)
		}
	}
}

// MaxRead is how much of the end of what a session said is read at most, in bytes.
const MaxRead = 2 << 20

// Earlier says where the rest of what a session said is.
func Earlier(path string) Entry {
	return Entry{Ended: model.Textf("earlier words are in %s", model.Text(path))}
}

// ReadEnd is ReadLog for those who follow a session: it goes on where a log was set aside. From the beginning it reads the end of all its
// logs, at most that many bytes.
func ReadEnd(path string, from, most int64) (all []Entry, next int64, err error) {
	if info, err := os.Lstat(path); err != nil || from > 0 && info.Size() >= from {
		return ReadLog(path, from)
	}
	var logs []fs.FileInfo // in their order
	list, _ := files.ReadDir(filepath.Dir(path))
	for _, x := range list {
		info, err := x.Info()
		if err == nil && strings.HasPrefix(x.Name(), strings.TrimSuffix(filepath.Base(path), "jsonl")) {
			logs = append(logs, info)
		}
	}
	at := len(logs) - 1
	if from > 0 {
		at--
	} else if at >= 0 {
		for ; at > 0 && logs[at].Size() <= most; at-- {
			most -= logs[at].Size()
		}
		if from = max(0, logs[at].Size()-most); from > 0 {
			all = []Entry{Earlier(path)}
		}
	}
	for _, x := range logs[max(at, 0):] {
		more, to, err := ReadLog(filepath.Join(filepath.Dir(path), x.Name()), from)
		if err != nil {
			return nil, 0, err
		}
		all, next, from = append(all, more...), to, 0
	}
	return all, next, nil
}
