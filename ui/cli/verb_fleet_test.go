package cli

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// grants is a cluster that notes what it is asked to grant.
type grants struct {
	store.Backend
	kv.Cluster
	made []store.Grant
}

func (g *grants) Can() store.Capabilities { return store.Capabilities{Cluster: g} }

func (g *grants) Grant(_ context.Context, _ string, x store.Grant) (bool, error) {
	g.made = append(g.made, x)
	return true, nil
}

func (*grants) Close() error { return nil }

// runOn runs a command in an empty directory, with a cluster.
func runOn(t *testing.T, b store.Backend, args ...string) (out string, code int) {
	t.Helper()
	dir := t.TempDir()
	var o strings.Builder
	a := &Env{args: args, dir: dir, in: strings.NewReader(""), out: &o, err: &o, now: time.Now,
		getenv:  func(name string) string { return map[string]string{"VISE_HOME": dir + "/home", "HOME": dir}[name] },
		connect: func(store.Cluster) (store.Backend, error) { return b, nil },
	}
	code = execute(a, t.Context())
	return o.String(), code
}

// What a flag limits is not widened by an empty variable of a shell, and nothing is granted to a name that no user has, or to root.
func TestAnEmptyListLimitsNothingByMistake(t *testing.T) {
	b := &grants{}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--only", []string{"fleet", "grant", "bob", "AT", "--only", ""}},
		{"--only", []string{"fleet", "grant", "bob", "AT", "--only="}},
		{"--only", []string{"fleet", "grant", "bob", "AT", "--only", ","}},
		{"--only", []string{"fleet", "grant", "bob", "AT", "--only", "bob,"}},
		{"not an agent's name", []string{"fleet", "grant", "bob", "AT", "--only", " "}},
		{"--only", []string{"drive", "--once", "--only", ""}},
		{"--only", []string{"serve", "--drive", "--only", "ann,"}},
		{"not a user's name", []string{"fleet", "grant", "an n/", "AT"}},
		{"not a user's name", []string{"fleet", "grant", "", "AT"}},
		{"not a user's name", []string{"fleet", "grant", strings.Repeat("a", 65), "AT"}},
		{"root may do everything", []string{"fleet", "grant", "root", "AT", "--read"}},
	} {
		if i := slices.Index(c.args, "AT"); i > 0 {
			c.args[i] = "etcd://127.0.0.1:1/team"
			c.args = append(c.args, "--insecure")
		}
		if out, code := runOn(t, b, c.args...); code != 2 || !strings.Contains(out, c.says) {
			t.Errorf("vise %q: exit %d\n%s", c.args, code, out)
		}
	}
	if len(b.made) > 0 {
		t.Errorf("it granted %+v", b.made)
	}
	out, code := runOn(t, b, "fleet", "grant", "ann@example.org", "etcd://127.0.0.1:1/team", "--insecure", "--only", "ann,ben")
	if code != 0 || len(b.made) != 1 || len(b.made[0].Agents) != 2 || !strings.Contains(out, "belongs to ann, ben\n") {
		t.Errorf("exit %d, granted %+v\n%s", code, b.made, out)
	}
}

// Without a majority each member is shown as it answers, and what only a majority knows is not.
func TestAClusterWithoutAMajorityIsShown(t *testing.T) {
	s := fleetState{Ledger: "etcd://db1:2379,db2:2379/team", ClusterStatus: store.ClusterStatus{Members: []store.ClusterMember{
		{Endpoint: "https://db1:2379", Version: "3.6.1", Bytes: 1 << 20, Quota: 8 << 30}, {Endpoint: "https://db2:2379", Error: "no answer in time"}}}}
	said := func() string {
		s.Warnings = nil
		s.warn()
		p := &page{width: 200}
		p.fleet(s)
		return p.b.String()
	}
	out := said()
	for _, w := range []string{"no majority", "db2:2379 does not answer", "no answer in time", "etcd 3.6.1", "of 8.0 GB"} {
		if !strings.Contains(out, w) {
			t.Errorf("it does not say %q:\n%s", w, out)
		}
	}
	for _, w := range []string{"no scheduler runs", "revision", "epoch"} {
		if strings.Contains(out, w) {
			t.Errorf("it says %q:\n%s", w, out)
		}
	}
	s.Majority, s.Schedulers = true, []store.ClusterScheduler{{Name: "process 1 on a", Shards: 8, Of: 16}}
	if out := said(); strings.Contains(out, "no majority") || !strings.Contains(out, "50 % of the agents") || strings.Contains(out, "epoch") {
		t.Errorf("with a majority it says:\n%s", out)
	}
}

// A refusal of the home, such as one of a cluster's permissions, has an exit code of its own. The table says so.
func TestTheTableHasTheExitCodeOfAPermission(t *testing.T) {
	denied := model.Refuse(model.CodeRefused, "x").At("home")
	row := slices.IndexFunc(exits, func(x exit) bool { return x.code == exitOf(denied) })
	if exitOf(denied) != exitDamaged || !strings.Contains(exits[row].means, "refused") {
		t.Errorf("exit %d: %s", exitOf(denied), exits[row].means)
	}
}
