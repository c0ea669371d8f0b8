package store

import "vise/store/lock"

// LockOf is the lock of a ledger on bbolt.
func LockOf(l *Ledger) *lock.File { return l.backend.(*Bolt).lock }
