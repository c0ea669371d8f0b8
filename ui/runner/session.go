package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/transcript"
)

// session is a program that runs over the Agent Client Protocol, and its session of an agent and an item. The program outlives a turn: the
// next turn on the same item goes on with it. Turns on other items end it, and so does idleFor without a turn.
type session struct {
	*worker
	spec   acp.Program
	dir    string
	client *acp.Client
	input  *os.File
	stderr *files.Tail
	// stop ends the program; over is closed when it and its descendants have ended, and then how holds.
	stop context.CancelCauseFunc
	over chan struct{}
	how  processResult
	fail error
	idle *time.Timer

	mu sync.Mutex // protects all below
	// kept is what the home knows of the session.
	kept home.Session
	// live is the conversation of the turn in progress, or nil. What comes without one is not kept: it repeats an old session.
	live *conversation
	// heard is when the program sent something last.
	heard time.Time
	// usage is what the session used before the turn in progress.
	usage acp.Usage
}

// idleFor is how long a program is kept without a turn. It holds some 300 MB.
const idleFor = 10 * time.Minute

// conversation is what a session says in one turn.
type conversation struct {
	*turn
	s       *session
	log     *acp.Log
	replies acp.Replies
	usage   acp.Usage
	// rounds wait for the ledger, which must not delay the program; more signals them. said counts those that it was given.
	rounds []transcript.Round
	more   chan struct{}
	said   int
	// news signals that messages wait for the agent.
	news chan struct{}
	// ends ends with the conversation, or when the turn is to end.
	ends context.Context
	end  context.CancelFunc
	// answering are the permissions and questions that are being answered. asking counts those that wait.
	answering sync.WaitGroup
	asking    atomic.Int32
	// tokens are how many the turn may use; 0: any number.
	tokens int64
	// questions are the waits whose answers go to the program.
	questions sync.Map
}

// sessionOf returns the program that goes on with the agent's session for the item, and starts it if it does not run.
func (w *worker) sessionOf(ctx context.Context, item model.ItemID, turn int) (*session, error) {
	if s := w.session; s != nil {
		if s.kept.Item == item && s.runs() && s.idle.Stop() {
			return s, nil
		}
		s.end(errNext)
	}
	s := &session{worker: w, spec: w.program.Spec(), dir: cmp.Or(w.program.Dir, w.Dir), over: make(chan struct{}),
		stderr: &files.Tail{Max: shownStderr}}
	s.usage.Rule = s.spec.Usage
	s.dir, _ = filepath.Abs(s.dir)
	s.kept = home.Session{Program: s.spec.Name, Agent: w.agent, Dir: s.dir, Item: item, Driver: Self(), Turn: turn}
	old := w.lastSession(s.kept)
	s.usage.Total = old.Total
	began := w.Now()
	if err := s.start(ctx, turn); err != nil {
		return nil, err
	}
	if err := s.greet(ctx, old.ID); err != nil {
		s.end(err)
		return nil, s.explain(err)
	}
	w.session = s
	w.report(Event{Turn: turn, What: fmt.Sprintf("%s started in %s", s.spec.Name,
		w.Now().Sub(began).Round(100*time.Millisecond))})
	return s, nil
}

// lastSession returns the newest session like s.
func (w *worker) lastSession(s home.Session) home.Session {
	for _, x := range w.sessions().Driven() {
		if x.Agent == s.Agent && x.Item == s.Item && x.Program == s.Program && x.Dir == s.Dir {
			return x
		}
	}
	return home.Session{}
}

func (d *Driver) sessions() home.Sessions { return home.SessionsIn(d.Home, d.Now) }

// start starts the program with pipes.
func (s *session) start(ctx context.Context, turn int) error {
	argv, err := s.argv()
	if err != nil {
		return err
	}
	in, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), to.Close())
	}
	s.input = to
	lifetime, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	s.stop = stop
	output := &outputPipe{File: from}
	spec := processSpec{Argv: argv, Dir: s.dir, Stdin: in, Stdout: out, Stderr: s.stderr, Record: newRecord(s.Home, s.agent),
		Env: append(s.spec.Environment(), s.environment(turn)...)}
	s.note(home.SessionStarts, "")
	go func() {
		defer close(s.over)
		s.how, s.fail = execute(lifetime, spec)
		_ = errors.Join(in.Close(), out.Close(), to.Close())
		output.stop()
		s.note(home.SessionGone, "")
	}()
	if s.client, err = acp.Connect(ctx, to, output, s); err != nil {
		s.end(err)
		return s.explain(err)
	}
	return nil
}

