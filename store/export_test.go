package store

import "vise/store/lock"

// LockOf is the lock of a ledger on bbolt.
func LockOf(l *Ledger) *lock.File { return l.backend.(*Bolt).lock }

// CopyBeside has a ledger on bbolt copied without its lock however small it is.
func CopyBeside(l *Ledger) { l.backend.(*Bolt).shortCopy = 0 }
