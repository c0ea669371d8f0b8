// Package fire holds the tests that put the whole program under fire: real processes that
// are killed, stopped and lied to while they share one home, and checkers that read from
// what is left whether a promise was broken. It has no code of its own.
//
// Each file is named after what it proves; docs/under-fire.md lists them all, with the
// figures that they must reach and the command for the long run.
package fire
