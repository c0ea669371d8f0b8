package model

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxWords bounds the text of one reply, in Unicode scalars. The record keeps MaxReport of a report; a file then keeps all of
// it.
const MaxWords = 1 << 20

// keptReport is the form of a report that the record of w keeps. A report longer than MaxReport is kept whole in a file beside
// the plan, named after its content; the record's text ends with the place of that file.
func (s *step) keptReport(w WorkItem, text Text) Text {
	if len(text) <= MaxReport || utf8.RuneCountInString(string(text)) <= MaxReport {
		return text
	}
	name := reportPrefix + Hash(string(text))[:12] + reportSuffix
	s.plans = append(s.plans, NewPlan{AgentID: w.AgentID, ItemID: w.ID, Name: name, Seed: text})
	goesOn := fmt.Sprintf("he report goes on: %d characters in all, whole in agents/%s/work-items/%s/%s in the home",
		utf8.RuneCountInString(string(text)), w.AgentID, w.ID, name)
	s.warnf(warnReportInFile, "t%s", goesOn)
	mark := "\n\n[T" + goesOn + ".]"
	return cut(text, MaxReport-len(mark)) + Text(mark)
}

// The beginning and the end of the name of a report's file, with a hash between them.
const (
	reportPrefix = "report-"
	reportSuffix = ".md"
)

// IsReportFile reports whether name can be that of a report's file.
func IsReportFile(name string) bool {
	hash, begins := strings.CutPrefix(name, reportPrefix)
	hash, ends := strings.CutSuffix(hash, reportSuffix)
	raw, err := hex.DecodeString(hash)
	return begins && ends && err == nil && len(raw) == 6
}

// maxPreamble bounds an announcement, in Unicode scalars.
const maxPreamble = 160

// The words of an announcement, in lower case: openings without content; phrases for the next step; and phrases that mean it
// only with "now" or if the sentence continues with an act.
var (
	openings = strings.Fields("ok okay alright great good perfect excellent now next then so finally done and")
	promises = []string{
		"i will ", "i'll ", "i shall ", "i am going to ", "i'm going to ", "i am about to ", "i'm about to ", "i can now ", "i now ",
		"let me ", "let's ", "let us ", "we will ", "we'll ", "time to ", "going to ", "i want to ", "i need to ", "i should ",
	}
	doings = []string{"completing ", "marking ", "closing ", "finishing ", "wrapping ", "i can ", "i mark ", "i complete ", "i close "}
)

// LooksLikePreamble reports whether a text is not a report, only one short sentence about the next step: "I will now complete
// this work item." (docs/lifecycle.md 9).
func LooksLikePreamble(t Text) bool {
	s := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(t.Raw()), "’", "'")) // raw: compared, not shown
	body := strings.TrimRight(s, ".:!…")
	goesOn := strings.ContainsAny(s[len(body):], ":…") || strings.HasPrefix(s[len(body):], "..") ||
		slices.Contains(strings.FieldsFunc(body, func(r rune) bool { return r == ' ' || r == ',' }), "now")
	for again := true; again; {
		again = false
		for _, word := range openings {
			rest, ok := strings.CutPrefix(body, word)
			if next := strings.TrimLeft(rest, " ,.!:;–—-"); ok && next != rest && next != "" {
				body, again = next, true
			}
		}
	}
	for _, end := range []string{"\n", ". ", "! ", "? ", "; "} {
		if strings.Contains(body, end) {
			return false
		}
	}
	begins := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(body, w) })
	}
	return utf8.RuneCountInString(s) <= maxPreamble && (begins(promises) || goesOn && begins(doings))
}
