package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vise/model"
	service "vise/store/home"
	"vise/store/storetest"
	"vise/ui/config"
)

// sshd is an ssh server on the loopback device that accepts one key. Its sessions can be cut.
type sshd struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
	at  config.HostAddress
}

func newSSHD(t *testing.T, home string) *sshd {
	t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		program = "/usr/sbin/sshd" // it can be on root's PATH alone
	}
	if _, err := os.Stat(program); err != nil {
		storetest.Lacks(t, "sshd")
	}
	for _, x := range []string{"ssh", "ssh-keygen", "pgrep", "sh"} {
		storetest.Needs(t, x)
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "vise"))
	}
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	free.Close()
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{
		"sshd_config": "ListenAddress 127.0.0.1\nPort " + port + "\nHostKey " + dir + "/host\nAuthorizedKeysFile " + dir + "/user.pub\n" +
			"StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nMaxStartups 100\nSetEnv PATH=" + dir + ":/usr/bin:/bin\n",
		"ssh_config": "IdentityFile " + dir + "/user\nIdentitiesOnly yes\nUserKnownHostsFile " + dir + "/known\n",
		"known":      "[127.0.0.1]:" + port + " " + string(public),
	}
	for name, text := range lines {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // root's sshd needs this directory
	}
	s := &sshd{t: t, dir: dir, cmd: exec.Command(program, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cut()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		for range 1000 { // what a session started ends a little later, and writes in the home until then
			if exec.Command("pgrep", "-f", home).Run() != nil {
				return
			}
		}
	})
	if s.at, err = config.ParseHost("ssh://127.0.0.1:" + port + home); err != nil {
		t.Fatal(err)
	}
	return s
}

// host is the host as vise has it, with the keys and known hosts of the test.
func (s *sshd) host(name string) service.Host {
	return service.Host{Name: name, Dir: s.at.Home, Argv: slices.Insert(s.at.Command(), 1, "-F", filepath.Join(s.dir, "ssh_config"))}
}

// cut kills the present sessions and returns their number.
func (s *sshd) cut() (n int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(s.cmd.Process.Pid)).Output()
	for _, pid := range strings.Fields(string(out)) {
		if id, err := strconv.Atoi(pid); err == nil && syscall.Kill(id, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// TestAHostOverSSHThatIsCut sends messages to a home behind sshd while its sessions are killed again and again. Each
// message arrives once and in order. At the end this side knows the state of the host.
func TestAHostOverSSHThatIsCut(t *testing.T) {
	storetest.Slow(t)
	there, here := newHome(t, "ann"), newHome(t, "bob")
	server := newSSHD(t, there.dir)
	h, err := service.Open(here.dir, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	following, stop := context.WithTimeout(ctx, 10*time.Minute)
	hosts := service.NewHosts(following, service.HostOptions{Retry: func(int) time.Duration { return 20 * time.Millisecond }})
	defer hosts.Close()
	defer stop()
	hosts.Set([]service.Host{server.host("build")})
	w := service.WithHosts{Home: h, Hosts: hosts}
	until := func(what string, holds func(r model.Reader) bool) {
		for at := uint64(0); ; {
			ok := false
			if err := w.View(following, func(r model.Reader) error { ok, at = holds(r), r.Revision(); return nil }); err != nil {
				t.Fatal(err)
			}
			if ok {
				return
			}
			if _, err := w.Follow(following, at); err != nil {
				t.Fatalf("%s: %v; %+v", what, err, w.States())
			}
		}
	}
	connected := func(r model.Reader) bool { _, ok := r.Agent("ann@build"); return ok && !w.States()[0].Away }
	until("the host", connected)
	var sent atomic.Int64
	done := make(chan struct{})
	var working sync.WaitGroup
	var longest time.Duration
	working.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			text := model.Text(fmt.Sprintf("message %d", sent.Load()))
			began := time.Now()
			_, err := w.Apply(following, model.Envelope{Key: service.NewKey(), Actor: model.Operator, Agent: "ann@build",
				Command: model.Say{AgentID: "ann@build", Text: text}})
			longest = max(longest, time.Since(began))
			switch {
			case err == nil:
				sent.Add(1)
			case errors.Is(err, &model.Error{Code: model.CodeBusy}): // it was not sent: send the same again when that is possible
				until("the host", connected)
			default:
				t.Error(err)
				stop() // nobody has to wait for a message that is not sent
				return
			}
		}
	})
	cuts := storetest.Amount(5, 100)
	for n, last := 0, int64(-1); n < cuts; {
		until("the host, and an answer since the last cut", func(r model.Reader) bool { return connected(r) && sent.Load() > last })
		if last = sent.Load(); server.cut() > 0 {
			n++
		}
	}
	until("the host after the last cut", connected)
	close(done)
	working.Wait()
	var got []string
	x, err := service.Open(there.dir, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.View(ctx, func(r model.Reader) error {
		for _, m := range r.QueuedMessages("ann", 1<<20) {
			got = append(got, m.Body.Raw()) // raw: compared here
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, m := range got {
		if m != fmt.Sprintf("message %d", i) {
			t.Fatalf("message %d of %d is %q", i, len(got), m)
		}
	}
	if int64(len(got)) != sent.Load() {
		t.Errorf("%d messages were answered, %d arrived", sent.Load(), len(got))
	}
	until("what is there", func(r model.Reader) bool { a, _ := r.Agent("ann@build"); return a.QueuedInput == len(got) })
	t.Logf("%d cuts, %d messages, the longest was answered after %s", cuts, sent.Load(), longest)
}
