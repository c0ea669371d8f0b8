package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/config"
)

// Channels tells the operator of needs by the channels of the configuration. Any number of processes may run it on a
// home: one sends at a time, and each need goes out by a channel at most once. What is about to be sent is written
// down before; where nobody learned whether it arrived, it is not sent again.
type Channels struct {
	Ledger home.Ledger
	// Home is the directory of the home, whose state tells what was sent.
	Home string
	Now  func() time.Time
	// Settings are read before each look, so that a change of the file counts.
	Settings func() config.Config
	// Report is called with what goes wrong with the home itself; nil tells nobody.
	Report func(error)
}

// The pace of channels.
const (
	// lookEvery is how late the end of a snooze, of quiet hours or of a rest is noticed.
	lookEvery = time.Minute
	// otherSends is how long another process that sends is waited for.
	otherSends = 5 * time.Second
	// firstRest doubles with each failure, up to longestRest.
	firstRest   = time.Minute
	longestRest = 30 * time.Minute
	// keptFor is how long it is remembered that a need was sent that is over.
	keptFor = 30 * 24 * time.Hour
	// mostKept bounds what is remembered of one channel, mostNeeds the entries of the inbox that are looked at.
	mostKept  = 2000
	mostNeeds = 500
	// maxSentFile bounds the file, in bytes.
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
			// What happens within a while is one message.
			settled, end := context.WithTimeout(ctx, max(s.Notifications.Batch.Duration(), time.Second))
			<-settled.Done()
			end()
		} else {
			<-until.Done()
		}
		stop()
	}
}

// look sends what is due; busy: another process does so now.
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

// serve sends by one channel what it was not given yet.
func (c *Channels) serve(ctx context.Context, m *sentFile, name string, s config.Config, inbox []model.Inboxed) error {
	channel, now := s.Channels[name], c.Now()
	x, known := m.Channels[name]
	if !known || x.Sent == nil {
		x.Began, x.Sent = now, map[string]time.Time{}
	}
	left := len(x.Trying) > 0
	if left { // by a process that ended meanwhile
		x.settle(now, sendUnknown, "the process that sent it ended")
	}
	var due []model.Inboxed
	for _, e := range inbox {
		if _, sent := x.Sent[needKey(e)]; !sent && channel.Takes(e) && !arose(e).Before(x.Began) {
			due = append(due, e)
		}
	}
	rests := now.Before(x.RetryAt) || s.Quiet(channel).Hold(now.Local())
	if len(due) == 0 || rests {
		if known && !left {
			return nil
		}
		return m.keep(name, x, inbox, now)
	}
	for _, e := range due {
		x.Trying = append(x.Trying, needKey(e))
	}
	if err := m.keep(name, x, inbox, now); err != nil { // before anything is sent
		return err
	}
	outcome, err := Send(ctx, channel, NeedsMessage(name, due, now))
	why := ""
	if err != nil {
		why = err.Error()
	}
	x.settle(c.Now(), outcome, why)
	return m.keep(name, x, inbox, now)
}

// needKey names a need once; one that came back at the end of a snooze is another.
func needKey(x model.Inboxed) string {
	key := string(x.ID) + " " + x.Matter()
	if !x.SnoozedUntil.IsZero() {
		key += fmt.Sprintf(" %d", x.SnoozedUntil.Unix())
	}
	return key
}

// arose is when an entry came into the inbox.
func arose(x model.Inboxed) time.Time {
	if x.SnoozedUntil.After(x.Since) {
		return x.SnoozedUntil
	}
	return x.Since
}

// sentFile is what was sent by the channels of a home.
type sentFile struct {
	Channels map[string]channelSent `json:"channels"`

	path string
}

// channelSent is what is remembered of a channel.
type channelSent struct {
	// Began is when it was first seen: what needed the operator before is not sent.
	Began time.Time            `json:"began"`
	Sent  map[string]time.Time `json:"sent"`
	// Trying is what is being sent. It stays when the process ends meanwhile.
	Trying []string `json:"trying,omitempty"`
	ChannelState
}

// ChannelState is how a channel does.
type ChannelState struct {
	Channel string `json:"channel,omitempty"`
	// To is where it sends, without what is secret.
	To string `json:"to,omitempty"`
	// Last is when a message was taken.
	Last time.Time `json:"last_sent,omitzero"`
	// Failures is how often in a row it failed, Why the last time, RetryAt when it is tried again.
	Failures int        `json:"failures,omitempty"`
	Why      model.Text `json:"error,omitempty"`
	RetryAt  time.Time  `json:"retry_at,omitzero"`
	// Unknown counts the needs of which nobody knows whether they arrived; they are not sent again.
	Unknown int `json:"unknown,omitempty"`
}

// settle notes what became of what was being sent.
func (x *channelSent) settle(now time.Time, outcome sendOutcome, why string) {
	if outcome != sendRefused {
		for _, key := range x.Trying {
			x.Sent[key] = now
		}
	}
	if outcome == sendTaken {
		x.Failures, x.Why, x.RetryAt, x.Last = 0, "", time.Time{}, now
	} else {
		rest := min(firstRest<<min(x.Failures, 10), longestRest)
		x.Failures, x.Why, x.RetryAt = x.Failures+1, model.Text(plainCut(why, saidCells)), now.Add(rest)
	}
	if outcome == sendUnknown {
		x.Unknown += len(x.Trying)
	}
	x.Trying = nil
}

// keep writes what is remembered of a channel, without what is long over.
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

// readSent reads what was sent. Where that does not read, all channels begin anew: nothing is sent twice.
func readSent(dir string) (*sentFile, error) {
	m := &sentFile{path: filepath.Join(dir, "state", "channels.json")}
	raw, err := files.ReadSmall(m.path, maxSentFile)
	if err == nil {
		err = json.Unmarshal(raw, m)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || m.Channels == nil {
		m.Channels = map[string]channelSent{}
	}
	return m, nil
}

// ChannelStates are how the channels of a home do, by name.
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
