package etcd

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/store"
	"vise/store/storetest"
)

// One process at a time has a claim. The next one takes it when it is given up, and whoever lost it is told.
func TestOneProcessAtATimeHasAClaim(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	a, b := open(t, cluster, "l"), open(t, cluster, "l")
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	first, release, err := a.Claim(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	type claim struct {
		held    context.Context
		release func()
	}
	taken := make(chan claim, 1)
	go func() {
		held, release, err := b.Claim(ctx, "x")
		if err != nil {
			t.Error(err)
		}
		taken <- claim{held, release}
	}()
	if _, other, err := a.Claim(ctx, "y"); err != nil {
		t.Errorf("another claim: %v", err)
	} else {
		other()
	}
	for range 2 { // a claim is tried and beaten once in this time
		if err := store.Pause(ctx, claimBeats); err != nil {
			t.Fatal(err)
		}
		if len(taken) > 0 || first.Err() != nil {
			t.Fatal("two have the claim, or the first one has lost it")
		}
	}
	release()
	if first.Err() == nil {
		t.Error("a claim that was given up is held")
	}
	second := <-taken
	defer second.release()
	leases, err := b.clients[0].Leases(ctx)
	if err != nil || len(leases.Leases) != 1 {
		t.Fatalf("%d leases, %v", len(leases.Leases), err)
	}
	if _, err := b.clients[0].Revoke(ctx, clientv3.LeaseID(leases.Leases[0].ID)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-second.held.Done():
	case <-ctx.Done():
		t.Error("who lost the claim is not told")
	}
}
