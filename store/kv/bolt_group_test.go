package kv

import (
	"context"
	"runtime"
	"sync"
	"testing"
)

func TestWritersThatAskAgainShareTheNextCommit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const writers, each = 32, 50
	g := newGroup()
	commits := 0
	serve := func(calls []*call) {
		commits++
		for _, c := range calls {
			c.done <- nil
		}
	}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				if err := g.do(context.Background(), nil, serve); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	// A goroutine that takes the turn without waiting for others commits only for itself or for few.
	if commits > each*3/2 {
		t.Errorf("%d changes, %d at a time, took %d commits", writers*each, writers, commits)
	}
	t.Logf("%d commits", commits)
}
