package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
)

func TestEtcdKeepsTheContract(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		keepsTheContract(t, func(t testing.TB) store.Backend { return headed{open(t)} })
	})
}

func TestLedgerOnEtcdKeepsTheContract(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		ledgerContract(t, func(t testing.TB) store.Backend { return open(t) })
	})
}

func TestEtcdTellsOfTurnsAndTasks(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		turnsContract(t, func(t testing.TB) *store.Ledger { return on(t, open(t), nil) })
	})
}

// onEtcd starts a cluster and calls test with a function that opens new ledgers on it, without a mirror and with one.
func onEtcd(t *testing.T, test func(*testing.T, func(testing.TB) *etcd.Backend)) {
	cluster := storetest.StartEtcd(t, 1)
	var ledgers atomic.Int64
	for name, mirror := range map[string]bool{"cluster": false, "mirror": true} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t testing.TB) *etcd.Backend {
				t.Helper()
				return openEtcd(t, etcd.Config{Endpoints: cluster.Endpoints(), Ledger: fmt.Sprint("test-", ledgers.Add(1)), Mirror: mirror})
			})
		})
	}
}

// onLedger opens a ledger on a cluster.
func onLedger(t testing.TB, cluster *storetest.Etcd, ledger string) *etcd.Backend {
	t.Helper()
	return openEtcd(t, etcd.Config{Endpoints: cluster.Endpoints(), Ledger: ledger})
}

func openEtcd(t testing.TB, c etcd.Config) *etcd.Backend {
	t.Helper()
	b, err := etcd.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// headed is a backend whose transactions write the heads of the parts that they write to, as those of a ledger do.
type headed struct{ store.Backend }

func (h headed) Update(ctx context.Context, fn func(store.Txn) error) error {
	return h.Backend.Update(ctx, func(t store.Txn) error { return fn(headedTxn{t}) })
}

type headedTxn struct{ store.Txn }

func (h headedTxn) Put(key, value []byte) error {
	return errors.Join(h.Txn.Put(key, value), h.head(key))
}

func (h headedTxn) Delete(key []byte) error { return errors.Join(h.Txn.Delete(key), h.head(key)) }

func (h headedTxn) head(key []byte) error {
	part := store.PartOf(key)
	head := []byte("agent-head/" + part)
	if part == "" || bytes.Equal(key, head) {
		return nil
	}
	value, err := h.Txn.Get(head)
	return errors.Join(err, h.Txn.Put(head, bytes.Clone(value)))
}
