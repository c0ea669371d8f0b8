package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/transfer"
)

// membership is the data of fleet join.
type membership struct {
	Home string `json:"home"`
	store.Cluster
	// Created is true if the ledger was made. Read is true if this user may only read it.
	Created bool `json:"created"`
	Read    bool `json:"read"`
}

// granted is the data of fleet grant.
type granted struct {
	User   string `json:"user"`
	Ledger string `json:"address"`
	store.Grant
	// Enforced is false while the cluster permits everything to everybody.
	Enforced bool `json:"enforced"`
}

// fleetState is the data of fleet status.
type fleetState struct {
	Home   string `json:"home"`
	Ledger string `json:"address"`
	store.ClusterStatus
	// Majority is false if too few members run: then only what each member says by itself is known.
	Majority bool   `json:"majority"`
	Epoch    uint64 `json:"epoch"`
	Revision uint64 `json:"revision"`
	// NewestAhead is how far the time of the newest change is ahead of this machine's clock.
	NewestAhead time.Duration    `json:"newest_ahead_ns"`
	Archive     transfer.Archive `json:"archive"`
	// Warnings say what needs the operator of the cluster.
	Warnings []string `json:"warnings"`
}

func fleetVerb() verb {
	return verb{
		use: "fleet", short: "Share a ledger between machines, on an etcd cluster",
		long: `A ledger on an etcd cluster is shared by all machines that have joined it. Each machine has a home of its
own with the plan files that were made there. vise starts vise-fleet, which reaches the cluster, by itself.`,
		verbs: []verb{fleetInitVerb(), fleetJoinVerb(), fleetStatusVerb(), fleetCheckVerb(), fleetGrantVerb()},
	}
}

// recipient is a directory that fleet init has made, who gets it, and what is run beside it.
type recipient struct {
	Dir  string `json:"dir"`
	To   string `json:"to"`
	Runs string `json:"runs"`
}

func fleetInitVerb() verb {
	var users only
	return verb{
		use: "init ADDRESS", short: "Make the certificates and start scripts of a new cluster",
		long: `init makes in the current directory a directory for each of the members of ADDRESS, for each user, for root, who
grants, and one with the authorities that sign. It prints who gets which, and what is run with it. A member
listens on the port of ADDRESS and, for the other members, on the next one. What is there already stays as it is:
the same command with another user makes what that one gets.`,
		example: "vise admin fleet init etcd://db1:2379,db2:2379,db3:2379/team --user ann,ben",
		flags:   flags{{"user", users.add, "make a certificate for this user"}},
		who:     anybody,
		run: func(e *Env) (answer, error) {
			at, err := store.ParseCluster(e.words[0])
			for _, user := range users {
				err = cmp.Or(err, grantable(user))
			}
			if err == nil {
				err = transfer.MakeCluster(e.dir, at.Endpoints, append(users, "root"))
			}
			var all []recipient
			for i, endpoint := range at.Endpoints {
				dir := fmt.Sprint("member-", i+1)
				all = append(all, recipient{dir, "the machine of " + endpoint, "sh " + dir + "/start.sh"})
			}
			runs := "grant " + cmp.Or(strings.Join(users, ","), "USER")
			for _, user := range append([]string{"root"}, users...) {
				dir := "user-" + user
				all = append(all, recipient{dir, user, fmt.Sprintf(
					"vise admin fleet %s %s --ca %s/ca.pem --cert %[3]s/user.pem --key %[3]s/user.pem", runs, at.Address(), dir)})
				runs = "join"
			}
			return answerOf(all, (*page).recipients), err
		},
	}
}

func (p *page) recipients(all []recipient) {
	for _, x := range all {
		p.say("%s is for %s, and is used with:\n  %s", x.Dir, x.To, x.Runs)
	}
	p.line("the first who joins adds --new. authority stays here, and nobody gets it: whoever has it can be anybody on the cluster")
}

