// Package store keeps everything durable. A Ledger carries out what model decides; the
// Backend below it is an ordered set of keys with transactions and knows no rule.
//
// Reading order: backend.go for the contract of a backend, bolt.go and mem.go for the two
// that are built in, keys.go for what lies under which key, ledger.go for the one way in.
package store
