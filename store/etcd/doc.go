// Package etcd keeps a ledger on an etcd cluster, so that programs on many machines share it. This page is the protocol; the files follow
// it.
//
// # Layout (keys.go)
//
// All keys lie below /vise/<ledger>/. The ledger is divided into parts, one for each agent. f/ has of each part what a console shows of
// all agents; p/<agent>/ has the rest, also its handles and the keys of its commands; n/ has what belongs to the whole ledger; s/ has
// the claims of processes. So who may change one agent only can change nobody else's names. A ledger's key is stored at one path, and a
// path is the key of etcd without the prefix.
//
// # Heads and compare (commit.go)
//
// Each part has a head, and each commit that writes a part writes its head. So the revision at which a head was last written is the
// version of its part: if a commit compares the head, it compares all that was read of the part, also keys that were absent. (A compare
// of the keys themselves would pass if one of them was deleted.) A transaction reads at one revision, and commits with one Txn of etcd:
// If nothing that it depends on was written since, Then write, Else read the heads, to name who was in the way. It depends on
//
//   - the head of each part that it read or writes, with the revision of its last change;
//   - each path of n/ that it read, the same; that the key of the command and an id that it makes are not there, which it does not read;
//   - each range across parts that it read, of which nothing may have been put; of an item that is imported, all heads;
//   - the fences: turns and claims, by the revision at which they were made.
//
// If something was written since, the change is judged again with what is newest, at most maxTries times. If a fence does not hold, the
// change is refused as stale and not judged again. Changes of different agents never wait for each other; those of one process to one
// part wait in line before they read (locks.go), because they would only conflict.
//
// # An unknown outcome
//
// If no member answers a commit, it may have taken place. The same commit is sent again: at most one of them can take place, because it
// changes the heads that the others compare. If it then fails, the heads tell whether an earlier one did: the change of the head that
// follows the one that was read has the value that the commit wrote. If that cannot be found out, the error is store.ErrUnknown, and the
// ledger looks for the answer of the command's key.
//
// # Reading (txn.go, scan.go)
//
// The first request of a transaction is linearizable and determines its revision, at which all others read. Each request also reads the
// heads of the parts and, with a record, what is usually read next. A command of one change looks first at what it changes, and the change
// reads that again: four to six requests, and two to four more for one that looks more than once. Nothing is guessed from earlier looks.
//
// Only the part that has a name, an id or a handle, stores it. A transaction that does not know the part reads which parts there are, and
// then asks all of them at once: a bare handle takes three round trips, with a thousand agents too.
//
// # Revisions and the feed (scan.go)
//
// etcd counts commits; the ledger's revision is that count, moved by what about/head had when the ledger was made. A change has the
// revision after the one at which it was judged, so a later commit can have a lower revision. News is therefore delivered in the order of
// commits: the heads that were written since say which parts to look at, and their journals what was committed.
//
// # Watch and mirror (watch.go, mirror.go)
//
// A program that lives long watches f/ and about/, and so hears of each commit once. With a mirror it also keeps them in memory, one
// whole revision after the other; a view reads the newest of these without a request, and what is not in it from the cache, which holds
// as long as the part's head is the same. After its own commit a program waits until the mirror has it. A change reads the mirror first;
// if it is refused or conflicts, it is judged again by what the cluster has. A member that says nothing is given up for another; if it no
// longer has what follows the mirror, the mirror is read anew.
//
// # Leases (lease.go, shards.go)
//
// A turn lives as long as f/live/<agent> is there, which has the lease of the turn's holder. Schedulers divide the agents in shards, and
// claim these under leases of their own. No clock decides who may write: what depends on a lease compares the revision at which its key
// was made. Clocks are compared only to tell that they differ (clocks.go).
package etcd
