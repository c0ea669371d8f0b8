// Package gitstate reads the state of a git repository through the git program, without
// letting the repository run anything.
//
// A repository is text from outside: its configuration can name programs. Of those that
// reading could start, the file system monitor, hooks, content filters, diff drivers,
// transports and pagers are switched off on every call, filters by the names that the
// configuration itself lists. A filter that is off may make a file look changed that is
// not. Submodules are compared by commit and not entered.
//
// Each capture ends within Limit; a git that does not answer is killed with its process
// group and reported as slow.
package threads
