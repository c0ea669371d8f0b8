package mcp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"vise/store/home"
	"vise/store/lock"
	"vise/ui/mcp"
)

const listResources = `{"jsonrpc":"2.0","id":"list","method":"resources/list"}`

// TestListsNeedNoLedger: programs start without a server's tools if its lists come late.
func TestListsNeedNoLedger(t *testing.T) {
	free := make(chan struct{})
	c := serve(t, "ann", nil, func(o *mcp.Options) {
		open := o.Open
		o.Open = func() (*home.Home, error) { <-free; return open() }
	})
	t.Cleanup(func() { close(free) }) // before the server's end, which waits for it
	c.initialize()
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		c.send(`{"jsonrpc":"2.0","id":"list","method":"` + method + `"}`)
		if a := c.read(); a.Error != nil {
			t.Errorf("%s: error %d", method, a.Error.Code)
		}
	}
}

func TestPlansStayListedWhileTheLedgerIsBusy(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	item := c.create("Split")
	c.send(listResources)
	if got := string(c.read().Result); !strings.Contains(got, string(item.ID)) {
		t.Fatalf("listed %s", got)
	}
	holder := lock.On(nil, filepath.Join(c.dir, "ledger.lock"), "a test")
	if err := holder.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	defer holder.Release()
	c.send(listResources)
	if got := string(c.read().Result); !strings.Contains(got, string(item.ID)) {
		t.Errorf("listed %s", got)
	}
}
