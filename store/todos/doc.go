// Package todos keeps file todos on disk: <repo>/tmp/<workflow>/<id>/todos/<source>/NNN-….md. This is the layout and format of the Rune
// plugin, so that both tools can share a repository. In this package a todo is a file todo.
//
// It promises: a reader never follows a link out of the session and never trusts a size. A file that cannot be read is listed as damaged,
// with the reason, and stays as it is. A writer changes only the lines of the changed keys and the ends of two sections. Every write
// renames a new file into place, so that a crash leaves the old or the new file. A process that changes a session holds its lock; readers
// need no lock.
//
// It also reads the reports of other tools (a TOME, SARIF 2.1, go vet -json, golangci-lint's JSON) as drafts of file todos. The same report
// gives the same finding ids each time, also when code above a finding has moved it, so that an import adds nothing twice.
package todos
