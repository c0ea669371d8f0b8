package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/config"
)

// Channels sends the operator's needs through the channels of the configuration. Any number of processes may run it on one home. One of
// them sends at a time, and each need goes through a channel at most once: it is recorded as sent before it is sent, and only if it
// certainly did not arrive, it is sent again.
type Channels struct {
	Ledger home.Ledger
	// Home is the directory of the home. Its state records what was sent.
	Home string
	Now  func() time.Time
	// Settings is called before each look, so that a changed configuration takes effect.
	Settings func() config.Config
	// Report is called with errors of the home itself; it may be nil.
	Report func(error)
}

// The pace of channels.
const (
	// lookEvery is the longest delay until the end of a snooze, of quiet hours or of a pause after a failure is noticed.
	lookEvery = time.Minute
	// otherSends is the pause while another process sends.
	otherSends = 5 * time.Second
	// firstRest is the pause after a failure. It doubles with each further failure, up to longestRest.
	firstRest   = time.Minute
	longestRest = 30 * time.Minute
	// keptFor is how long a need that is over stays recorded as sent.
	keptFor = 30 * 24 * time.Hour
	// mostKept bounds the records of one channel; mostNeeds bounds the entries of the inbox that are read.
	mostKept  = 2000
	mostNeeds = 500
	// maxSentFile bounds the file in bytes.
	maxSentFile = 8 << 20
)

// Run sends until ctx ends.
func (c *Channels) Run(ctx context.Context) {
	var revision uint64
	for ctx.Err() == nil {
		s := c.Settings()
		pause := lookEvery
		if len(s.Channels) > 0 {
			busy, err := c.look(ctx, s)
			if err != nil && ctx.Err() == nil && c.Report != nil {
				c.Report(err)
			}
			if busy {
				pause = otherSends
			}
		}
		until, stop := context.WithTimeout(ctx, pause)
		if len(s.Channels) == 0 {
			<-until.Done()
		} else if news, err := c.Ledger.Follow(until, revision); err == nil && news != revision {
			revision = news
			// Needs that arise within this time go into one message.
			settled, end := context.WithTimeout(ctx, max(s.Notifications.Batch.Duration(), time.Second))
			<-settled.Done()
			end()
		} else {
			<-until.Done()
		}
		stop()
	}
}

