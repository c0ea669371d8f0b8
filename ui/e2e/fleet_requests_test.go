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

// A command is a process of its own that knows nothing before. To learn which agents there are takes one request, to find its item among
// them and all that is recorded of it one, to read that again for the change one, and to commit one. Each other thing that has to be found
// first costs a request more: the item of a handle, a name that nothing has, a handle that is free, the focus that is left, another agent, the change that is undone; the history of an item costs two. What is shown
// of all agents is read agent by agent, and of finished items as many at once as fit in a request, each with what is recorded of it.
// Each look of a command is a transaction of its own that begins with what is newest: those that look two or three times before they change or
// show something, such as complete, answer, undo and show, take two to four more than one that looks once. A change takes nine at most.
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
		{4, "new Another --agent ann --priority high"},
		{7, "new Another --from ID0 --agent ann"},
		{4, "pick ID0 --agent ann"},
		{5, "pick ID1 --agent ann --reason next"},
		{6, "pick HANDLE1 --agent ann"},
		{4, "update ID1 --agent ann --objective Better"},
		{6, "update HANDLE1 --agent ann --objective Best"},
		{4, "update ID1 --objective Good"},
		{6, "update HANDLE1 --objective Fair"},
		{8, "undo"},
		{6, "undo --redo"},
		{4, "block ID1 --agent ann review"},
		{4, "unblock ID1 --agent ann"},
		{4, "wait ID1 --agent ann --operator Which? --choice LRU"},
		{8, "answer ID1 --agent ann LRU"},
		{5, "unblock ID1 --agent ann"},
		{6, "wait ID1 --agent ann --external github:o/r#7"},
		{6, "trigger ID1 --agent ann --payload ran"},
		{5, "snooze ID1 --agent ann --until 2h"},
		{7, "snooze ID1 --agent ann --withdraw"},
		{5, "update ID1 --agent ann --plan-status ready"},
		{4, "wait ID2 --agent ann --timer 2h"},
		{3, "say ann hello"},
		{4, "link ID3 --agent ann --ref issue:862"},
		{4, "unlink ID3 --agent ann --ref issue:862"},
		{8, "complete ID3 --agent ann"},
		{6, "report ID3 --agent ann --file -"},
		{4, "ack ID3 --agent ann"},
		{8, "complete ID4 --agent ann --report-file -"},
		{7, "delegate ID0 --agent ann --to eve Child"},
		{4, "trigger url --agent ann --resource github:o/r#8"},
		{6, "agents set ann --max-turns-per-hour 12"},
		{6, "list --agent ann"},
		{6, "list --agent bob"},
		{7, "list completed --agent bob"},
		{14, "list"},
		{13, "list completed"},
		{8, "show ID0 --agent ann"},
		{9, "show ID2 --agent ann"},
		{10, "show HANDLE0"},
		{16, "status"},
		{12, "status --agent ann"},
		{6, "inbox"},
		{10, "agents"},
		{8, "why ann"},
		{9, "context --agent ann"},
		{10, "why HANDLE0"},
		{5, "plan show HANDLE0"},
		{21, "events"},
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
