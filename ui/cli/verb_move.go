package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/transfer"
)

// movedTo is the data of move.
type movedTo struct {
	From string `json:"from"`
	To   string `json:"to"`
	// GivenUp means that the ledger stays at From.
	GivenUp bool `json:"given_up,omitempty"`
	transfer.Moved
	// Files counts the plan files, saves and reports of a backup, if From is one. Home is the home that has them, and uses the ledger.
	Files *recovery.PlansBack `json:"files,omitempty"`
	Home  string              `json:"home,omitempty"`
	// Plans is what the plan files of a home were given, if To is one.
	Plans *transfer.PlansBrought `json:"plans,omitempty"`
}

// mover is one run of move.
type mover struct {
	*Env
	from, to          string
	interrupt, giveUp bool
	reach             reach
	copied            atomic.Pointer[transfer.Copied]
}

func moveVerb() verb {
	var m mover
	return verb{
		use: "move FROM TO", short: "Move a ledger between a home and a cluster",
		long: `FROM and TO are a home's directory and the address of a ledger on a cluster (vise admin fleet join --help), in either
order. FROM can also be a file of vise backup: its ledger comes to a cluster, and its plan files come to
the home of --home. While a ledger moves, it is only read. What arrives is compared and checked before it
is used; from then on FROM only says where the ledger is. The same command goes on with a move that was
interrupted, and --give-up takes it back. Plan files stay where they are; a home to which the ledger comes
also gets those that lie on other machines, as far as the ledger has them.`,
		example: "vise admin move ~/.local/share/vise etcd://db1:2379,db2:2379/team --ca ca.pem --cert ann.pem --key ann.key",
		flags: append(m.reach.flags(), flags{
			{"interrupt", &m.interrupt, "end the turns that run; otherwise a running turn refuses the move"},
			{"give-up", &m.giveUp, "take back a move that was interrupted: the ledger stays at FROM"},
		}...),
		who: anybody,
		run: func(e *Env) (answer, error) {
			m.Env, m.from, m.to = e, e.words[0], e.words[1]
			if e.connect == nil {
				return nil, toFleet(e)
			}
			defer showProgress(e, m.doing)()
			out, err := m.run()
			return answerOf(out, (*page).moved), err
		},
	}
}

func (m *mover) doing() string {
	if c := m.copied.Load(); c != nil {
		return fmt.Sprintf("moving the ledger: %d keys, %s", c.Pairs, sizeOf(c.Bytes))
	}
	return "reading the ledger"
}

func (m *mover) run() (out movedTo, err error) {
	switch from, to := store.IsAddress(m.from), store.IsAddress(m.to); {
	case from == to:
		return out, misuse("to", "a ledger moves between a home and a cluster: one of the two is etcd://HOST:PORT/LEDGER")
	case from:
		return m.home()
	}
	m.from = absolute(m.dir, m.from)
	if info, err := os.Stat(m.from); err == nil && info.Mode().IsRegular() {
		return m.backup()
	}
	return m.cluster()
}

// cluster moves the ledger of a home to a cluster.
func (m *mover) cluster() (out movedTo, err error) {
	if store.OnCluster(m.from) {
		return out, refuse("the ledger of %s lies on a cluster already", m.from).
			WithHint("vise admin fleet status shows where; its address can be FROM")
	}
	l, err := store.Open(m.from, store.Options{Command: "vise admin move"})
	if errors.Is(err, store.ErrNoHome) {
		return out, notFound("there is no home at %s", m.from).At("from",
			"FROM is a home's directory, a file of vise backup, or the address of a ledger: etcd://HOST:PORT/LEDGER")
	}
	if err != nil {
		return out, err
	}
	defer l.Close()
	alone, err := moveAlone(m.from)
	if err != nil {
		return out, err
	}
	defer alone.Close()
	err = onLedger(m.Env, m.to, m.reach, func(at store.Cluster, b store.Backend) (err error) {
		out, err = m.move(&transfer.Move{From: l, To: b, FromName: hereAt(m.from), ToName: at.Address()})
		if err != nil || out.GivenUp {
			return err
		}
		return store.JoinMoved(m, m.from, at, b)
	})
	return out, err
}

// home moves a ledger on a cluster to a home.
func (m *mover) home() (out movedTo, err error) {
	m.to = absolute(m.dir, m.to)
	at, err := m.reach.joined(m.dir, m.from, m.to)
	if err != nil {
		return out, err
	}
	b, err := m.connect(at)
	if err != nil {
		return out, err
	}
	l, err := store.ClusterLedger(m, at, b)
	if err != nil {
		return out, errors.Join(err, b.Close())
	}
	defer l.Close()
	alone, err := moveAlone(m.to)
	if err != nil {
		return out, err
	}
	defer alone.Close()
	to, err := transfer.Arrive(m.to, l.Home().ID, store.Options{Command: "vise admin move"})
	if err != nil {
		return out, err
	}
	var brought transfer.PlansBrought
	opened := func(ctx context.Context, arrived transfer.Arrived) error {
		if err := to.Install(ctx, arrived); err != nil {
			return err
		}
		plans, err := files.NewHome(m.to)
		if err == nil {
			brought, err = transfer.BringPlans(ctx, l, plans)
		}
		return err
	}
	move := &transfer.Move{From: l, To: to, FromName: at.Address(), ToName: hereAt(m.to), Opened: opened,
		Undone: to.DiscardEmpty}
	if out, err = m.move(move); err != nil {
		return out, errors.Join(err, to.Close())
	}
	out.Plans = &brought
	if out.GivenUp {
		return out, to.Discard()
	}
	if err = to.Finish(m); err != nil {
		return out, err
	}
	return out, firstSnapshot(m, m.to)
}

