package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"vise/model"
)

// act is one act of one program on one home, timed as a process from its start to its end.
type act struct {
	program, name, size string
	dir                 string
	env                 []string
	// argv returns the command line of the nth run.
	argv func(n int) []string
	// unsure: the program may not support the act; then it is left out, with its own error.
	unsure bool

	walls, cpus []float64 // ms
	rss         float64   // MiB, the most
	failed      string
}

func fixed(argv ...string) func(int) []string { return func(int) []string { return argv } }

// time runs the act once.
func (a *act) time(n int) {
	argv := a.argv(n)
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = a.dir, append(os.Environ(), a.env...)
	var said bytes.Buffer
	c.Stderr = &said
	began := time.Now()
	err := c.Run()
	wall := time.Since(began)
	if err != nil {
		a.failed = fmt.Sprintf("%v: %s", err, strings.TrimSpace(said.String()))
		return
	}
	a.walls = append(a.walls, ms(wall))
	a.cpus = append(a.cpus, ms(c.ProcessState.UserTime()+c.ProcessState.SystemTime()))
}

// memory runs the act once more, through the launcher.
func (a *act) memory(launcher string, n int) {
	c := exec.Command(launcher, a.argv(n)...)
	c.Dir, c.Env = a.dir, append(os.Environ(), a.env...)
	if out, err := c.Output(); err == nil {
		kib, _ := strconv.Atoi(string(out))
		a.rss = float64(kib) / 1024
	}
}

// processes times every verb as a process of its own, on every home, in turns with an empty program and with the peers,
// so that other load on the machine affects all alike.
func (b *bench) processes() {
	acts := []*act{
		{program: "hello", name: "start and end", argv: fixed(b.hello)},
		{program: "vise", name: "version", argv: fixed(b.vise, "version")},
	}
	for _, s := range b.shapes(true) {
		acts = append(acts, b.verbs(b.home(s))...)
	}
	if *peers {
		acts = append(acts, b.peers()...)
	}
	b.inTurns(acts, *rounds)
}

// inTurns times the acts that often, in turns, and adds their figures.
func (b *bench) inTurns(acts []*act, rounds int) {
	for round := range rounds + 1 {
		for _, a := range acts {
			if a.failed == "" {
				a.time(round)
			}
		}
		if round == 0 { // the first round fills the cache
			for _, a := range acts {
				a.walls, a.cpus = nil, nil
			}
		}
	}
	for _, a := range acts {
		a.memory(b.launcher, rounds+1)
		if a.failed != "" && !a.unsure {
			b.Errorf("%s %s on %s: %s", a.program, a.name, a.size, a.failed)
		} else if a.failed != "" {
			b.Logf("%s %s on %s is left out: %s", a.program, a.name, a.size, a.failed)
		} else {
			b.report.add(figure{Row: a.name, Program: a.program, Size: a.size, Unit: "ms", P50: at(a.walls, 50), P99: at(a.walls, 99),
				CPU: at(a.cpus, 50), RSS: a.rss, N: len(a.walls)})
		}
	}
}

// verbs returns vise's acts on a home.
func (b *bench) verbs(h *measuredHome) []*act {
	var done []string
	l := b.open(h)
	for i := range *rounds + 2 {
		e := model.Envelope{Key: fmt.Sprintf("to-complete-%s-%d-%d", h, time.Now().UnixNano(), i), Actor: model.Operator, Agent: agentName(0),
			Command: model.CreateWorkItem{Objective: "Be completed"}}
		in, err := l.Apply(context.Background(), e)
		b.must(err)
		done = append(done, string(in.WorkItemID))
	}
	one := func(n int) string { return fmt.Sprintf("wi-0000-%08d", 1+n*37%(h.items/h.agents-1)) }
	verb := func(name string, argv func(int) []string) *act {
		return &act{program: "vise", name: name, size: h.String(), argv: func(n int) []string { return append([]string{b.vise}, argv(n)...) },
			env: []string{"VISE_HOME=" + h.dir, "VISE_AGENT=" + string(agentName(0)), "VISE_ACTOR=operator"}}
	}
	return []*act{
		verb("create", func(n int) []string { return []string{"new", fmt.Sprintf("Measured item %d", n)} }),
		verb("complete", func(n int) []string { return []string{"complete", done[n]} }),
		verb("list", fixed("list", "--json")),
		verb("next", fixed("next", "--json")),
		verb("show", func(n int) []string { return []string{"show", one(n), "--json"} }),
		verb("hook", fixed("hook", "claude", "Stop")),
	}
}
