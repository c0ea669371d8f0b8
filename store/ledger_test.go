package store_test

import (
	"testing"

	"vise/model"
	"vise/store"
)

func TestLedgerInMemoryKeepsTheContract(t *testing.T) {
	ledgerContract(t, func(testing.TB) store.Backend { return store.NewMemory() })
}

func TestLedgerOnBoltKeepsTheContract(t *testing.T) {
	ledgerContract(t, func(t testing.TB) store.Backend { return newBolt(t, t.TempDir()) })
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func objective(key string) model.Envelope {
	return model.Envelope{Key: key, Actor: "agent:ada", Command: model.CreateWorkItem{Objective: model.Text(key)}}
}