func fleetJoinVerb() verb {
	var at reach
	var fresh bool
	return verb{
		use: "join ADDRESS", short: "Make a home whose ledger lies on a cluster",
		long: `ADDRESS is etcd://HOST:PORT[,HOST:PORT]/LEDGER: the cluster's members, and the name of the ledger. The
machine proves who it is with the certificate, whose common name is the user of etcd. --new makes the
ledger; the other machines join it without. The home must not have a ledger of its own.`,
		example: "vise admin fleet join etcd://db1:2379,db2:2379,db3:2379/team --ca ca.pem --cert ann.pem --key ann.key",
		flags:   append(at.flags(), flags{{"new", &fresh, "make the ledger, which must not be there yet"}}...),
		who:     anybody,
		run: func(e *Env) (answer, error) {
			dir, err := homeDir(e)
			if err != nil {
				return nil, err
			}
			out := membership{Home: dir, Created: fresh}
			err = onLedger(e, e.words[0], at, func(at store.Cluster, b store.Backend) (err error) {
				if out.Cluster, err = store.Join(e, dir, at, b, fresh, store.Options{}); err == nil {
					out.Read, err = b.OnlyReads(e)
				}
				return err
			})
			return answerOf(out, (*page).joined), err
		},
	}
}

func (p *page) joined(out membership) {
	p.say("the home %s has its ledger at %s", out.Home, out.Address())
	if out.Read {
		p.line("it only reads the ledger, as this user may. vise and vise list show it; vise admin fleet status shows the cluster")
		return
	}
	p.line("vise new OBJECTIVE --agent NAME makes a work item; vise admin fleet status shows the cluster")
}

// reach is how a cluster is reached.
type reach struct {
	ca, cert, key string
	insecure      bool
}

func (r *reach) flags() flags {
	return flags{
		{"ca", &r.ca, "the certificate of the CA that signed the cluster's"},
		{"cert", &r.cert, "this machine's certificate"},
		{"key", &r.key, "its key, which only you can read (chmod 600)"},
		{"insecure", &r.insecure, "without TLS, to a cluster on this machine only"},
	}
}

// cluster is the cluster of an address. Paths are relative to dir.
func (r reach) cluster(dir, address string) (at store.Cluster, err error) {
	if at, err = store.ParseCluster(address); err != nil {
		return at, err
	}
	for _, x := range []struct {
		flag string
		to   *string
		from string
	}{{"ca", &at.CA, r.ca}, {"cert", &at.Cert, r.cert}, {"key", &at.Key, r.key}} {
		switch {
		case r.insecure && x.from != "":
			return at, misuse("insecure", "--insecure is for a cluster without TLS, and --%s for one with it", x.flag)
		case !r.insecure && x.from == "":
			return at, misuse(x.flag, "--%s is missing", x.flag).
				WithHint("a cluster is reached with --ca, --cert and --key; --insecure is for one on this machine")
		case x.from != "":
			*x.to = absolute(dir, x.from)
		}
	}
	return at, nil
}

// joined is the cluster of an address as a home has noted it, unless flags say how it is reached.
func (r reach) joined(dir, address, home string) (store.Cluster, error) {
	if r == (reach{}) && store.OnCluster(home) {
		at, err := store.ReadCluster(home)
		if err != nil || at.Address() == address {
			return at, err
		}
	}
	return r.cluster(dir, address)
}

// onLedger calls fn with the ledger of an address.
func onLedger(e *Env, address string, r reach, fn func(store.Cluster, store.Backend) error) error {
	if e.connect == nil {
		return toFleet(e)
	}
	at, err := r.cluster(e.dir, address)
	if err != nil {
		return err
	}
	b, err := e.connect(at)
	if err != nil {
		return err
	}
	return errors.Join(fn(at, b), b.Close())
}

func fleetStatusVerb() verb {
	return verb{
		use: "status", short: "Show the ledger's cluster: members, space, the clock, schedulers",
		long: `status asks each member. It exits 1 if something needs you: a member that does not
answer, an alarm, half of the quota used, or a clock that differs by more than two seconds; and 75 if too few
members run, with what each says by itself. The schedulers that run, in consoles, servers and drivers,
divide the agents between them.`,
		example: "vise admin fleet status",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			l, err := fleetLedger(e)
			if err != nil {
				return nil, err
			}
			at, _ := l.Cluster()
			out := fleetState{Home: e.home.Dir(), Ledger: at.Address(), Epoch: at.Epoch, Majority: true, Warnings: []string{}}
			out.ClusterStatus, err = l.ClusterStatus(e)
			if model.HasCode(err, model.CodeBusy) {
				out.Majority = false
				out.warn()
				return answerOf(out, (*page).fleet).exits(exitBusy), nil
			}
			if err != nil {
				return nil, err
			}
			err = e.home.View(e, func(r model.Reader) error {
				out.Revision = r.Revision()
				for _, x := range r.HistoryBefore("", model.Position{}, 1) {
					out.NewestAhead = max(0, x.At.Sub(e.now()))
				}
				return nil
			})
			if err == nil {
				out.Archive, err = transfer.Archived(e, l)
			}
			out.warn()
			return answerOf(out, (*page).fleet).exits(failed(len(out.Warnings) > 0)), err
		},
	}
}

