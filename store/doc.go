// Package store keeps everything durable. A Ledger carries out what model decides; the
// Backend below it is an ordered set of keys with transactions and knows no rule.
//
// Reading order: backend.go for the contract of a backend and the one in memory, bolt.go for
// the one in a file, bolt_pack.go for its older history, keys.go for what lies under which key, ledger.go for the one way in,
// save.go for the one place that writes. Then what keeps a ledger safe: audit.go, the
// journal's copy, snapshots, backup, restore and compact.go.
package store
