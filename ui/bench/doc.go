// Package bench measures the program from outside, beside an empty process and, where they
// are installed, beside other trackers on the same acts, in one run. It has no code of its
// own; docs/performance.md tells how it is run and how its figures are read.
//
// Reading order: measure_test.go (the whole run), home_test.go (what it works on),
// process_test.go and peers_test.go (a process for each act), ledger_test.go and
// writers_test.go (in one process), watched_test.go (a fleet at rest), terminal_test.go
// and console_test.go (on a terminal), report_test.go and chart_test.go (what is written).
package bench
