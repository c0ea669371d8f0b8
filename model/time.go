package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseSpan reads a length of time as people write it: 30s, 1h30m, 3d, 2w. An empty text is an error, and so is a number
// without a unit.
func ParseSpan(s string) (time.Duration, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	d, err := time.ParseDuration(s)
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if count, ok := strings.CutSuffix(s, unit); ok {
			var n int
			if n, err = strconv.Atoi(count); n > 0 && n < int(maxSpan/length) {
				d = time.Duration(n) * length
			}
		}
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a length of time: it is like 30s, 30m, 1h30m, 3d or 2w", s)
	}
	return d, nil
}

// maxSpan bounds a span with days or weeks: about a hundred years.
const maxSpan = 100 * 365 * 24 * time.Hour

// Span writes a length of time in its two largest units: 45s, 12m30s, 1h5m, 3d4h, 2d.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return inUnits(d, day, "d", time.Hour, "h")
	case d >= time.Hour:
		return inUnits(d, time.Hour, "h", time.Minute, "m")
	case d >= time.Minute:
		return inUnits(d, time.Minute, "m", time.Second, "s")
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

func inUnits(d, large time.Duration, larges string, small time.Duration, smalls string) string {
	out := fmt.Sprintf("%d%s", d/large, larges)
	if rest := d % large / small; rest > 0 {
		out += fmt.Sprintf("%d%s", rest, smalls)
	}
	return out
}

var errTime = errors.New("a time is like 30m, 2h, 3d, 16:00, tomorrow 9 or 2026-11-21 09:00")

// ParseTime reads a time in the future as people write it: a span from now (30m, 1h30m, 3d), a time of day (16:00: today, or
// tomorrow if it is past), tomorrow with a time of day (tomorrow 9), a date with a time, or RFC 3339. Days and times are in
// now's location. A number alone is refused, because 5 can be minutes or an hour.
func ParseTime(s string, now time.Time) (time.Time, error) {
	t, err := timeOf(s, now)
	if err == nil {
		err = checkYear(t)
	}
	return t, err
}

// checkYear refuses a time that JSON cannot hold in UTC.
func checkYear(t time.Time) error {
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("a time is in the years 0 to 9999, and in UTC this one is in %d", y)
	}
	return nil
}

func timeOf(s string, now time.Time) (time.Time, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if d, err := ParseSpan(s); err == nil {
		return now.Add(d), nil
	}
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		if n > 23 {
			return time.Time{}, fmt.Errorf("%d has no unit: say %dm for minutes", n, n)
		}
		return time.Time{}, fmt.Errorf("%d may be minutes or a time of day: say %dm or %02d:00", n, n, n)
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02t15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if rest, ok := strings.CutPrefix(s, "tomorrow"); ok {
		return dayTime(now, 1, strings.TrimSpace(rest))
	}
	t, err := dayTime(now, 0, strings.TrimSpace(strings.TrimPrefix(s, "today")))
	if err == nil && !t.After(now) {
		return dayTime(now, 1, s)
	}
	return t, err
}

func dayTime(now time.Time, days int, clock string) (time.Time, error) {
	h, m, _ := strings.Cut(clock, ":")
	if m == "" {
		m = "00"
	}
	hour, err := strconv.Atoi(h)
	minute, err2 := strconv.Atoi(m)
	if err != nil || err2 != nil || hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return time.Time{}, errTime
	}
	y, mo, d := now.Date()
	return time.Date(y, mo, d+days, hour, minute, 0, 0, now.Location()), nil
}
