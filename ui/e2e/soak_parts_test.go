package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"vise/model"
)

// useTools is an agent with its tools: it makes items, competes for them and completes them. The first agent's server
// is kept for measurements.
func (s *soak) useTools(name string) {
	agent := "a" + strings.TrimPrefix(name, "tools ")
	kept := agent == "a1"
	d := &tools{home: s.home, agent: agent}
	defer d.close()
	leave := func() {}
	var mine []string
	n := 0
	s.outOfStep(s.tool)
	s.every(s.tool, func() {
		n++
		c := s.nextCall(agent, mine, n)
		s.doubt(c)
		begun := time.Now()
		a, tried := answer{}, 0
		for ok := false; !ok && s.ctx.Err() == nil; tried++ {
			if d.cmd == nil {
				leave()
				if err := d.start(); err != nil {
					d.close() // killed while it started
					continue
				}
				leave = s.enter(name, d.cmd.Process, kept)
			}
			a, ok = d.do(c, fmt.Sprintf("%s-%d", agent, n), 0)
		}
		if s.ctx.Err() != nil {
			return
		}
		if tried == 1 {
			s.lap("tools", begun)
		}
		s.learn(c, a, d.made, &mine)
	})
	leave()
}

// outOfStep waits for a random time, so that agents do not all call in the same millisecond.
func (s *soak) outOfStep(pace time.Duration) {
	select {
	case <-time.After(time.Duration(s.chance(int(pace)))):
	case <-s.ctx.Done():
	}
}

func (s *soak) nextCall(agent string, mine []string, n int) call {
	c := call{agent: agent, kind: create, text: fmt.Sprintf("work %d of %s", n, agent)}
	if len(mine) < 5 || n%12 == 0 {
		return c
	}
	c.item = mine[s.chance(len(mine))]
	c.kind = []kind{rename, block, unblock, park, pick, pick, takeUp, look, look, finish}[s.chance(10)]
	return c
}

// doubt forgets what a call can change before its answer comes, or without an answer.
func (s *soak) doubt(c call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.kind == rename {
		delete(s.known, c.item)
	}
}

// learn records what was acknowledged. Nobody competes for a completed item any more.
func (s *soak) learn(c call, a answer, made string, mine *[]string) {
	s.count("calls of tools")
	if a.code != "" {
		if a.code != "completed" && a.code != "busy" && a.code != "not_found" {
			s.t.Errorf("%+v: %s", c, a.code)
		}
		s.count("refused: " + a.code)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c.kind {
	case create:
		s.known[made] = c.text
		*mine = append(*mine, made)
	case finish:
		s.done[c.item] = true
		for i, id := range *mine {
			if id == c.item {
				*mine = append((*mine)[:i:i], (*mine)[i+1:]...)
				break
			}
		}
	}
}

// watch is a person at a console, who starts it again when it dies. The first console is kept.
func (s *soak) watch(name string) {
	for i := 0; s.ctx.Err() == nil; i++ {
		x := onTerminal(s.t, s.vise(ctx, "--agent", "a1"), 120, 36)
		leave := s.enter(name, x.cmd.Process, name == "console 1")
		s.every(s.keys, func() {
			_, _ = x.file.WriteString([]string{"j", "k", "]", "[", "\t"}[s.chance(5)])
			if running(x) {
				return
			}
			leave()
			x.end()
			x = onTerminal(s.t, s.vise(ctx, "--agent", "a1"), 120, 36)
			leave = s.enter(name, x.cmd.Process, name == "console 1")
		})
		leave()
		x.end()
	}
}

func running(x *terminal) bool {
	select {
	case <-x.ended:
		return false
	default:
		return true
	}
}

// serve keeps the server running and knows its address.
func (s *soak) serve(name string) {
	listening := regexp.MustCompile(`listening on ([^\s"]+)`)
	for s.ctx.Err() == nil {
		cmd := s.vise(s.ctx, "serve", "--listen", "127.0.0.1:0")
		out, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			s.t.Errorf("serve: %v", err)
			return
		}
		leave := s.enter(name, cmd.Process, true)
		line := make([]byte, 4096)
		n, _ := out.Read(line)
		if found := listening.FindSubmatch(line[:n]); found != nil {
			s.mu.Lock()
			s.url = "http://" + string(found[1])
			s.mu.Unlock()
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		leave()
	}
}

// drive keeps the driver running and gives its agent work.
func (s *soak) drive(name string) {
	var feed sync.WaitGroup
	defer feed.Wait()
	feed.Go(func() {
		n := 0
		s.every(5*s.verb+time.Second, func() {
			n++
			_, err := s.ledger.Apply(ctx, model.Envelope{Key: fmt.Sprint("feed-", n), Actor: model.Operator, Agent: "dan", Command: model.CreateWorkItem{Objective: model.Text(fmt.Sprint("driven ", n))}})
			if err != nil {
				s.count("feeding refused")
			}
		})
	})
	for s.ctx.Err() == nil {
		cmd := s.vise(s.ctx, "drive")
		cmd.WaitDelay = time.Second
		if err := cmd.Start(); err != nil {
			s.t.Errorf("drive: %v", err)
			return
		}
		leave := s.enter(name, cmd.Process, false)
		_ = cmd.Wait()
		leave()
	}
}

// edit saves plans: as a whole by rename, or truncated and written again.
func (s *soak) edit(name string) {
	n := 0
	s.every(s.pace.edit, func() {
		n++
		items := filepath.Join(s.dir, "agents", "a"+fmt.Sprint(1+n%8), "work-items")
		all, _ := os.ReadDir(items) // only the names: reading thousands of files would be most of the load
		if len(all) == 0 {
			return
		}
		path, text := filepath.Join(items, all[s.chance(len(all))].Name(), "plan.md"), fmt.Appendf(nil, "# Plan %d of %s\n\n- step\n", n, name)
		if n%2 == 0 {
			_ = os.WriteFile(path, text, 0o600)
			return
		}
		if os.WriteFile(path+"~", text, 0o600) == nil {
			_ = os.Rename(path+"~", path)
		}
	})
}

// mint makes an item with an external wait, and a capability for it.
func (s *soak) mint() (path string) {
	id := "hooked"
	var out struct {
		Data struct {
			WorkItem model.View `json:"work_item"`
		} `json:"data"`
	}
	must(s.t, json.Unmarshal(s.must("--json", "new", id, "--agent", "a8"), &out))
	item := string(out.Data.WorkItem.ID)
	s.must("wait", item, "--external", "ci", "--recheck", "2h")
	url := strings.TrimSpace(string(s.must("trigger", "url", item, "--base", "http://x")))
	found := regexp.MustCompile(`/t/\S+`).FindString(url)
	if found == "" {
		s.t.Fatalf("no address in %q", url)
	}
	return found
}

// deliver sends a delivery, again with the same id until it is answered.
func (s *soak) deliver(path string) {
	client := &http.Client{Timeout: 2 * time.Second}
	n := 0
	s.every(s.hook, func() {
		n++
		for s.ctx.Err() == nil {
			s.mu.Lock()
			base := s.url
			s.mu.Unlock()
			r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, base+path, strings.NewReader("{}"))
			if base == "" || err != nil {
				return
			}
			r.Header.Set("X-Delivery-Id", fmt.Sprint("d-", n))
			begun := time.Now()
			got, err := client.Do(r)
			if err != nil {
				s.count("deliveries without an answer")
				<-time.After(50 * time.Millisecond)
				continue
			}
			got.Body.Close()
			s.count(fmt.Sprint("deliveries answered ", got.StatusCode))
			s.lap("webhook", begun)
			return
		}
	})
	s.mu.Lock()
	s.counts["deliveries"] = n
	s.mu.Unlock()
}

