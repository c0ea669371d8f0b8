// Package store keeps everything durable. A Ledger carries out what model decides. The backend below it, of package kv or on a cluster, is
// an ordered set of keys with transactions and knows no rule.
//
// Reading order: keys.go has the keys, ledger.go the interface, save.go the only code that writes changes, journal.go their history. Then
// the files that keep a ledger safe: audit.go, the journal's copy, snapshots, backup and restore.
package store
