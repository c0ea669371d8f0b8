// Package threads keeps a repository's Work State on disk: .aictx/tasks/active.json, threads/<id>.json and threads/<id>.events.jsonl. AICTX
// and editors use the same files.
//
// Reads are bounded, follow no symbolic link and trust no file. Writes take one lock and replace whole files. A command is planned again if
// a program without the lock changed a file meanwhile. The event log is written first, then the threads, then the pointer: a crash leaves
// every file complete.
//
// It also reads the state of a git repository through the git program, and lets the repository run nothing.
//
// A repository is text from outside: its configuration can name programs. Reading could start the file system monitor, hooks, content
// filters, diff drivers, transports and pagers. Every call switches these off; filters are switched off by the names in the configuration.
// Without its filter, an unchanged file can look changed. Submodules are compared by commit and not entered.
//
// Each capture ends within its limit. A git that does not answer is killed with its process group and reported as slow.
package threads
