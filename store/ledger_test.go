package store_test

import (
	"testing"

	"vise/store"
)

func TestLedgerInMemoryKeepsTheContract(t *testing.T) {
	ledgerContract(t, func(testing.TB) store.Backend { return store.NewMemory() })
}

func TestLedgerOnBoltKeepsTheContract(t *testing.T) {
	ledgerContract(t, func(t testing.TB) store.Backend { return newBolt(t, t.TempDir()) })
}
