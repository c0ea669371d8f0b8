package text

import (
	"regexp"
	"strconv"
	"time"
)

var utcStamp = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// LocalTimes writes the UTC times of a text in the given location, as people read them.
func LocalTimes(s string, in *time.Location) string {
	return utcStamp.ReplaceAllStringFunc(s, func(stamp string) string {
		t, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			return stamp
		}
		return t.In(in).Format(time.DateTime)
	})
}

// Age returns how long ago something was, in the largest full unit: 41s, 9m, 3h, 2d. It takes at most three cells below a hundred days. A
// time in the future is 0s.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return count(d, time.Second, "s")
	case d < time.Hour:
		return count(d, time.Minute, "m")
	case d < day:
		return count(d, time.Hour, "h")
	case d < 100*day:
		return count(d, day, "d")
	case d < 2*365*day:
		return count(d, 7*day, "w")
	}
	return count(d, 365*day, "y")
}

func count(d, unit time.Duration, name string) string {
	return strconv.FormatInt(int64(d/unit), 10) + name
}
