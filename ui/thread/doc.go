// Package thread is the door to Work State: vise thread start, status, update, list, show,
// resume, close, prepare, finalize and doctor. It turns flags into a workstate.Command,
// hands it to the repository's threads and shows the answer; it knows no rule.
package thread
