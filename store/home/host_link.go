package home

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path"
	"slices"
	"sync"
	"time"

	"vise/model"
	"vise/store/files"
)

// Host is a home on another machine. Argv is the program that connects to it and speaks the protocol of ServeHost. Dir is the directory of
// the home there that the address names; empty for the usual one.
type Host struct {
	Name, Dir string
	Argv      []string
}

// link is the connection to one host. The known state of the host stays while the connection is lost.
type link struct {
	Host
	hosts *Hosts
	// mark separates the positions of this host's events from those of other homes.
	mark uint64
	stop func()

	mu    sync.Mutex // protects the fields below
	known *snapshot
	state model.HostState
	// out takes lines for the host while it is connected, and is nil otherwise.
	out chan toHost
	// acts are without an answer yet, in order.
	acts []*sentAct
}

// run connects again and again until ctx ends.
func (l *link) run(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		was := l.seen()
		err := l.connect(ctx)
		l.lost(err)
		if failures++; l.seen() != was {
			failures = 1
		}
		Pause(ctx, l.hosts.o.Retry(failures))
	}
}

// seen returns the known state of the host. It differs after each connection that brought something new.
func (l *link) seen() *snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// The waits between tries. The wait doubles each time and is then cut at random to between a half and the whole, so that many consoles do
// not connect at the same moment.
const (
	firstRetry   = time.Second
	longestRetry = time.Minute
)

func usualRetry(failures int) time.Duration {
	d := min(firstRetry<<min(failures-1, 10), longestRetry)
	return d/2 + rand.N(d/2)
}

// connect runs the program until it ends or is silent for hostSilence.
func (l *link) connect(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := exec.CommandContext(ctx, l.Argv[0], l.Argv[1:]...)
	c.WaitDelay = time.Second
	said := &files.Tail{Max: maxSaid}
	c.Stderr = said
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return model.NotFound("%s cannot be started", model.Text(l.Argv[0])).Because(err).
			WithHint("vise admin hosts needs the program ssh")
	}
	out := make(chan toHost, maxActs)
	var working sync.WaitGroup
	working.Go(func() { // ends with the channel, or when the program accepts no more input
		defer in.Close()
		enc := json.NewEncoder(in)
		for x := range out {
			if enc.Encode(x) != nil {
				stop()
			}
		}
	})
	lines := make(chan []byte)
	working.Go(func() {
		defer close(lines)
		for line := range hostLines(stdout) {
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	})
	err = l.listen(ctx, lines, out)
	l.mu.Lock()
	l.out = nil
	l.mu.Unlock()
	close(out)
	stop()
	working.Wait()
	ended := c.Wait()
	if err != nil {
		return err
	}
	return troubleOf(said.String(), ended)
}

// maxActs bounds how many lines wait to be sent to a host.
const maxActs = 256

// maxBanner is how many lines a login may print before the host speaks.
const maxBanner = 100

// listen handles the lines of the host. It returns nil when the lines end.
func (l *link) listen(ctx context.Context, lines <-chan []byte, out chan toHost) error {
	silence := time.NewTimer(hostSilence)
	defer silence.Stop()
	var told []fromHost
	for banner, begun := 0, false; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			return model.Busy("no answer for %s", hostSilence).
				WithHint("the connection hangs, or the machine sleeps")
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			silence.Reset(hostSilence)
			var x fromHost
			bad := json.Unmarshal(line, &x)
			if !begun && (bad != nil || x.Protocol == 0) {
				if banner++; banner > maxBanner {
					return model.Invalid("something else than vise answers there")
				}
				continue
			}
			begun = true
			if err := errors.Join(bad, l.admits(x)); err != nil {
				return err
			}
			var err error
			if told, err = l.heard(x, told, out); err != nil {
				return err
			}
		}
	}
}

// maxHostDir bounds the path of a host's home, in bytes.
const maxHostDir = 4 << 10