// fleetLedger is the open ledger, which must lie on a cluster.
func fleetLedger(e *Env) (*store.Ledger, error) {
	h, err := openHome(e)
	if err != nil {
		return nil, err
	}
	if _, is := h.Ledger.Cluster(); !is {
		return nil, refuse("the ledger of %s lies in a file, not on a cluster", h.Dir()).
			WithHint("vise admin fleet join makes a home on a cluster; vise doctor checks this one")
	}
	return h.Ledger, nil
}

// Shares of a member's quota, and how far clocks may differ, before vise admin fleet status warns.
const (
	quotaUsed   = 50
	clocksApart = 2 * time.Second
)

// share is how much of its quota a member's file takes, in percent.
func share(m store.ClusterMember) int64 { return m.Bytes * 100 / max(m.Quota, 1) }

// inUse is the share of its quota that a member has in use, in percent: without what a defragmentation frees.
func inUse(m store.ClusterMember) int64 { return m.Used * 100 / max(m.Quota, 1) }

func (s *fleetState) warn() {
	add := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if !s.Majority {
		add("no majority of the members works together: nothing can be read or changed until more of them run")
	}
	for _, m := range s.Members {
		switch used := share(m); {
		case m.Error != "":
			add("%s does not answer: start it again, or take it out of the cluster", m.Endpoint)
		case inUse(m) >= store.SpaceScarce:
			add("%s has %d %% of its quota in use, and only changes that end something are taken: run vise serve, which archives; then "+
				"compact and defragment it, or raise the quota", m.Endpoint, inUse(m))
		case used >= quotaUsed:
			add("%s uses %d %% of its quota: compact and defragment it, or raise the quota, before changes are refused", m.Endpoint, used)
		}
		if m.Peers == kv.PeersAccept {
			add("the port of %s for the other members accepts your certificate: any user can change everything there, as root. Give the "+
				"members certificates of an authority of their own: vise admin fleet init", m.Endpoint)
		}
		for _, alarm := range m.Alarms {
			add("%s reports: %s", m.Endpoint, alarm)
		}
	}
	if s.NewestAhead > clocksApart {
		add("the newest change is %v ahead of this machine's clock: set the clocks", s.NewestAhead.Round(time.Second))
	}
}

func (p *page) fleet(s fleetState) {
	p.say("%s", s.Ledger)
	if s.Majority {
		p.say("revision %d, cluster %s", s.Revision, s.ID)
	}
	rows := make([][]string, len(s.Members))
	for i, m := range s.Members {
		state := "member"
		if m.Leader {
			state = "leader"
		}
		said := fmt.Sprintf("etcd %s, %s of %s (%d %%), %s in use (%d %%)", m.Version, sizeOf(m.Bytes), sizeOf(m.Quota), share(m),
			sizeOf(m.Used), inUse(m))
		if m.Peers != "" {
			said += ", its port for members " + m.Peers + " your certificate"
		}
		if m.Error != "" {
			state, said = "away", m.Error
		}
		rows[i] = []string{m.Endpoint, state, said}
	}
	for _, x := range s.Schedulers {
		looksAfter := fmt.Sprintf("%d %% of the agents", x.Shards*100/max(x.Of, 1))
		rows = append(rows, []string{"scheduler", looksAfter, x.Name})
	}
	p.plainTable(2, rows)
	if s.Majority && len(s.Schedulers) == 0 {
		p.line("no scheduler runs: timers do not fire, and no work is offered, until vise, vise serve or vise drive does")
	}
	if said := s.Archive.Said(); said != "" {
		p.line("%s; the newest of them is of revision %d", said, s.Archive.Newest())
	}
	for _, w := range s.Warnings {
		p.say("%s", w)
	}
}

