package model

// Text is words from outside: an agent, an operator, a file, a webhook. Its String is
// safe on a terminal; fmt uses it, so that printing a Text cannot drive one. Raw is what
// was written, for files, comparisons and JSON.
type Text string

// Raw is the text as it was written.
func (t Text) Raw() string { return string(t) }
