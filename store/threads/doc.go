// Package threads keeps a repository's Work State on disk: .aictx/tasks/active.json,
// threads/<id>.json and threads/<id>.events.jsonl, shared with AICTX and with editors.
//
// Reads are bounded, follow no symbolic link and trust no file. Writes go through one
// lock, replace files whole, and are planned again when somebody without the lock changed
// a file meanwhile. The event log is written first, then the threads, then the pointer: a
// crash leaves every file whole.
package threads
