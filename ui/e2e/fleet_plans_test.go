package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
)

// A plan is edited in a console on another machine than that of its file, and saved in the file: each console shows it.
func TestAPlanIsEditedOnAnotherMachine(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	bin := fleetPrograms(t)
	a, b := newFleetHome(t, bin), newFleetHome(t, bin)
	at := address(cluster, "team")
	a.must("fleet", "join", at, "--insecure", "--new")
	b.must("fleet", "join", at, "--insecure")
	item := a.makes("Split the rate limiter", "--plan", "# Steps\n\n1. measure\n")
	file := strings.TrimSpace(a.must("plan", "path", item))

	here := onTerminal(t, a.command("--agent", "ann"), 100, 24)
	here.showing("1. measure")
	console := b.command("--agent", "ann")
	console.Env = append(console.Env, "EDITOR="+script(t, `printf '3. ship it\n' >>"$1"`))
	there := onTerminal(t, console, 100, 24)
	there.showing("1. measure")

	began := time.Now()
	must(t, os.WriteFile(file, []byte("# Steps\n\n1. measure\n2. split\n"), 0o600))
	there.showing("2. split")
	t.Logf("saved in the file and shown on the other machine: %v", time.Since(began))

	began = time.Now()
	there.keys("e")
	for raw := []byte(nil); !strings.HasSuffix(string(raw), "2. split\n3. ship it\n"); {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the file has %q, and the console shows\n%s", raw, there.text())
		}
		there.settle(10 * time.Millisecond)
		raw, _ = os.ReadFile(file)
	}
	t.Logf("from the key to the file: %v", time.Since(began))
	there.showing("3. ship it")
	here.showing("3. ship it")
	t.Logf("the other machine:\n%s", there.text())
	t.Logf("the machine of the file:\n%s", here.text())

	// Beyond the preview, with what a terminal would obey.
	must(t, os.WriteFile(file, []byte("\x1b[2Jcleared\n\n"+strings.Repeat("1. measure again\n", 500)+"the end \x1b[2J\n"), 0o600))
	there.showing("cleared")
	if strings.Contains(there.output(), "\x1b[2Jcleared") || strings.Contains(here.output(), "\x1b[2Jcleared") {
		t.Error("the terminal was driven")
	}
	there.until("the whole plan", func(string) bool { return strings.HasSuffix(b.must("plan", "show", item), "the end ·[2J\n") })
	there.quit()

	// Saved on the machine of the file while it is edited on the other one.
	edit := b.command("plan", "edit", item)
	edit.Env = append(edit.Env, "EDITOR="+script(t, `printf 'theirs\n' >'`+file+`'; VISE_HOME='`+a.dir+`' '`+filepath.Join(bin, "vise")+
		`' update `+item+` --plan-status ready >/dev/null; printf 'mine\n' >"$1"`))
	out, err := edit.CombinedOutput()
	aside := filepath.Join(b.dir, "state", "plans", "ann")
	if err == nil || !strings.Contains(string(out), "saved on another machine while you edited it") || !strings.Contains(string(out), aside) {
		t.Errorf("plan edit: %v\n%s", err, out)
	}
	copies, _ := filepath.Glob(filepath.Join(aside, "*", "plan.mine-1.md"))
	if len(copies) != 1 {
		t.Fatalf("kept are %q", copies)
	}
	if raw, err := os.ReadFile(copies[0]); err != nil || string(raw) != "mine\n" {
		t.Errorf("kept is %q, %v", raw, err)
	}
	if out := b.must("plan", "show", item); out != "theirs\n" {
		t.Errorf("the plan is %q", out)
	}
	for _, x := range []*terminal{here, there} {
		if strings.Contains(x.output(), "DAMAGED") {
			t.Errorf("a sound ledger is said to be damaged:\n%s", x.text())
		}
	}
	here.quit()

	// Nothing runs there: the answer and the plan say that the file waits.
	edit = b.command("plan", "edit", item)
	edit.Env = append(edit.Env, "EDITOR="+script(t, `printf 'not yet\n' >"$1"`))
	if out, err := edit.CombinedOutput(); err != nil || !strings.Contains(string(out), "no vise on the machine of the file has taken it") {
		t.Errorf("plan edit: %v\n%s", err, out)
	}
	if out := b.must("show", item); !strings.Contains(out, "its file does not have the last edit yet") {
		t.Errorf("show says\n%s", out)
	}
	there = onTerminal(t, b.command("--agent", "ann"), 100, 24)
	there.showing("on another machine, without this edit yet.")
	there.quit()

	// No console runs there, but the server of an agent's tools.
	tools := a.command("mcp", "--agent", "ann")
	in, err := tools.StdinPipe()
	must(t, err)
	must(t, tools.Start())
	edit = b.command("plan", "edit", item)
	edit.Env = append(edit.Env, "EDITOR="+script(t, `printf 'for the agent\n' >"$1"`))
	if out, err := edit.CombinedOutput(); err != nil || !strings.Contains(string(out), "saved in the ledger: "+item) {
		t.Errorf("plan edit: %v\n%s", err, out)
	}
	b.until(item, "plan.md has the edit of another machine")
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "for the agent\n" {
		t.Errorf("the file has %q, %v", raw, err)
	}
	must(t, in.Close())
	must(t, tools.Wait())
	a.must("fleet", "check")
}

// until waits until the newest event of an item is as said.
func (m *fleetHome) until(item, said string) {
	m.t.Helper()
	for began := time.Now(); !strings.Contains(m.must("events", "--item", item, "--limit", "1"), said); {
		if time.Since(began) > 20*time.Second {
			m.t.Fatalf("%q did not happen:\n%s", said, m.must("events", "--item", item))
		}
	}
}

// script writes a program of the shell.
func script(t *testing.T, body string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "edit.sh")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700))
	return path
}
