package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// buildOf builds the programs of a commit, or of the work tree if none is named, and returns their directory.
func buildOf(t testing.TB, commit string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs("../..")
	must(t, err)
	if commit != "" {
		from := source
		source = filepath.Join(dir, "source")
		must(t, os.Mkdir(source, 0o700))
		archive := exec.Command("sh", "-c", `git -C "$0" archive "$1" | tar -x -C "$2"`, from, commit, source)
		if out, err := archive.CombinedOutput(); err != nil {
			t.Fatalf("the source of %s: %v\n%s", commit, err, out)
		}
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir+"/", "./ui/vise", "./ui/vise-markdown")
	build.Dir, build.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build of %q: %v\n%s", commit, err, out)
	}
	return dir
}

// side is a program with a home, a git repository beside it, and what runs there.
type side struct {
	t            testing.TB
	program, dir string
	env          []string
	today        bool // it is of today's program
	names        *names
	servers      map[string]*server
	console      *terminal
}

func newSide(t testing.TB, program, dir string) *side {
	w := &side{t: t, program: program, dir: dir, servers: map[string]*server{},
		names: &names{byReal: map[string]string{}, byName: map[string]string{}, counts: map[string]int{}}}
	w.env = []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "HOME=" + dir, "VISE_HOME=" + filepath.Join(dir, "home"), "VISE_ACTOR=operator",
		"TZ=UTC", "LANG=C.UTF-8", "COLUMNS=100", "EDITOR=" + filepath.Join(dir, "editor"), "USER=ann", "LOGNAME=ann", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.invalid", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.invalid",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	must(t, os.MkdirAll(filepath.Join(dir, "repo", "tmp", "review", "7"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "editor"), []byte("#!/bin/sh\necho 'edited by hand' >> \"$1\"\n"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "repo", "limit.go"), []byte("package limit\n\nvar most = 7\n"), 0o600))
	for _, args := range []string{"init -q -b main", "add limit.go", "commit -q -m first"} {
		w.sh("git " + args)
	}
	return w
}

// sh runs a line of the shell in the repository.
func (w *side) sh(line string) string {
	c := exec.Command("sh", "-c", line)
	c.Dir, c.Env = filepath.Join(w.dir, "repo"), w.env
	out, err := c.CombinedOutput()
	return fmt.Sprintf("%s%v", out, err)
}

// do carries out an act and returns what it says.
func (w *side) do(words []string) string {
	real := make([]string, len(words))
	for i, word := range words {
		real[i] = strings.ReplaceAll(w.names.real(word), "DIR", w.dir)
	}
	switch {
	case real[0] == "keys":
		return w.press(strings.Join(real[1:], " "))
	case real[0] == "!":
		return w.sh(strings.Join(real[1:], " "))
	case real[0] == "!plan":
		return w.editPlan(real[1], real[2])
	case strings.HasPrefix(real[0], "@"):
		return w.call(real[0][1:], real[1], real[2])
	}
	return w.run(real)
}

// run runs a command. A last word that begins with "<" is its standard input.
func (w *side) run(args []string) string {
	end, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(end, w.program)
	if last := len(args) - 1; strings.HasPrefix(args[last], "<") {
		c.Stdin, args = strings.NewReader(args[last][1:]), args[:last]
	}
	var said, warned bytes.Buffer
	c.Args, c.Dir, c.Env = append([]string{"vise"}, args...), filepath.Join(w.dir, "repo"), w.env
	c.Stdout, c.Stderr, c.WaitDelay = &said, &warned, time.Second
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Errorf("vise %q: %v", args, err)
	}
	if args[0] == "undo" && strings.Contains(said.String()+warned.String(), "last act cannot be undone") &&
		strings.Contains(said.String()+warned.String(), "vise undo --before undoes") {
		return w.run(append(slices.Clone(args), "--before")) // as the earlier program did unasked
	}
	return fmt.Sprintf("exit %d\n%s\n%s", c.ProcessState.ExitCode(), inOrder(said.String()), inOrder(warned.String()))
}