// argv is the program's command. A program that takes MCP servers only from a file gets one.
func (s *session) argv() ([]string, error) {
	argv := s.spec.Command
	if err := s.spec.Missing(); err != nil {
		return nil, err
	}
	if s.spec.MCPFile == "" {
		return argv, nil
	}
	path := filepath.Join(acp.LogDir(s.Home, s.agent), "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	server := s.server().Stdio
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"vise": map[string]any{
		"type": "local", "command": server.Command, "args": server.Args, "tools": []string{"*"}}}})
	if err == nil {
		err = files.WriteAtomic(path, raw)
	}
	return append(argv, s.spec.MCPFile, "@"+path), err
}

// server is vise's MCP server for the agent. Everything is in its arguments: Codex gives a server no environment.
func (s *session) server() sdk.McpServer {
	self, err := os.Executable()
	if err != nil {
		self = "vise"
	}
	return sdk.McpServer{Stdio: &sdk.McpServerStdio{Name: "vise", Command: self, Env: []sdk.EnvVariable{},
		Args: []string{"mcp", "--home", s.Home, "--agent", string(s.agent)}}}
}

// greet goes on with the session old, or begins one.
func (s *session) greet(ctx context.Context, old string) error {
	servers := []sdk.McpServer{s.server()}
	if s.spec.MCPFile != "" {
		servers = []sdk.McpServer{}
	}
	id, loaded, err := s.client.Session(ctx, s.dir, old, servers)
	if id == "" {
		return err
	}
	if err != nil {
		s.report(Event{What: "session " + old + " was not continued, a new one began", Err: err})
	}
	if loaded {
		s.awaitSilence(ctx)
	}
	if s.spec.Mode != "" { // a session that goes on is in the program's own mode again (Codex)
		if err := s.client.SetMode(ctx, s.spec.Mode); err != nil {
			return fmt.Errorf("it did not take the mode %q, in which it asks: %w", s.spec.Mode, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.ID = id
	return nil
}

// silence is how long a program that loaded a session must say nothing: Gemini CLI repeats parts of it after its answer.
const silence = 500 * time.Millisecond

func (s *session) awaitSilence(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		quiet := s.Now().Sub(s.heard)
		s.mu.Unlock()
		if quiet >= silence {
			return
		}
		home.Pause(ctx, silence-quiet)
	}
}

// explain adds what the program wrote on its standard error, and the command for a login.
func (s *session) explain(err error) error {
	if errors.Is(err, acp.ErrLogin) && s.spec.Login != "" {
		return fmt.Errorf("%w; log in with: %s", err, s.spec.Login)
	}
	if last := strings.TrimSpace(s.stderr.String()); last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// runs reports whether the program runs.
func (s *session) runs() bool {
	select {
	case <-s.over:
		return false
	case <-s.client.Done():
		return false
	default:
		return true
	}
}

// errNext ends a program whose session is not needed now.
var errNext = errors.New("the agent goes on with another session")

// end ends the program: its input is closed, and it is asked, and killed, if it does not end then.
func (s *session) end(why error) {
	_ = s.input.Close()
	select {
	case <-s.over:
	case <-time.After(endTime):
		s.stop(why)
		<-s.over
	}
	s.stop(nil)
}

const (
	// endTime is how long a program may take to end after its input was closed, as measured: up to 2 s, and Gemini CLI never.
	endTime = 3 * time.Second
	// cancelTime is how long a program may take to end its turn after a cancel.
	cancelTime = 10 * time.Second
)

// note keeps the session's state.
func (s *session) note(state home.SessionState, doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept.State != state || s.kept.Doing != doing {
		s.kept.State, s.kept.Doing, s.kept.Since = state, doing, s.Now().UTC()
	}
	s.kept.At = s.Now().UTC()
	s.sessions().Put(s.kept)
}

// Update is part of acp.Listener.
func (s *session) Update(u sdk.SessionUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = s.Now()
	c := s.live
	if c == nil {
		return
	}
	rounds := c.replies.Update(u)
	c.usage.Update(u)
	c.log.Update(u)
	c.rounds = append(c.rounds, rounds...)
	if len(rounds) > 0 || u.AgentMessageChunk == nil && u.AgentThoughtChunk == nil { // a piece of a text alone changes nothing
		inform(c.more)
	}
}