// atOnce bounds the verbs that run at the same time.
const atOnce = 12

// useVerbs is scripts and shells at work.
func (s *soak) useVerbs() {
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	n := 0
	s.every(s.verb, func() {
		select {
		case slots <- struct{}{}:
		default:
			s.count("verbs that found no slot")
			return
		}
		n++
		name, args := fmt.Sprint("verb ", n%atOnce), s.verbAt(n)
		all.Go(func() {
			defer func() { <-slots }()
			s.oneVerb(name, args)
		})
	})
	all.Wait()
}

// verbAt is the next verb. What one verb makes another completes: with ever more open items, memory could not stay flat.
func (s *soak) verbAt(n int) []string {
	agent := s.agents[n%len(s.agents)]
	switch n % 10 {
	case 0:
		return []string{"new", fmt.Sprint("verb ", n), "--agent", agent, "--key", fmt.Sprint("verb-", n)}
	case 6:
		if id := s.oldestMade(); id != "" {
			return []string{"complete", id}
		}
	case 1, 2:
		return []string{"next", "--agent", agent}
	case 3:
		return []string{"events", "--limit", "20"}
	case 4:
		return []string{"context", "--agent", agent}
	case 5:
		return []string{"status"}
	}
	return []string{"list", "--agent", agent}
}

// oldestMade takes an item that a verb made, once there are a few.
func (s *soak) oldestMade() (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) > 20 {
		id, s.made = s.made[0], s.made[1:]
	}
	return id
}

var madeByVerb = regexp.MustCompile(`"id":"(wi-[0-9a-z-]+)"`)

// oneVerb runs a verb, and notes the item that it made.
func (s *soak) oneVerb(name string, args []string) {
	begun := time.Now()
	end, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := s.vise(end, append([]string{"--json"}, args...)...)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		s.t.Errorf("%v: %v", args, err)
		return
	}
	leave := s.enter(name+fmt.Sprint(cmd.Process.Pid), cmd.Process, false)
	_ = cmd.Wait()
	leave()
	s.count(fmt.Sprint("verbs that ended with ", cmd.ProcessState.ExitCode()))
	switch cmd.ProcessState.ExitCode() {
	case 0:
		s.lap("verbs", begun)
		if found := madeByVerb.FindStringSubmatch(out.String()); args[0] == "new" && found != nil {
			s.mu.Lock()
			s.made = append(s.made, found[1])
			s.mu.Unlock()
		}
	case -1, 75: // killed, busy
	default:
		s.t.Errorf("vise %v: exit %d %s", args, cmd.ProcessState.ExitCode(), out.String())
	}
}
