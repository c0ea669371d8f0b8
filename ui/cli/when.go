package cli

import (
	"strings"
	"time"

	"vise/model"
)

// instant reads when something is due: a delay (30m, 2h15m, 3d), a time of day (16:00, the
// next one), "tomorrow 9" or "tomorrow 16:00", a local date and time, or RFC 3339.
func instant(s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if d, ok := delay(s); ok {
		if d <= 0 {
			return time.Time{}, misuse("timer", "%q is not in the future", model.Text(s)).WithHint("%s", instantHint)
		}
		return now.Add(d), nil
	}
	if t, ok := clock(s, now, false); ok {
		return t, nil
	}
	if rest, ok := strings.CutPrefix(s, "tomorrow"); ok {
		if t, ok := clock(strings.TrimSpace(rest), now, true); ok {
			return t, nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, misuse("timer", "%q is no time", model.Text(s)).WithHint("%s", instantHint)
}

const instantHint = "give a delay (30m, 2h, 3d), a time (16:00), tomorrow 9, or RFC 3339 (2026-01-02T15:04:05Z)"

// delay reads a duration, days too.
func delay(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		return 24 * d, err == nil
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// clock reads a time of day: the next one from now, or tomorrow's.
func clock(s string, now time.Time, tomorrow bool) (time.Time, bool) {
	layouts := []string{"15:04"}
	if tomorrow {
		layouts = append(layouts, "15")
	}
	for _, layout := range layouts {
		c, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		day := now.Day()
		at := func(day int) time.Time {
			return time.Date(now.Year(), now.Month(), day, c.Hour(), c.Minute(), 0, 0, now.Location())
		}
		if tomorrow || !at(day).After(now) {
			day++
		}
		return at(day), true
	}
	return time.Time{}, false
}
