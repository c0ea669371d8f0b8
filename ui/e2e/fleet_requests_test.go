//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vise/store/storetest"
)

// requests is how many requests to read or to change the only member of a cluster has been asked. Beside a command's first one it is asked how
// much of its quota is in use.
func requests(t *testing.T, c *storetest.Etcd) (n int) {
	t.Helper()
	r, err := http.Get(c.Members[0].Endpoint + "/metrics")
	must(t, err)
	defer r.Body.Close()
	for s := bufio.NewScanner(r.Body); s.Scan(); {
		if line := s.Text(); strings.HasPrefix(line, "grpc_server_started_total{") && !strings.Contains(line, "Maintenance") {
			count, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			must(t, err)
			n += int(count)
		}
	}
	return n
}

// A command is a process of its own that knows nothing before: one request reads, and one commits. What has to be found first costs a
// request more: the item of a handle, the agent that was not named, the focus that is left, an open wait of the item, another agent. What
// is shown of all agents is read at once, then the records that its lists name, then what these name.
func TestACommandTakesFewRequests(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	m := newFleetHome(t, fleetPrograms(t))
	m.must("fleet", "join", address(cluster, "team"), "--insecure", "--new")
	names := map[string]string{}
	idOf := func(out string) string {
		return regexp.MustCompile(`"id":"(wi-[0-9a-z]{20,})"`).FindStringSubmatch(out)[1]
	}
	for i := range 5 {
		out := m.must("new", "Split the rate limiter", "--agent", "ann", "--todo", "measure", "--json")
		names[fmt.Sprint("ID", i)] = idOf(out)
		names[fmt.Sprint("HANDLE", i)] = regexp.MustCompile(`"handle":"(wi-[0-9a-z]{4,12})"`).FindStringSubmatch(out)[1]
	}
	bob := &tools{home: &home{t: t, dir: m.dir, program: filepath.Join(m.bin, "vise")}, agent: "bob"} // one process makes them faster than 160
	for i := range 90 {                                                                               // more than a page of each list
		made, ok := bob.do(call{agent: "bob", kind: create, text: "Of a long list"}, fmt.Sprint("new-", i), 0)
		if ok && i < 70 {
			made, ok = bob.do(call{agent: "bob", kind: finish, item: bob.made}, fmt.Sprint("end-", i), 0)
		}
		if !ok || made.code != "" {
			t.Fatalf("item %d: %q", i, made.code)
		}
	}
	bob.close()
	for _, verb := range []struct {
		most int
		args string
	}{
		{2, "new Another --agent ann --priority high"},
		{3, "new Another --from ID0 --agent ann"},
		{2, "pick ID0 --agent ann"},
		{3, "pick ID1 --agent ann --reason next"}, // the focus is left
		{3, "pick HANDLE1 --agent ann"},
		{2, "update ID1 --agent ann --objective Better"},
		{3, "update HANDLE1 --agent ann --objective Best"},
		{3, "update ID1 --objective Good"},
		{3, "update HANDLE1 --objective Fair"},
		{2, "block ID1 --agent ann review"},
		{2, "unblock ID1 --agent ann"},
		{2, "wait ID1 --agent ann --operator Which? --choice LRU"},
		{3, "answer ID1 --agent ann LRU"}, // the wait
		{3, "unblock ID1 --agent ann"},    // the wait
		{3, "wait ID1 --agent ann --external github:o/r#7"},
		{3, "trigger ID1 --agent ann --payload ran"},      // the wait
		{3, "snooze ID1 --agent ann --until 2h"},          // the wait
		{3, "snooze ID1 --agent ann --withdraw"},          // the wait
		{3, "update ID1 --agent ann --plan-status ready"}, // the wait
		{2, "wait ID2 --agent ann --timer 2h"},
		{2, "say ann hello"},
		{2, "link ID3 --agent ann --ref issue:862"},
		{2, "unlink ID3 --agent ann --ref issue:862"},
		{2, "complete ID3 --agent ann"},
		{2, "report ID3 --agent ann --file -"},
		{2, "ack ID3 --agent ann"},
		{2, "complete ID4 --agent ann --report-file -"},
		{3, "delegate ID0 --agent ann --to eve Child"}, // the other agent
		{3, "trigger url --agent ann --resource github:o/r#8"},
		{3, "agents set ann --max-turns-per-hour 12"}, // its answer shows the agent's lists
		{6, "undo"}, // it looks for what to undo, in the history of each agent
		{6, "redo"},
		{3, "list --agent ann"},
		{3, "list --agent bob"},
		{3, "list completed --agent bob"},
		{3, "list"},
		{3, "list completed"},
		{2, "show ID0 --agent ann"},
		{3, "show ID2 --agent ann"}, // a wait
		{3, "show HANDLE0"},
		{3, "status"},
		{3, "status --agent ann"},
		{3, "inbox"},
		{3, "agents"},
		{3, "next --agent ann"},
		{3, "context --agent ann"},
		{3, "why HANDLE0"},
		{2, "plan show HANDLE0"},
		{3, "events"},
	} {
		words := strings.Fields(verb.args)
		for i, w := range words {
			if name := names[w]; name != "" {
				words[i] = name
			}
		}
		before := requests(t, cluster)
		c := m.command(words...)
		c.Dir, c.Stdin = t.TempDir(), strings.NewReader("Moved the bucket.")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("vise %s: %v\n%s", verb.args, err, out)
		}
		n := requests(t, cluster) - before
		t.Logf("%d: vise %s", n, verb.args)
		if n > verb.most {
			t.Errorf("vise %s took %d requests, want at most %d", verb.args, n, verb.most)
		}
	}
}