// editPlan writes another plan of an item, as an editor does that replaces the file.
func (w *side) editPlan(item, text string) string {
	c := exec.Command(w.program, "plan", "path", item)
	c.Dir, c.Env = filepath.Join(w.dir, "repo"), w.env
	out, err := c.Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" {
		return "no plan"
	}
	must(w.t, os.WriteFile(path+".new", []byte(text), 0o600))
	return fmt.Sprint(os.Rename(path+".new", path))
}

// server is an agent's MCP server.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// call calls a tool of an agent. Its server runs until the end of the trial.
func (w *side) call(agent, tool, arguments string) string {
	s := w.servers[agent]
	if s == nil {
		s = &server{cmd: exec.Command(w.program, "mcp", "--agent", agent, "--tools", "all")}
		s.cmd.Dir, s.cmd.Env = filepath.Join(w.dir, "repo"), w.env
		in, err := s.cmd.StdinPipe()
		must(w.t, err)
		out, err := s.cmd.StdoutPipe()
		must(w.t, err)
		must(w.t, s.cmd.Start())
		s.in, s.out = in, bufio.NewReaderSize(out, 1<<20)
		w.servers[agent] = s
		fmt.Fprintln(s.in, greeting)
		_, _ = s.out.ReadBytes('\n')
	}
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments)
	line, err := s.out.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	// The text of an answer is its structured content once more.
	var answer struct {
		Error  any `json:"error"`
		Result struct {
			Structured any  `json:"structuredContent"`
			Content    any  `json:"content"`
			IsError    bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		return line
	}
	if answer.Result.Structured != nil && !answer.Result.IsError {
		answer.Result.Content = nil
	}
	raw, err := json.Marshal(answer)
	must(w.t, err)
	return inOrder(string(raw))
}

// press types the keys of an act into the console, which is opened with the first one, goes back to the desk, and
// returns how the work items stand.
func (w *side) press(keys string) string {
	if w.console == nil {
		c := exec.Command(w.program)
		c.Args, c.Dir, c.Env = []string{"vise"}, filepath.Join(w.dir, "repo"), slices.Clone(w.env)
		w.console = onTerminal(w.t, c, 110, 34)
		w.console.settle(time.Second)
	}
	if earlier, today, differ := strings.Cut(keys, " => "); differ {
		keys = earlier
		if w.today {
			keys = today
		}
	}
	for _, key := range append(strings.Fields(keys), "esc", "esc", "esc", "1") {
		select {
		case <-w.console.ended:
			return "the console has ended: " + inOrder(w.console.text())
		default:
		}
		quiet := 60 * time.Millisecond
		if key == "esc" {
			quiet = 150 * time.Millisecond // a lone escape is told from the beginning of a sequence by time
		}
		if _, err := w.console.file.WriteString(cmp.Or(keyCodes[key], key)); err != nil {
			return "the console does not read"
		}
		w.console.settle(quiet)
	}
	return w.standing()
}

// standing is how the work items of both agents stand.
func (w *side) standing() string {
	var out []string
	for _, agent := range []string{"ann", "ben"} {
		out = append(out, w.run([]string{"list", "--agent", agent, "--limit", "100", "--todos", "--json"}))
	}
	return strings.Join(append(out, w.run([]string{"inbox", "--json"})), "\n")
}

// stop ends what runs.
func (w *side) stop() {
	for agent, s := range w.servers {
		s.in.Close()
		_ = s.cmd.Wait()
		delete(w.servers, agent)
	}
	if w.console != nil {
		w.console.end()
		w.console = nil
	}
}

// files returns the files that agents, people and other tools read: plans and reports in the home, and those of the
// repository with its threads and file todos; and how many they are.
func (w *side) files() (string, int) {
	var out []string
	for _, top := range []string{filepath.Join(w.dir, "home", "agents"), filepath.Join(w.dir, "repo"), filepath.Join(w.dir, ".config")} {
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // there is none
			case d.IsDir() && d.Name() == ".git":
				return fs.SkipDir
			case d.Type().IsRegular():
				raw, err := os.ReadFile(path)
				must(w.t, err)
				out = append(out, w.names.shared(path+"\n"+string(raw), w.dir))
			}
			return nil
		})
	}
	slices.Sort(out)
	return strings.Join(out, "\n"), len(out)
}