func fleetCheckVerb() verb {
	var repair bool
	return verb{
		use: "check", short: "Check the whole ledger on the cluster",
		long: `check reads all of the ledger at one revision: checksums, the history, and whether the lists and counts follow
from the records. Others work on meanwhile. It exits 1 if it finds a problem.`,
		example: "vise admin fleet check",
		flags:   flags{{"repair", &repair, "first make lists, counts, names and keys of retries again from the records and the history"}},
		who:     anybody,
		run: func(e *Env) (answer, error) {
			l, err := fleetLedger(e)
			if err != nil {
				return nil, err
			}
			done := doing(e, "reading the ledger")
			out := checkup{Home: e.home.Dir(), Checks: []check{}}
			var h store.Health
			if repair {
				h, err = l.Rebuild(e)
				out.note("repair", err, fmt.Sprintf("%d derived rows were made again", h.Derived))
			}
			h, err = l.Check(e)
			done()
			if err != nil {
				return nil, err
			}
			hints := []string{"keep the cluster as it is, and restore a snapshot of it; docs/fleet.md says how",
				"vise admin fleet check --repair makes them again"}
			for i, k := range verdicts(proof{Health: h})[:2] {
				out.add(k.Name, k.OK, k.Message, hints[i])
			}
			return answerOf(out, (*page).checkup).exits(failed(out.Problems > 0)), nil
		},
	}
}

func fleetGrantVerb() verb {
	var at reach
	var out granted
	var agents only
	return verb{
		use: "grant USER[,USER] ADDRESS", short: "Let users of the cluster use a ledger",
		long: `USER is the common name of a certificate. The user may read and change the ledger of ADDRESS; with --read only
read it; with --only read all of it, and change what belongs to these agents. A later grant takes the place of
an earlier one. Granting needs the certificate of the cluster's user root. Once root has granted something, the
cluster permits only what was granted.`,
		example: "vise admin fleet grant ann etcd://db1:2379,db2:2379,db3:2379/team --ca ca.pem --cert root.pem --key root.key",
		flags: append(at.flags(), flags{
			{"read", &out.Read, "only read, as a console for somebody who looks on"},
			{"only", agents.add, "change only what belongs to these agents"},
		}...),
		excludes: "read only",
		args:     to(&out.User, &out.Ledger),
		who:      anybody,
		run: func(e *Env) (answer, error) {
			users := strings.Split(out.User, ",")
			for _, user := range users {
				if err := grantable(user); err != nil {
					return nil, err
				}
			}
			for _, name := range agents {
				if !model.ValidID(name) {
					return nil, misuse("only", "%q is not an agent's name", name)
				}
				out.Agents = append(out.Agents, model.AgentID(name))
			}
			err := onLedger(e, out.Ledger, at, func(at store.Cluster, b store.Backend) (err error) {
				out.Ledger = at.Address()
				for _, user := range users {
					if err == nil {
						out.Enforced, err = store.GrantOn(e, b, user, out.Grant)
					}
				}
				return err
			})
			return answerOf(out, (*page).granted), err
		},
	}
}

func (p *page) granted(out granted) {
	switch {
	case out.Read:
		p.say("%s may read %s, and change nothing", out.User, out.Ledger)
	case len(out.Agents) > 0:
		p.say("%s may read %s, and change what belongs to %s", out.User, out.Ledger, strings.Join(as[string](out.Agents), ", "))
	default:
		p.say("%s may read and change %s", out.User, out.Ledger)
	}
	if !out.Enforced {
		p.line("the cluster does not enforce it yet: everybody whose certificate it accepts may do everything; grant with root's")
	}
}

// grantable refuses a name to which nothing can be granted.
func grantable(user string) error {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@ ", r)
	}
	switch {
	case user == "root":
		return misuse("user", "root may do everything on the cluster, and cannot be given less").
			WithHint("grant to the users that work with the ledger, each with a certificate of its own")
	case user == "" || len(user) > 64 || strings.TrimSpace(user) != user || strings.ContainsFunc(user, other):
		return misuse("user", "%q is not a user's name: 1 to 64 letters, digits, spaces, dots, dashes, underscores, @", user).
			WithHint("it is the common name of the certificate: openssl x509 -noout -subject -in FILE")
	}
	return nil
}