// firstSnapshot copies a ledger that has come to a home: its history may begin in an archive, and then a restore needs a snapshot.
func firstSnapshot(ctx context.Context, dir string) error {
	l, err := store.Open(dir, store.Options{Command: "vise admin move"})
	if err != nil {
		return err
	}
	_, err = recovery.TakeSnapshot(ctx, l)
	return errors.Join(err, l.Close())
}

// move runs or gives up a move.
func (m *mover) move(x *transfer.Move) (out movedTo, err error) {
	out.From, out.To, out.GivenUp = x.FromName, x.ToName, m.giveUp
	x.Progress = func(c transfer.Copied) { m.copied.Store(&c) }
	if m.giveUp {
		return out, x.GiveUp(m)
	}
	if m.interrupt {
		if err := m.endTurns(x.From); err != nil {
			return out, err
		}
	}
	out.Moved, err = x.Run(m)
	return out, err
}

// endTurns ends all turns. Their programs learn it with their next call.
func (m *mover) endTurns(l *store.Ledger) error {
	var ends []model.EndTurn
	err := l.View(m, func(r model.Reader) error {
		for x := range model.AllAgents(r) {
			if x.Turn.Runs(m.now()) {
				ends = append(ends, model.EndTurn{AgentID: x.ID, Turn: x.Turn.Index, Outcome: model.TurnInterrupted,
					Reason: "the ledger moves"})
			}
		}
		return nil
	})
	for _, end := range ends {
		if err == nil {
			_, err = l.Apply(m, model.Envelope{Key: newKey(), Actor: m.actor, Agent: end.AgentID, Command: end})
		}
	}
	return err
}

// backup brings the ledger of a backup to a cluster, and its files to a home on it.
func (m *mover) backup() (out movedTo, err error) {
	if m.giveUp || m.interrupt {
		return out, misuse("give-up", "a backup stays as it is: --give-up and --interrupt are for a ledger that moves")
	}
	dir, err := homeDir(m.Env)
	if err != nil {
		return out, err
	}
	err = onLedger(m.Env, m.to, m.reach, func(at store.Cluster, b store.Backend) error {
		err := recovery.CanHave(m, dir, m.from, at, b)
		if err == nil {
			out.From, out.To, out.Home = m.from, at.Address(), dir
			out.Moved, err = transfer.FromBackup(m, m.from, b, func(c transfer.Copied) { m.copied.Store(&c) })
		}
		if err == nil && !store.OnCluster(dir) {
			_, err = store.Join(m, dir, at, b, false, store.Options{})
		}
		return err
	})
	if err != nil {
		return out, err
	}
	plans, err := files.NewHome(dir)
	if err == nil {
		out.Files, err = recovery.FilesOfBackup(m, m.from, dir, plans)
	}
	return out, err
}

// moveAlone sees to it that one process at a time moves a ledger to or from a home.
func moveAlone(dir string) (*os.File, error) {
	f, err := files.LockAtOnce(dir, "move.lock")
	if errors.Is(err, files.ErrLocked) {
		return nil, refuse("another process moves the ledger of %s", dir).WithHint("wait for its end")
	}
	return f, err
}

// hereAt is what a directory of this machine is called elsewhere.
func hereAt(dir string) string {
	return dir + " on " + cmp.Or(hostName(), "this machine")
}

func (p *page) moved(out movedTo) {
	if out.GivenUp {
		p.say("the move is taken back: the ledger stays at %s", out.From)
		return
	}
	p.say("the ledger of %s is at %s: revision %d", out.From, out.To, out.Revision)
	if out.Sum != "" {
		p.line("%d tables with %d keys are equal, sha256 %s", out.Tables, out.Keys, out.Sum)
	}
	if f := out.Files; f != nil {
		p.say("the home %s has joined it", out.Home)
		p.line("%d files of plans, saves and reports: %d were there as they are, %d were made, %d differ", f.Saved, f.Same, f.Missing,
			f.Differ)
		if f.Differ > 0 {
			p.say("the backup's versions of those are in %s", f.Aside)
		}
		return
	}
	p.line("plan files stay on the machines on which they are")
	if x := out.Plans; x != nil {
		p.line("%s of other machines made here, %s taken over, %d put beside a plan that was saved too", model.Counted(x.Made, "plan"),
			model.Counted(x.Taken, "edit"), x.Beside)
		if x.MissingCount > 0 {
			p.say("of %s the ledger has only the beginning: %s", model.Counted(x.MissingCount, "plan"),
				strings.Join(as[string](x.Missing), ", "))
		}
	}
}
