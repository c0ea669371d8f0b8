package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
)

// Forges asks forges about the waits that name them, beside a scheduler. One process of a home does so at a time. Its fields are set before
// Run and not changed after.
type Forges struct {
	Ledger home.Ledger
	// Home is the home's directory. Its state records when to ask about each wait next.
	Home string
	Now  func() time.Time
	// Run runs a forge's program; nil starts the real program.
	Run func(ctx context.Context, argv []string, out io.Writer) error
	// Report gets errors of the ledger; it may be nil.
	Report func(error)
}

// How often forges are asked.
const (
	// callsPerMinute is the limit for all waits together. GitHub allows 5,000 requests an hour.
	callsPerMinute = 20
	// vise asks about a wait again after a quarter of the time since its last change (soonest to latest). If the forge cannot be asked, it
	// asks again after as long as the problem has lasted (soonestAgain to latestAgain).
	soonest, latest           = 30 * time.Second, 5 * time.Minute
	soonestAgain, latestAgain = time.Minute, 10 * time.Minute
	// lockEvery is how often a process checks whether the asking process has ended.
	lockEvery = 15 * time.Second
	// forgesLock is held by the process that asks.
	forgesLock  = "forges.lock"
	waitsAtOnce = 256
	newsAtOnce  = 512
)

// forgePace is the state between two requests, and between two processes. Losing it does no harm.
type forgePace struct {
	Waits map[model.WaitID]forgeNext `json:"waits"`
	// Calls holds the times of the calls in the last minute.
	Calls []time.Time `json:"calls,omitempty"`
}

// forgeNext says when to ask about a wait next.
type forgeNext struct {
	At time.Time `json:"at"`
	// Since is when something last changed, or since when the forge cannot be asked; Problem says which.
	Since   time.Time `json:"since"`
	Problem bool      `json:"problem,omitempty"`
}

// forgeLoop is the state of the process that asks.
type forgeLoop struct {
	*Forges
	forgePace
	revision uint64
	news     model.News
}

// Watch asks until ctx ends. It begins as soon as no other process asks.
func (f *Forges) Watch(ctx context.Context) {
	for ctx.Err() == nil {
		lock, err := files.LockAtOnce(f.Home, forgesLock)
		if err != nil { // also when the file system has no locks: then no process asks
			home.Pause(ctx, lockEvery)
			continue
		}
		l := &forgeLoop{Forges: f}
		for ctx.Err() == nil {
			l.failed(ctx, l.pass(ctx))
			l.rest(ctx)
		}
		lock.Close()
	}
}

// Once asks about the waits that are due, unless another process is asking.
func (f *Forges) Once(ctx context.Context) {
	if lock, err := files.LockAtOnce(f.Home, forgesLock); err == nil {
		defer lock.Close()
		l := &forgeLoop{Forges: f}
		l.failed(ctx, l.pass(ctx))
	}
}

func (l *forgeLoop) paceFile() string { return filepath.Join(l.Home, "state", "forges.json") }

func (l *forgeLoop) failed(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if l.Report != nil {
		l.Report(err)
	}
	home.Pause(ctx, retryAfter)
}

// pass asks about every wait that is due, beginning with the longest overdue.
func (l *forgeLoop) pass(ctx context.Context) error {
	if l.Waits == nil {
		if err := l.start(ctx); err != nil {
			l.Waits = nil
			return err
		}
	}
	var err error
	now, asked := l.Now(), false
	due := slices.SortedFunc(maps.Keys(l.Waits), func(x, y model.WaitID) int {
		return cmp.Or(l.Waits[x].At.Compare(l.Waits[y].At), cmp.Compare(x, y))
	})
	for _, id := range due {
		if err != nil || ctx.Err() != nil || l.Waits[id].At.After(now) || !l.affords() {
			break
		}
		asked, err = true, l.ask(ctx, id)
	}
	if raw, wrong := json.Marshal(l.forgePace); asked && wrong == nil {
		_ = files.WriteAtomic(l.paceFile(), raw) // if that fails, the next process asks a little earlier
	}
	return err
}

