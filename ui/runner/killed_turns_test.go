//go:build linux

package runner

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
)

var killedSeed = flag.Uint64("killed-seed", 0, "the seed of TestWordsOutliveKills; 0 chooses one")

// unwritten is how old words must be when their driver is killed, to be in the session's log: that is written sixty times a second, but this
// machine may be busy.
const unwritten = time.Second

// speaker tells this process's words from those of all others; numbers of processes come again.
var speaker = time.Now().UnixNano()

// order tells the scripted program in which of its turns it kills what, after how many replies.
var order = regexp.MustCompile(`turn (\d+): kill (\w+) after (\d+)`)

func init() {
	// It says words that nobody else says, and notes them: "words" once they are written, "unsure" if they may not have been read when
	// their driver was killed. Each order is obeyed once, also if its message comes again.
	acpScripts["acp-obeys"] = func(p *player, prompt string) string {
		dir, kill, after := os.Getenv("DIR"), "nothing", 3
		for _, m := range order.FindAllStringSubmatch(prompt, -1) {
			if f, err := os.OpenFile(filepath.Join(dir, "turn "+m[1]), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				f.Close()
				kill = m[2]
				after, _ = strconv.Atoi(m[3])
			}
		}
		var words []string
		say := func() {
			words = append(words, fmt.Sprintf("[%d.%d]", speaker, p.texts))
			p.texts++
			p.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":%q}}`,
				p.texts, words[len(words)-1]))
			p.calls("ListWorkItems", nil)
			<-time.After(time.Duration(p.texts%4) * 10 * time.Millisecond)
		}
		for range after {
			say()
		}
		if kill == "driver" || kill == "both" {
			<-time.After(unwritten)
		}
		note(dir, "words", words)
		words = nil
		switch kill {
		case "driver", "both":
			say()
			note(dir, "unsure", words)
			_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		}
		if kill == "program" || kill == "both" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return `{"stopReason":"end_turn"}`
	}
}

func note(dir, kind string, words []string) {
	f, err := os.OpenFile(filepath.Join(dir, kind), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, strings.Join(words, "\n"))
	f.Close()
}

// Words that a program said are in the ledger once, whatever is killed: the program, its driver, both.
func TestWordsOutliveKills(t *testing.T) {
	storetest.Slow(t)
	seed := *killedSeed
	if seed == 0 {
		seed = storetest.Seed(t)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	b, dir := newBench(t), t.TempDir()
	go wake(t.Context(), b.ledger)
	b.do(model.Operator, model.AddAgent{AgentID: "ann"})
	unlimited := -1
	b.do(model.Operator, model.UpdateAgent{AgentID: "ann", MaxQuietTurnsPerHour: &unlimited})
	settle := func() { Settle(t.Context(), b.ledger, b.dir, home.SessionsIn(b.dir, time.Now)) } // as each command does
	var driver *exec.Cmd
	var ended chan error
	start := func() {
		driver, ended = exec.Command(os.Args[0]), make(chan error, 1)
		driver.Env = append(os.Environ(), "VISE_TEST_SCRIPT=drives-acp", "SCRIPT=acp-obeys", "VISE_HOME="+b.dir, "DIR="+dir)
		if err := driver.Start(); err != nil {
			t.Fatal(err)
		}
		go func(d *exec.Cmd, ended chan error) { ended <- d.Wait() }(driver, ended)
	}
	start()
	kills, fails := map[string]int{}, false
	for n := 1; n <= killedTurns; n++ {
		kill := []string{"nothing", "nothing", "nothing", "program", "driver", "both"}[r.IntN(6)]
		kills[kill]++
		b.do(model.Operator, model.Say{AgentID: "ann", Text: model.Textf("turn %d: kill %s after %d", n, kill, r.IntN(4))})
		if kill == "driver" || kill == "both" {
			<-ended
			if r.IntN(2) == 0 { // else the next driver ends the turn first
				settle()
			}
			start()
		}
		b.until(func(r model.Reader) bool {
			a, _ := r.Agent("ann")
			_, err := os.Stat(filepath.Join(dir, fmt.Sprint("turn ", n)))
			fails = a.FailedTurns > 0
			return err == nil && a.Turn == nil && (fails || a.QueuedInput == 0)
		})
		if settle(); fails { // it does not rest
			b.do(model.Operator, model.Retry{AgentID: "ann"})
		}
	}
	_ = driver.Process.Kill()
	<-ended
	settle()
	_, _, _ = EndLeft(b.dir, "ann")
	b.countWords(dir, fmt.Sprintf("seed %d, %d turns, killed %v", seed, killedTurns, kills))
}

// countWords compares what was said with the rounds in the ledger.
func (b *bench) countWords(dir, of string) {
	b.t.Helper()
	kept, read := map[string]int{}, func(kind string) (all []string) {
		raw, _ := os.ReadFile(filepath.Join(dir, kind))
		return strings.Fields(string(raw))
	}
	for _, e := range b.entries(model.EventRound) {
		for _, w := range regexp.MustCompile(`\[[\d.]+\]`).FindAllString(string(e.Data), -1) {
			kept[w]++
		}
	}
	var lost, doubled, unsure int
	for _, w := range read("words") {
		if kept[w] == 0 {
			lost++
			b.t.Errorf("lost %s", w)
		}
	}
	for _, w := range read("unsure") {
		unsure += kept[w]
	}
	for w, n := range kept {
		if n > 1 {
			doubled++
			b.t.Errorf("%s is in %d rounds", w, n)
		}
	}
	b.t.Logf("%s: %d words said, %d lost, %d doubled; of %d words said when their driver was killed %d kept", of, len(read("words")), lost,
		doubled, len(read("unsure")), unsure)
	if len(kept) < killedTurns {
		b.t.Errorf("only %d words", len(kept))
	}
}
