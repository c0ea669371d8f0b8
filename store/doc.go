// Package store keeps everything durable. A Ledger carries out what model decides. The Backend below it is an ordered set of keys with
// transactions and knows no rule.
//
// Reading order: backend.go has the contract of a backend and the backend in memory, bolt.go the backend in a file, bolt_pack.go its older
// history, keys.go the keys, ledger.go the interface, save.go the only code that writes changes, journal.go their history. Then the files
// that keep a ledger safe: audit.go, the journal's copy, snapshots, backup, restore, compact.go and upgrade.go.
package store
