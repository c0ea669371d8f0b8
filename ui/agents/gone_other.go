//go:build !unix

package hook

// gone is nil where no look at a pipe tells that its reader has ended.
var gone func()