// look sends the needs that are due. busy means that another process is sending.
func (c *Channels) look(ctx context.Context, s config.Config) (busy bool, err error) {
	lock, err := files.LockAtOnce(c.Home, "channels.lock")
	if errors.Is(err, files.ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer lock.Close()
	m, err := readSent(c.Home)
	if err != nil {
		return false, err
	}
	var inbox []model.Inboxed
	if err := c.Ledger.View(ctx, func(r model.Reader) error {
		inbox = model.Inbox(r, c.Now(), mostNeeds)
		return nil
	}); err != nil {
		return false, err
	}
	maps.DeleteFunc(m.Channels, func(name string, _ channelSent) bool { _, stays := s.Channels[name]; return !stays })
	var wrong []error
	for _, name := range config.Names(s.Channels) {
		wrong = append(wrong, c.serve(ctx, m, name, s, inbox))
	}
	return false, errors.Join(wrong...)
}

// serve sends through one channel the needs that it has not sent yet.
func (c *Channels) serve(ctx context.Context, m *sentFile, name string, s config.Config, inbox []model.Inboxed) error {
	channel, now := s.Channels[name], c.Now()
	x, known := m.Channels[name]
	if !known || x.Sent == nil {
		x.Began, x.Sent = now, map[string]time.Time{}
	}
	var due []model.Inboxed
	for _, e := range inbox {
		if _, sent := x.Sent[needKey(e)]; !sent && channel.Takes(e) && !arose(e).Before(x.Began) {
			due = append(due, e)
		}
	}
	rests := now.Before(x.RetryAt) || s.Quiet(channel).Hold(now.Local())
	if len(due) == 0 || rests {
		if known {
			return nil
		}
		return m.keep(name, x, inbox, now)
	}
	for _, e := range due {
		x.Sent[needKey(e)] = now
	}
	if err := m.keep(name, x, inbox, now); err != nil {
		return err
	}
	again, err := Send(ctx, channel, NeedsMessage(name, due, now))
	if again {
		for _, e := range due {
			delete(x.Sent, needKey(e))
		}
	} else if err != nil {
		err = fmt.Errorf("%w; it may have arrived", err)
	}
	x.settle(c.Now(), err)
	return m.keep(name, x, inbox, now)
}

// needKey identifies a need. A need that returns when its snooze ends gets a new key.
func needKey(x model.Inboxed) string {
	key := string(x.ID) + " " + x.Matter()
	if !x.SnoozedUntil.IsZero() {
		key += fmt.Sprintf(" %d", x.SnoozedUntil.Unix())
	}
	return key
}

// arose returns the time at which an entry came into the inbox.
func arose(x model.Inboxed) time.Time {
	if x.SnoozedUntil.After(x.Since) {
		return x.SnoozedUntil
	}
	return x.Since
}

// sentFile records what the channels of a home have sent.
type sentFile struct {
	Channels map[string]channelSent `json:"channels"`

	path string
}

// channelSent is the record of one channel.
type channelSent struct {
	// Began is when the channel was first seen. Needs that arose before are not sent.
	Began time.Time            `json:"began"`
	Sent  map[string]time.Time `json:"sent"`
	ChannelState
}

// ChannelState is the state of one channel, as shown to the operator.
type ChannelState struct {
	Channel string `json:"channel,omitempty"`
	// To is the destination, without its secrets.
	To string `json:"to,omitempty"`
	// Last is when the channel last took a message.
	Last time.Time `json:"last_sent,omitzero"`
	// Failures counts the failures in a row, Why is the reason of the last one, RetryAt is the time of the next try.
	Failures int        `json:"failures,omitempty"`
	Why      model.Text `json:"error,omitempty"`
	RetryAt  time.Time  `json:"retry_at,omitzero"`
}

// settle records how a message ended.
func (x *ChannelState) settle(now time.Time, err error) {
	if err == nil {
		x.Failures, x.Why, x.RetryAt, x.Last = 0, "", time.Time{}, now
		return
	}
	rest := min(firstRest<<min(x.Failures, 10), longestRest)
	x.Failures, x.Why, x.RetryAt = x.Failures+1, model.Text(plainCut(err.Error(), saidCells)), now.Add(rest)
}

// keep writes the record of a channel, without needs that ended more than keptFor ago.
func (m *sentFile) keep(name string, x channelSent, inbox []model.Inboxed, now time.Time) error {
	stands := map[string]bool{}
	for _, e := range inbox {
		stands[needKey(e)] = true
	}
	maps.DeleteFunc(x.Sent, func(key string, at time.Time) bool { return !stands[key] && now.Sub(at) > keptFor })
	if over := len(x.Sent) - mostKept; over > 0 {
		byAge := func(a, b string) int { return cmp.Or(x.Sent[a].Compare(x.Sent[b]), cmp.Compare(a, b)) }
		oldest := slices.SortedFunc(maps.Keys(x.Sent), byAge)
		for _, key := range oldest[:over] {
			delete(x.Sent, key)
		}
	}
	m.Channels[name] = x
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return files.WriteAtomic(m.path, raw)
}

// readSent reads the record. If it cannot be decoded, all channels begin anew, so that nothing is sent twice.
func readSent(dir string) (*sentFile, error) {
	m := &sentFile{path: filepath.Join(dir, "state", "channels.json")}
	raw, err := files.ReadSmall(m.path, maxSentFile)
	if err == nil {
		err = json.Unmarshal(raw, m)
	} else if !files.IsGone(err) {
		return nil, err
	}
	if err != nil || m.Channels == nil {
		m.Channels = map[string]channelSent{}
	}
	return m, nil
}

// ChannelStates returns the states of a home's channels by name.
func ChannelStates(dir string, channels map[string]config.Channel) []ChannelState {
	out := []ChannelState{}
	m, err := readSent(dir)
	for _, name := range config.Names(channels) {
		x := ChannelState{}
		if err != nil {
			x.Why = model.Text(err.Error())
		} else {
			x = m.Channels[name].ChannelState
		}
		x.Channel, x.To = name, channels[name].To()
		out = append(out, x)
	}
	return out
}