// admits refuses, in the first line of a connection, another protocol and another home than the one that is meant.
func (l *link) admits(x fromHost) error {
	switch {
	case x.Protocol == 0:
		return nil
	case x.Protocol > hostProtocol:
		return model.Refuse(model.CodeNewer, "its vise speaks protocol %d, this one %d", x.Protocol, hostProtocol).
			WithHint("update the vise that is here")
	case !isHostID(x.HomeID) || len(x.Home) > maxHostDir:
		return model.Refused("its vise does not say which home it opened").WithHint("update the vise that is there")
	case l.Dir != "" && path.Clean(l.Dir) != x.Home:
		return model.Conflict("vise opened the home %s there, not %s", model.Text(x.Home), model.Text(l.Dir)).
			WithHint(`if a key in authorized_keys there is limited to a command, make that "vise admin hosts serve --home %s", or name `+
				`the home in the address that it opens`, model.Text(l.Dir))
	}
	if x.HomeID == l.hosts.o.Here() {
		return model.Conflict("it is the home that is here already").WithHint("vise admin hosts remove %s", l.Name)
	}
	return l.hosts.claim(l, x.HomeID)
}

// heard handles one line. It keeps the parts of a state in told until the state is complete.
func (l *link) heard(x fromHost, told []fromHost, out chan toHost) ([]fromHost, error) {
	switch {
	case x.Answer != nil:
		l.answered("command "+x.Answer.Key, x)
	case x.Plan != nil:
		l.answered(planAct+string(x.Plan.WorkItemID), x)
	case x.Revision > 0 || x.More || x.Protocol > 0:
		if told = append(told, x); x.More {
			return told, nil
		}
		if err := l.became(told, out); err != nil {
			return nil, err
		}
		l.hosts.moved()
		return nil, nil
	}
	l.mu.Lock()
	l.state.AsOf = l.hosts.o.Now()
	l.mu.Unlock()
	return told, nil
}

// became makes a complete state from told the known one. The host is then connected, and the commands without an answer are sent again.
func (l *link) became(told []fromHost, out chan toHost) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	base, begins := l.known, told[0].Protocol > 0
	if begins || base == nil {
		base = newSnapshot()
	}
	next, err := base.with(told, l.Name, l.mark)
	if err != nil {
		return err
	}
	for _, id := range next.written {
		l.hosts.planMoved(id)
	}
	l.known = next
	agents := next.Agents("", next.known.Records)
	l.state = model.HostState{Name: l.Name, AsOf: l.hosts.o.Now(), Agents: len(agents)}
	for _, need := range model.Needs {
		next.Inbox(need, func(x model.Inboxed) bool {
			if x.Urgent() {
				l.state.NeedYou++
			}
			return true
		})
	}
	for _, a := range agents {
		l.state.Open += next.Count(a.ID, model.TallyOpen)
		l.state.KnownOpen += next.Reader.Count(a.ID, model.TallyOpen)
	}
	if begins {
		l.out = out
		for _, a := range l.acts {
			out <- a.toHost // the channel has room for all: there are fewer than maxActs
		}
	}
	return nil
}

// lost notes that the connection is lost. Callers that wait for a plan stop waiting. Commands are sent again when the host is back.
func (l *link) lost(err error) {
	l.mu.Lock()
	if !l.state.Away || l.state.Since.IsZero() {
		l.state.Since = l.hosts.o.Now()
	}
	l.state.Away, l.state.Trouble = true, &model.Error{Code: model.CodeBusy, Message: "the connection ended"}
	if known := model.AsError(err); known != nil {
		l.state.Trouble = known
	} else if err != nil {
		l.state.Trouble.Message = model.Text(err.Error()).String()
	}
	l.acts = slices.DeleteFunc(l.acts, func(a *sentAct) bool {
		if a.Plan != "" {
			close(a.answered)
		}
		return a.Plan != ""
	})
	l.mu.Unlock()
	l.hosts.moved()
}
