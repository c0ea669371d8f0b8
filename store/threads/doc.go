// Package threads keeps a repository's Work State on disk: .aictx/tasks/active.json,
// threads/<id>.json and threads/<id>.events.jsonl, shared with AICTX and with editors.
//
// Reads are bounded, follow no symbolic link and trust no file. Writes go through one
// lock, replace files whole, and are planned again when somebody without the lock changed
// a file meanwhile. The event log is written first, then the threads, then the pointer: a
// crash leaves every file whole.
//
// It also reads the state of a git repository through the git program, without letting the
// repository run anything.
//
// A repository is text from outside: its configuration can name programs. Of those that
// reading could start, the file system monitor, hooks, content filters, diff drivers,
// transports and pagers are switched off on every call, filters by the names that the
// configuration itself lists. A filter that is off may make a file look changed that is
// not. Submodules are compared by commit and not entered.
//
// Each capture ends within its limit; a git that does not answer is killed with its process
// group and reported as slow.
package threads
