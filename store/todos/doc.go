// Package todos keeps file todos on disk: <repo>/tmp/<workflow>/<id>/todos/<source>/NNN-….md,
// the layout and format of the Rune plugin, so that both tools can share a repository.
//
// It promises: a reader never follows a link out of the session and never trusts a size;
// what it cannot read it lists as damaged, with its reason, and leaves as it is; a writer
// touches the lines of the keys that change and the ends of two sections, nothing else;
// every write is a new file renamed into place, so that a crash leaves the old or the new;
// whoever changes a session holds its lock, readers need none.
//
// It also reads what other tools found (a TOME, SARIF 2.1, go vet -json, golangci-lint's
// JSON) as drafts of file todos. Reading the same report again gives the same finding ids,
// also when code above a finding has moved it, so that an import adds nothing twice.
package todos
