package transcript

import (
	"cmp"
	"regexp"
	"strconv"
	"time"
)

// limitWords matches the text with which a program says that its usage limit is reached, and when it ends, to the minute. Claude Code:
// "You've hit your session limit · resets 5:11pm (UTC)", or "resets Nov 28, 7am (Europe/Berlin)". Codex: "You've hit your usage limit. …
// try again at 6:48 AM.", or "at Nov 28th, 2026 6:48 AM.".
var limitWords = regexp.MustCompile(`You.ve (?:hit|reached) your .*?(?:resets|try again at) ` +
	`(?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}),? )?)?(\d{1,2})(?::(\d{2}))? ?([aApP])[mM](?: \(([\w/+-]+)\))?`)

// LimitIn returns when the usage limit in a program's text ends, or zero if the text names none. A missing day or zone is taken from now.
func LimitIn(words string, now time.Time) time.Time {
	m := limitWords.FindStringSubmatch(words)
	if m == nil {
		return time.Time{}
	}
	if zone, err := time.LoadLocation(m[7]); err == nil && m[7] != "" {
		now = now.In(zone)
	}
	number := func(s string) (n int) { n, _ = strconv.Atoi(s); return n } // the text has digits or nothing
	hour, minute := number(m[4])%12, number(m[5])
	if m[6] == "p" || m[6] == "P" {
		hour += 12
	}
	year, month, day := now.Date()
	if named, err := time.Parse("Jan", m[1]); err == nil {
		year, month, day = cmp.Or(number(m[3]), year), named.Month(), number(m[2])
	}
	over := time.Date(year, month, day, hour, minute+1, 0, 0, now.Location()) // one minute more, since the named minute may be rounded down
	switch {
	case m[1] == "" && over.Before(now.Add(-time.Hour)):
		return over.AddDate(0, 0, 1)
	case m[1] != "" && m[3] == "" && over.Before(now.AddDate(0, -6, 0)):
		return over.AddDate(1, 0, 0)
	}
	return over
}
