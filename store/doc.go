// Package store keeps everything durable. A Ledger carries out what model decides. The backend below it, of package kv or on a cluster, is
// an ordered set of keys with transactions and knows no rule.
//
// Reading order: keys.go has the keys, ledger.go the interface, save.go the only code that writes changes, journal.go their history. Then
// what keeps a ledger right: check.go and audit.go (do its parts agree), journal_copy.go and journal_heal.go (its history's second copy, in
// files of package journal). Snapshots, backups and restores are in package
// recovery, moves and the archive of a cluster in package transfer.
package store
