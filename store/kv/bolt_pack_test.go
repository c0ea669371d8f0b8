package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"vise/store/lock"
)

// packedBolt returns a ledger's file with a packed history, and a memory backend with the same keys.
func packedBolt(t *testing.T, rng *rand.Rand) (*Bolt, *Memory, [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	var keys [][]byte
	twin := NewMemory()
	fill := func(txn Txn) error {
		rng := rand.New(rand.NewPCG(7, 7))
		var err error
		for n := range 400 {
			key := binary.BigEndian.AppendUint64(bytes.Clone(appendedTable), uint64(3*n+3))
			keys = append(keys, key)
			value := bytes.Repeat([]byte(fmt.Sprint("value ", rng.IntN(1000))), 1+rng.IntN(400))
			if n == 50 {
				value = bytes.Repeat(value, 1+3*frameSize/len(value)) // longer than a frame
			}
			err = errors.Join(err, txn.Put(key, value), txn.Put([]byte(fmt.Sprint("item/", n)), value[:3]))
		}
		return err
	}
	ctx := context.Background()
	if err := errors.Join(CreateBolt(nil, path, fill), twin.Update(ctx, fill)); err != nil {
		t.Fatal(err)
	}
	b := OpenBolt(nil, path, lock.On(nil, path+".lock", ""))
	t.Cleanup(func() { b.Close() })
	for range 2 { // the second copies the frames of the first
		if err := b.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := frames(t, b.path); n < 4 {
		t.Fatalf("only %d frames", n)
	}
	return b, twin, keys[:400]
}

func frames(t *testing.T, path string) (n int) {
	t.Helper()
	err := transact(nil, path, false, 0, func(s *session) error {
		if b := s.tx.Bucket(bucketPacked); b != nil {
			return b.ForEach(func(_, _ []byte) error { n++; return nil })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A reader of a ledger does not notice which part of its history is packed.
func TestPackedHistoryReadsAsBefore(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	b, twin, _ := packedBolt(t, rng)
	ctx := context.Background()
	some := func() []byte {
		return binary.BigEndian.AppendUint64(bytes.Clone(appendedTable), rng.Uint64N(1210))
	}
	read := func(on Backend, key []byte, r Range, limit int) (said string) {
		err := on.View(ctx, func(txn Txn) error {
			v, err := txn.Get(key)
			said = fmt.Sprintf("%q at %q", v, key)
			n := 0
			return errors.Join(err, txn.Scan(r, func(key, value []byte) bool {
				n++
				said += fmt.Sprintf("\n%q %x", key, Checksum(value))
				return n < limit
			}))
		})
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	for n := range 300 {
		r := Range{From: some(), To: some(), Reverse: n%2 == 0}
		if bytes.Compare(r.From, r.To) > 0 {
			r.From, r.To = r.To, r.From
		}
		if n%7 == 0 {
			r = Prefix(appendedTable)
			r.Reverse = n%2 == 0
		}
		key, limit := some(), 1+rng.IntN(500)
		if is, was := read(b, key, r, limit), read(twin, key, r, limit); is != was {
			t.Fatalf("%+v, %d:\n%s\nwas\n%s", r, limit, is, was)
		}
	}
}

// Every wrong bit in a frame is found as damage.
func TestADamagedFrameIsNamed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	b, _, _ := packedBolt(t, rng)
	for range 50 {
		err := transact(nil, b.path, true, 0, func(s *session) error {
			if err := s.guard("damage", func() error { return spoil(s.tx.Bucket(bucketPacked), rng) }); err != nil {
				return err
			}
			return s.run(func(txn Txn) error {
				return txn.Scan(Prefix(appendedTable), func(_, _ []byte) bool { return true })
			})
		})
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("got %v", err)
		}
	}
}

// spoil flips a bit of a frame.
func spoil(b *bbolt.Bucket, rng *rand.Rand) error {
	var keys [][]byte
	err := b.ForEach(func(key, _ []byte) error {
		keys = append(keys, bytes.Clone(key))
		return nil
	})
	if err != nil {
		return err
	}
	key := keys[rng.IntN(len(keys))]
	value := bytes.Clone(b.Get(key))
	value[rng.IntN(len(value))] ^= 1 << rng.IntN(8)
	return b.Put(key, value)
}
