package store_test

import (
	"testing"

	"vise/store"
	"vise/store/storetest"
)

func TestLedgerInMemoryKeepsTheContract(t *testing.T) {
	storetest.Ledger(t, func(testing.TB) store.Backend { return store.NewMemory() })
}

func TestLedgerOnBoltKeepsTheContract(t *testing.T) {
	storetest.Ledger(t, func(t testing.TB) store.Backend { return newBolt(t, t.TempDir()) })
}
