package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
)

// fleetHome is a home with the installed programs, as on a machine of its own.
type fleetHome struct {
	t      *testing.T
	bin    string
	dir    string
	config string // the directory of its settings; empty for the account's own
}

// fleetPrograms installs what a ledger on a cluster needs, and returns its directory.
func fleetPrograms(t *testing.T) string { return installed(t, "vise", "vise-fleet", "vise-markdown") }

func newFleetHome(t *testing.T, bin string) *fleetHome {
	m := &fleetHome{t: t, bin: bin, dir: filepath.Join(t.TempDir(), "home")}
	storetest.KeepOnFailure(t, m.dir)
	return m
}

func (m *fleetHome) command(args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(m.bin, "vise"), args...)
	c.Env = append(os.Environ(), "VISE_ACTOR=operator", "VISE_HOME="+m.dir, "EDITOR=true", "PATH=/usr/bin:/bin")
	if m.config != "" {
		c.Env = append(c.Env, "XDG_CONFIG_HOME="+m.config)
	}
	return c
}

func (m *fleetHome) must(args ...string) string {
	m.t.Helper()
	out, err := m.command(args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("vise %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// fails expects that a command ends with this exit code, and says all these words.
func (m *fleetHome) fails(code int, words []string, args ...string) {
	m.t.Helper()
	out, err := m.command(args...).CombinedOutput()
	ended := (*exec.ExitError)(nil)
	if !errors.As(err, &ended) || ended.ExitCode() != code {
		m.t.Errorf("vise %q: %v, want exit code %d\n%s", args, err, code, out)
	}
	for _, w := range words {
		if !strings.Contains(string(out), w) {
			m.t.Errorf("vise %q does not say %q:\n%s", args, w, out)
		}
	}
}

// makes makes a work item and returns its handle.
func (m *fleetHome) makes(objective string, args ...string) string {
	m.t.Helper()
	out := m.must(append([]string{"new", objective, "--agent", "ann"}, args...)...)
	handle := regexp.MustCompile(`wi-[0-9a-z]+`).FindString(out)
	if handle == "" {
		m.t.Fatalf("no work item: %s", out)
	}
	return handle
}

// note changes what the machine has noted of the cluster.
func (m *fleetHome) note(change func(*store.Cluster)) {
	m.t.Helper()
	c, err := store.ReadCluster(m.dir)
	must(m.t, err)
	change(&c)
	raw, err := json.Marshal(c)
	must(m.t, err)
	must(m.t, os.WriteFile(filepath.Join(m.dir, "fleet.json"), raw, 0o600))
}

// address is the address of a ledger on a cluster.
func address(c *storetest.Etcd, ledger string) string {
	var hosts []string
	for _, e := range c.Endpoints() {
		_, host, _ := strings.Cut(e, "://")
		hosts = append(hosts, host)
	}
	return "etcd://" + strings.Join(hosts, ",") + "/" + ledger
}

// Two machines share a ledger on a cluster of three, also while one member is gone. Without two of them, a command says so and ends.
func TestMachinesShareALedgerOnACluster(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	bin := fleetPrograms(t)
	a, b := newFleetHome(t, bin), newFleetHome(t, bin)
	at := address(cluster, "team")
	b.fails(3, []string{"has no ledger team", "--new"}, "fleet", "join", at, "--insecure")
	a.must("fleet", "join", at, "--insecure", "--new")
	b.fails(4, []string{"has a ledger team already"}, "fleet", "join", at, "--insecure", "--new")
	b.must("fleet", "join", at, "--insecure")
	a.fails(4, []string{"joined a cluster before"}, "fleet", "join", at, "--insecure")

	item := a.makes("Split the rate limiter", "--plan", "# Steps\n\n1. measure\n")
	heard := b.follows()
	b.must("pick", item)
	heard(item + "): picked")
	a.must("block", item, "the review")
	heard(item + "): blocked")
	b.must("unblock", item)
	if out := b.mcp(item); !strings.Contains(out, `\"objective\":\"Split the rate limiter\"`) {
		t.Errorf("the tool says %s", out)
	}
	b.planIsElsewhere(item)
	b.onlyForFiles()

	cluster.Members[0].Kill()
	a.must("pick", item)
	a.must("complete", item)
	heard(item + "): completed")
	if out := b.must("list", "--agent", "ann"); !strings.Contains(out, "done") {
		t.Errorf("not completed:\n%s", out)
	}
	b.must("fleet", "check")
	b.fails(1, []string{"leader", "away", "does not answer"}, "fleet", "status")

	cluster.Members[1].Kill()
	began := time.Now()
	a.fails(75, []string{"the cluster does not answer", "try again"}, "new", "Too few members", "--agent", "ann")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	began = time.Now()
	a.fails(75, []string{"no majority", "away", "member  etcd"}, "fleet", "status")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the status took %v", took)
	}
	cluster.Members[0].Start(t)
	cluster.Members[1].Start(t)
	for try := 0; a.command("list", "--agent", "ann").Run() != nil; try++ {
		if try == 20 { // each waits some seconds for an answer
			t.Fatal("the cluster is not back")
		}
	}
	a.makes("All members are back")
	b.must("fleet", "status")
	b.must("fleet", "check")
}

// follows runs vise events --follow until the test ends. The returned function waits for a line with some words.
func (m *fleetHome) follows() func(words string) {
	m.t.Helper()
	c := m.command("events", "--follow")
	out, err := c.StdoutPipe()
	must(m.t, err)
	must(m.t, c.Start())
	m.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return func(words string) {
		m.t.Helper()
		limit := time.NewTimer(20 * time.Second)
		defer limit.Stop()
		for {
			select {
			case l, ok := <-lines:
				if !ok {
					m.t.Fatalf("vise events ended before %q", words)
				}
				if strings.Contains(l, words) {
					return
				}
			case <-limit.C:
				m.t.Fatalf("vise events does not tell of %q", words)
			}
		}
	}
}

// mcp calls a tool about an item, as an agent's program does.
func (m *fleetHome) mcp(item string) string {
	m.t.Helper()
	c := m.command("mcp", "--agent", "ann")
	in, err := c.StdinPipe()
	must(m.t, err)
	out, err := c.StdoutPipe()
	must(m.t, err)
	must(m.t, c.Start())
	for _, x := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"GetWorkItem","arguments":{"work_item_id":"` + item + `"}}}`,
	} {
		fmt.Fprintln(in, x)
	}
	answer := ""
	for s := bufio.NewScanner(out); s.Scan(); {
		if answer = s.Text(); strings.Contains(answer, `"id":2`) {
			break
		}
	}
	must(m.t, in.Close())
	must(m.t, c.Wait())
	return answer
}

// planIsElsewhere expects that an item's plan, whose file is on the other machine, is shown and stays as it is described.
func (m *fleetHome) planIsElsewhere(item string) {
	m.t.Helper()
	out := m.must("plan", "show", item)
	if out != "# Steps\n\n1. measure\n" {
		m.t.Errorf("plan show says:\n%s", out)
	}
	m.fails(6, []string{"on another machine"}, "plan", "path", item)
	if out := m.must("plan", "edit", item); !strings.Contains(out, "nothing changed") {
		m.t.Errorf("plan edit says:\n%s", out)
	}
	m.must("update", item, "--objective", "Split the rate limiter in two")
	if out := m.must("show", item, "--json"); !strings.Contains(out, `"condition":"elsewhere"`) || !strings.Contains(out, "1. measure") {
		m.t.Errorf("show says:\n%s", out)
	}
	m.must("update", item, "--objective", "Split the rate limiter")
}

// onlyForFiles expects that commands for a ledger in a file are refused, and say what to use instead.
func (m *fleetHome) onlyForFiles() {
	m.t.Helper()
	m.fails(6, []string{"lies on a cluster", "etcdctl defrag"}, "compact")
	m.fails(6, []string{"lies on a cluster", "etcdutl snapshot restore"}, "restore", "--dry-run")
	m.fails(6, []string{"lies on a cluster", "vise admin fleet check"}, "doctor", "--repair")
	m.must("doctor")
	for _, name := range []string{"ledger.db", "home.json", "journal", "snapshots", "reserve"} {
		if _, err := os.Stat(filepath.Join(m.dir, name)); err == nil {
			m.t.Errorf("a home on a cluster has %s", name)
		}
	}
}

// Without vise-fleet, vise says what to install. It writes nothing.
func TestWithoutTheProgramForClustersViseSaysWhatToInstall(t *testing.T) {
	m := newFleetHome(t, installed(t, "vise"))
	words := []string{"vise-fleet", "install"}
	m.fails(5, words, "fleet", "join", "etcd://127.0.0.1:1/team", "--insecure")
	must(t, os.Mkdir(m.dir, 0o700))
	must(t, os.WriteFile(filepath.Join(m.dir, "fleet.json"), []byte(`{"endpoints":["127.0.0.1:1"],"ledger":"team","home_id":"x"}`), 0o600))
	m.fails(5, words, "new", "Nothing is written")
	m.fails(5, words, "list")
	m.must("version")
	if list, err := os.ReadDir(m.dir); err != nil || len(list) != 1 {
		t.Errorf("the home has %v, %v", list, err)
	}
}

// A cluster with certificates takes only those of its CA, and each writes only what its role permits. A machine that has seen another
// cluster, or a newer ledger, refuses it.
func TestCertificatesDecideWhoUsesALedger(t *testing.T) {
	ca, later := storetest.NewCA(t), time.Now().Add(time.Hour)
	cluster := storetest.StartSecureEtcd(t, ca)
	rootCert, rootKey := ca.Issue(t, "root", later)
	bin, at := fleetPrograms(t), address(cluster, "team")
	root := newFleetHome(t, bin)
	grant := func(user string, more ...string) string {
		return root.must(append([]string{"fleet", "grant", user, at, "--ca", ca.File, "--cert", rootCert, "--key", rootKey}, more...)...)
	}
	annCert, annKey := ca.Issue(t, "ann", later)
	if out := root.must("fleet", "grant", "ann", at, "--ca", ca.File, "--cert", annCert, "--key", annKey); !strings.Contains(out,
		"does not enforce it yet") {
		t.Errorf("a grant without authentication says: %s", out)
	}
	if out := grant("ann"); !strings.HasPrefix(out, "ann may read and change "+at+"\n") ||
		strings.Contains(out, "enforce") {
		t.Errorf("a grant by root says: %s", out)
	}
	join := func(m *fleetHome, ca, cert, key string, more ...string) []string {
		return append([]string{"fleet", "join", at, "--ca", ca, "--cert", cert, "--key", key}, more...)
	}

	ann := newFleetHome(t, bin)
	cert, key := ca.Issue(t, "ann", later)
	must(t, os.Chmod(key, 0o644))
	ann.fails(5, []string{"others can read", "chmod 600"}, join(ann, ca.File, cert, key, "--new")...)
	must(t, os.Chmod(key, 0o600))
	ann.fails(2, []string{"--key is missing"}, "fleet", "join", at, "--ca", ca.File, "--cert", cert)
	ann.fails(5, []string{"only with TLS"}, "fleet", "join", "etcd://192.0.2.1:2379/team", "--insecure")
	ann.must(join(ann, ca.File, cert, key, "--new")...)
	ann.makes("Only with a certificate")
	ann.must("fleet", "status")

	other := storetest.NewCA(t)
	ben := newFleetHome(t, bin)
	ben.fails(5, []string{"the certificate of the cluster is not accepted", "--ca"}, join(ben, other.File, cert, key)...)
	strangerCert, strangerKey := other.Issue(t, "ann", later)
	ben.fails(5, []string{"does not accept the certificate of ann", "/vise/team/"}, join(ben, ca.File, strangerCert, strangerKey)...)
	benCert, benKey := ca.Issue(t, "ben", later)
	ben.fails(5, []string{"does not permit ben", "/vise/team/"}, join(ben, ca.File, benCert, benKey)...)
	if _, err := os.Stat(ben.dir); err == nil {
		t.Error("a refused join made a home")
	}
	grant("ben", "--read")
	if out := ben.must(join(ben, ca.File, benCert, benKey)...); !strings.Contains(out, "only reads") || strings.Contains(out, "vise new") {
		t.Errorf("join says to a reader: %s", out)
	}
	ben.servesNothing()
	if out := ben.must("list", "--agent", "ann"); !strings.Contains(out, "Only with a certificate") {
		t.Errorf("a user who may read sees:\n%s", out)
	}
	denied := []string{"does not permit ben to change this", "vise admin fleet grant ben"}
	ben.fails(5, denied, "new", "Not by a reader", "--agent", "ben")
	if x := readOnlyOf(t, ben.dir); !strings.Contains(x, "lets ben only read") {
		t.Errorf("a program of a user who may only read says: %q", x)
	}
	ben.fails(5, denied, "drive", "--once", "--agent", "ann", "--adapter", "text", "--", "/bin/echo", "looked")
	grant("ben", "--only", "ben,eve")
	if x := readOnlyOf(t, ben.dir); x != "" {
		t.Errorf("a program of a user who may change something says: %q", x)
	}
	item := ann.makes("Not for ben")
	own := ben.makes("For ben", "--agent", "ben")
	ben.must("pick", own)
	ben.must("complete", own)
	ben.makes("For a driver", "--agent", "ben")
	if out := ben.must("drive", "--once", "--agent", "ben", "--adapter", "text", "--", "/bin/echo", "looked"); !strings.Contains(out, "completed") {
		t.Errorf("the driver of a user's own agent says:\n%s", out)
	}
	ben.fails(5, denied, "new", "For ann", "--agent", "ann")
	ben.fails(5, denied, "pick", item)
	grant("ben", "--read")
	ben.fails(5, denied, "new", "No more", "--agent", "ben")
	ben.fails(5, []string{"does not permit ben to grant", "root"},
		"fleet", "grant", "ben", at, "--ca", ca.File, "--cert", benCert, "--key", benKey)
	root.fails(2, []string{"--only"}, "fleet", "grant", "ben", at, "--insecure", "--read", "--only", "ben")
	ann.must("fleet", "check")

	goneCert, goneKey := ca.Issue(t, "gone", time.Now().Add(-time.Hour))
	ann.note(func(c *store.Cluster) { c.Cert, c.Key = goneCert, goneKey })
	ann.fails(5, []string{"the certificate of gone expired"}, "list")
	ann.note(func(c *store.Cluster) { c.Cert, c.Key, c.Revision = cert, key, 1<<40 })
	ann.fails(5, []string{"is older than this home has seen", "vise admin fleet join"}, "list")
	ann.note(func(c *store.Cluster) { c.Revision, c.ID = 0, "abc" })
	ann.fails(5, []string{"another cluster answers", "vise admin fleet join"}, "list")
}

// readOnlyOf is why a program that keeps what it shows in memory takes no change.
func readOnlyOf(t *testing.T, dir string) string {
	t.Helper()
	l, err := store.Open(dir, store.Options{Cluster: func(c store.Cluster) (store.Backend, error) {
		c.Mirror = true
		return etcd.Connect(c)
	}})
	must(t, err)
	defer l.Close()
	must(t, l.View(ctx, func(model.Reader) error { return nil }))
	for _, x := range l.Conditions(ctx) {
		if x.ReadOnly {
			return x.Message
		}
	}
	return ""
}

// servesNothing expects that vise serve says that it schedules nothing and archives nothing.
func (m *fleetHome) servesNothing() {
	m.t.Helper()
	c := m.command("serve", "--listen", "127.0.0.1:0")
	said, err := c.StderrPipe()
	must(m.t, err)
	must(m.t, c.Start())
	limit := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() })
	defer limit.Stop()
	all := ""
	for s := bufio.NewScanner(said); s.Scan(); {
		if all += s.Text() + "\n"; strings.Contains(all, "schedules nothing and archives nothing") {
			_ = c.Process.Kill()
		}
	}
	_ = c.Wait()
	if !strings.Contains(all, "schedules nothing and archives nothing") {
		m.t.Errorf("vise serve says to a reader:\n%s", all)
	}
}

// The commands of docs/fleet.md for one machine work, beside the one that starts the server.
func TestTheCommandsOfTheFleetPageWork(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	raw, err := os.ReadFile("../../docs/fleet.md")
	must(t, err)
	_, block, found := strings.Cut(string(raw), "runs it\n")
	block, _, ended := strings.Cut(block, "```")
	_, commands, begun := strings.Cut(block, "\n")
	if !found || !ended || !begun || !strings.HasPrefix(block, "etcd ") {
		t.Fatalf("the page has no such block: %q", block)
	}
	commands = strings.ReplaceAll(commands, "/tmp/", t.TempDir()+"/")
	commands = strings.ReplaceAll(commands, "etcd://127.0.0.1:2379/team", address(cluster, "team"))
	c := exec.Command("sh", "-eux", "-c", commands)
	c.Env = append(os.Environ(), "VISE_ACTOR=operator", "PATH="+fleetPrograms(t)+":"+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "Split the rate limiter") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The five commands of docs/fleet.md for three members work on one machine, as the page gives them for that. Then the ledger is on two
// machines, and no member's port for the others accepts a user.
func TestTheFleetPageStartsThreeMembersOnOneMachine(t *testing.T) {
	server := storetest.EtcdServer(t)
	raw, err := os.ReadFile("../../docs/fleet.md")
	must(t, err)
	block := func(after string) []string {
		_, rest, found := strings.Cut(string(raw), after)
		_, rest, begun := strings.Cut(rest, "```sh")
		rest, _, ended := strings.Cut(rest, "\n```")
		if !found || !begun || !ended {
			t.Fatalf("the page has no commands after %q", after)
		}
		return strings.Split(rest, "\n")[1:]
	}
	three, here := block("## A cluster of three"), block("To try this on one machine, in an empty directory")
	if len(three) != 5 || len(here) != 5 {
		t.Fatalf("%d and %d commands", len(three), len(here))
	}
	for i, line := range here {
		for _, replaced := range [][2]string{{"127.0.0.1:12379,127.0.0.1:22379,127.0.0.1:32379", "db1:2379,db2:2379,db3:2379"},
			{" --home home-ann", ""}, {" --home home-ben", ""},
			{"for n in 1 2 3; do sh member-$n/start.sh >member-$n.log 2>&1 & done", "sh member-1/start.sh"}} {
			line = strings.Replace(line, replaced[0], replaced[1], 1)
		}
		if line != three[i] {
			t.Errorf("on one machine %q, on three %q", line, three[i])
		}
	}
	dir := t.TempDir()
	bin := fleetPrograms(t)
	a, b := &fleetHome{t: t, bin: bin, dir: filepath.Join(dir, "home-ann")}, &fleetHome{t: t, bin: bin, dir: filepath.Join(dir, "home-ben")}
	began := time.Now()
	out := runFor(t, dir, bin+":"+filepath.Dir(server), // somebody may try the page on this machine
		strings.ReplaceAll(strings.Join(here, "\n"), "2379", "2479"))
	t.Logf("from nothing to two machines on three members: %v", time.Since(began).Round(time.Millisecond))
	for _, w := range []string{"member-3 is for the machine of 127.0.0.1:32479", "user-ben is for ben", "ann,ben may read and change"} {
		if !strings.Contains(out, w) {
			t.Errorf("it does not say %q:\n%s", w, out)
		}
	}
	a.makes("Split the rate limiter")
	if out := b.must("list", "--agent", "ann"); !strings.Contains(out, "Split the rate limiter") {
		t.Errorf("the other machine shows:\n%s", out)
	}
	if out := b.must("fleet", "status"); strings.Count(out, "its port for members refuses your certificate") != 3 {
		t.Errorf("the status is:\n%s", out)
	}
}

// runFor runs commands of a shell in a directory. What they leave running ends with the test.
func runFor(t *testing.T, dir, path, script string) (said string) {
	t.Helper()
	c := exec.Command("sh", "-eu", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "VISE_ACTOR=operator", "PATH="+path+":"+os.Getenv("PATH"))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.CreateTemp(t.TempDir(), "said") // a pipe would stay open with what runs on
	must(t, err)
	defer file.Close()
	c.Stdout, c.Stderr = file, file
	must(t, c.Start())
	t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err = c.Wait()
	out, unread := os.ReadFile(file.Name())
	must(t, unread)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