// start finds the current waits and reads what an earlier process recorded about them.
func (l *forgeLoop) start(ctx context.Context) error {
	var before forgePace
	if raw, err := files.ReadSmall(l.paceFile(), 1<<20); err == nil {
		_ = json.Unmarshal(raw, &before) // without the file, all waits are due now
	}
	l.Waits, l.Calls = map[model.WaitID]forgeNext{}, before.Calls
	var agents []model.AgentID
	if err := l.Ledger.View(ctx, func(r model.Reader) error {
		l.revision, l.news = r.Revision(), model.NewsFrom(r, "")
		for a := range model.AllAgents(r) {
			agents = append(agents, a.ID)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, id := range agents {
		if err := l.find(ctx, id, before); err != nil {
			return err
		}
	}
	return nil
}

// find reads an agent's waits a few at a time, so that other processes can use the ledger in between. It goes on with the pace of before.
func (l *forgeLoop) find(ctx context.Context, id model.AgentID, before forgePace) error {
	var last *model.Wait
	for more := true; more; {
		if err := l.Ledger.View(ctx, func(r model.Reader) error {
			waits := r.ExternalWaits(id, last, waitsAtOnce)
			if more = len(waits) == waitsAtOnce; more {
				last = new(waits[len(waits)-1])
			}
			for _, x := range model.AskedAmong(waits) {
				next := before.Waits[x.ID]
				if next.At.After(l.Now().Add(latestAgain)) { // the clock was set back
					next = forgeNext{}
				}
				l.Waits[x.ID] = next
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// rest waits until a wait is due or a new one is registered.
func (l *forgeLoop) rest(ctx context.Context) {
	if l.Waits == nil {
		return
	}
	pause := time.Duration(math.MaxInt64)
	for _, next := range l.Waits {
		pause = min(pause, max(next.At.Sub(l.Now()), time.Second))
	}
	if len(l.Waits) > 0 && !l.affords() {
		pause = max(pause, l.Calls[0].Add(time.Minute).Sub(l.Now()))
	}
	due, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	for due.Err() == nil {
		_, err := l.Ledger.Follow(due, l.revision)
		if err == nil {
			var news bool
			if news, err = l.learn(ctx); news {
				return
			}
		}
		if err != nil && due.Err() == nil {
			l.failed(ctx, err)
		}
	}
}

// learn adds the waits registered since the last call, and reports whether there are any.
func (l *forgeLoop) learn(ctx context.Context) (news bool, err error) {
	var revision uint64
	known := l.news
	err = l.Ledger.View(ctx, func(r model.Reader) error {
		for all := false; !all; {
			var entries []model.Entry
			entries, known, all = known.Next(r, newsAtOnce)
			for _, e := range entries {
				if e.Kind != model.EventWaitRegistered {
					continue
				}
				for _, x := range model.AskedOf(r, e.AgentID, e.WorkItemID) {
					if _, known := l.Waits[x.ID]; !known {
						l.Waits[x.ID], news = forgeNext{}, true
					}
				}
			}
		}
		revision = r.Revision()
		return nil
	})
	if err == nil { // else the next call reads it again
		l.revision, l.news = revision, known
	}
	return news, err
}

// affords reports whether a program may be run once more in this minute.
func (l *forgeLoop) affords() bool {
	since := l.Now().Add(-time.Minute)
	l.Calls = slices.DeleteFunc(l.Calls, func(at time.Time) bool { return at.Before(since) || at.After(l.Now()) })
	return len(l.Calls) < callsPerMinute
}

// ask asks about one wait and records the news in the ledger.
func (l *forgeLoop) ask(ctx context.Context, id model.WaitID) error {
	var x model.Wait
	if err := l.Ledger.View(ctx, func(r model.Reader) error { x, _ = r.Wait(id); return nil }); err != nil {
		return err
	}
	what, ok := x.Asks()
	if !ok || x.Status != model.WaitActive {
		delete(l.Waits, id)
		return nil
	}
	l.Calls = append(l.Calls, l.Now())
	forge := Forge{what.Forge, l.Run}
	ask := forge.github
	if what.Forge == model.GitLab {
		ask = forge.gitlab
	}
	said, err := ask(ctx, what)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	note := model.NoteChecks{WaitID: id, Checked: said.Checked, Comments: said.comments}
	if err != nil {
		note.Checked = model.Checked{Problem: model.Text(shortened(err.Error(), maxProblem))}
	}
	e := model.Envelope{Key: home.NewKey(), Actor: model.Actor("external:" + string(what.Forge)), Agent: x.AgentID}
	isNew, err := l.tell(ctx, e, note, func() model.Text { return l.payload(ctx, what, said) })
	l.pace(id, note.Checked.Problem != "", isNew)
	return err
}

// pace sets when to ask about a wait next.
func (l *forgeLoop) pace(id model.WaitID, trouble, isNew bool) {
	now, next := l.Now(), l.Waits[id]
	if isNew || next.Since.IsZero() || next.Problem != trouble {
		next.Since, next.Problem = now, trouble
	}
	pause := min(max(now.Sub(next.Since)/4, soonest), latest)
	if trouble {
		pause = min(max(now.Sub(next.Since), soonestAgain), latestAgain)
	}
	next.At = now.Add(pause)
	l.Waits[id] = next
}

// log returns the end of a failing check's log, or "" if no log can be read.
func (l *forgeLoop) log(ctx context.Context, what model.Asked, x failedCheck) string {
	if x.job == 0 || !l.affords() {
		return ""
	}
	l.Calls = append(l.Calls, l.Now())
	path, failed := fmt.Sprintf("repos/%s/actions/jobs/%d/logs", what.Repo, x.job), "##[error]"
	if what.Forge == model.GitLab {
		path, failed = fmt.Sprintf("projects/%s/jobs/%d/trace", url.PathEscape(what.Repo), x.job), "ERROR: Job failed"
	}
	end := &files.Tail{Max: keptLog}
	if (Forge{what.Forge, l.Run}).write(ctx, end, "api", path) != nil {
		return ""
	}
	return lastLines(end.String(), failed)
}

// tell records a forge's answer in the ledger if it changes anything. payload makes the text of a trigger.
func (l *forgeLoop) tell(ctx context.Context, e model.Envelope, note model.NoteChecks, payload func() model.Text) (isNew bool, err error) {
	var change model.Change
	err = l.Ledger.View(ctx, func(r model.Reader) error {
		change, err = model.Step(r, model.Stamp{At: l.Now(), NewID: "foreseen", Actor: e.Actor, Agent: e.Agent}, note)
		return nil
	})
	if err != nil || change.Empty() {
		return false, nil // the wait has ended meanwhile, or nothing has changed
	}
	if len(change.Receipt.TriggeredWaits) > 0 {
		note.Payload = payload()
	}
	e.Command = note
	_, err = l.Ledger.Apply(ctx, e)
	return true, err
}

// payload returns the text of a trigger: the result, the address, and for a failing check the end of its log.
func (l *forgeLoop) payload(ctx context.Context, what model.Asked, said forgeSaid) model.Text {
	words := what.String() + ": " + said.Gist().Raw() // raw: made safe when it came
	if said.Checks != model.ChecksFail {
		return model.Text(words)
	}
	if said.failed.link != "" {
		words += "\n" + said.failed.link
	}
	if end := cmp.Or(l.log(ctx, what, said.failed), said.failed.summary); end != "" {
		words += "\n\n" + end
	}
	return model.Text(words)
}
