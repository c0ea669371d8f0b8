package action

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"vise/model"
)

// needWords are the words for needs, in their order.
var needWords = []string{"permit", "ask", "fail", "stalled", "review", "seen"}

// NeedWord returns in one word what an entry of the inbox asks for.
func NeedWord(x model.Inboxed) string {
	switch {
	case x.Seen:
		return "seen"
	case x.Need == model.NeedPermit:
		return "permit"
	case x.Need == model.NeedAnswer:
		return "ask"
	case x.Need == model.NeedRepair:
		return "fail"
	case x.Need == model.NeedNudge:
		return "stalled"
	}
	return "review"
}

// CountNeeds counts an inbox by these words, "1 ask, 2 review". The numbers add up to its entries.
func CountNeeds(inbox []model.Inboxed, between string) string {
	count := map[string]int{}
	for _, x := range inbox {
		count[NeedWord(x)]++
	}
	var parts []string
	for _, word := range needWords {
		if n := count[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, between)
}

// NeedSays says in a sentence what an entry of the inbox is about.
func NeedSays(x model.Inboxed) model.Text {
	gist := NeedGist(x)
	switch {
	case gist == "": // the item needs nothing, or its objective is the need
		return x.Objective
	case x.Need == model.NeedAnswer && x.Wait.Question != "":
		return gist
	}
	return gist + ": " + x.Objective
}

// came returns what a forge reported, as a continuation of its name.
func came(g model.WaitGist) model.Text {
	if g.Checked == "" {
		return ""
	}
	return ", " + g.Checked
}

// NeedGist is like NeedSays, without the item's objective.
func NeedGist(x model.Inboxed) model.Text {
	switch x.Need {
	case "", model.NeedPermit:
		return ""
	case model.NeedAnswer:
		switch {
		case x.Wait.Question != "":
			return x.Wait.Question
		case x.PlanStatus == model.NeedsInput:
			return "Its plan needs input"
		}
		return "Waits for you"
	case model.NeedRepair:
		return "Its turns fail"
	case model.NeedNudge:
		return "Offered again and again, and nothing changed"
	case model.NeedPickup:
		return "Answered, not yet read"
	case model.NeedReview:
		if x.Wait.TriggeredBy != "" {
			return "Idle, with news from " + model.Text(model.Spaced(x.Wait.TriggeredBy)) + came(x.Wait)
		}
		return "Idle, with news"
	case model.NeedChoice:
		return "Completed without a report; one is offered"
	case model.NeedReport:
		return "Completed without a report"
	}
	return model.Textf("Completed with %d of %d todos unfinished", x.Todo.Total-x.Todo.Done, x.Todo.Total)
}

// SnoozedWords say until when something is snoozed, in now's location; without a time, until it changes.
func SnoozedWords(until, now time.Time) string {
	switch until = until.In(now.Location()); {
	case until.IsZero():
		return "hidden until it changes"
	case until.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "hidden until " + until.Format("15:04")
	case until.Sub(now) < 6*24*time.Hour:
		return "hidden until " + until.Format("Mon 15:04")
	}
	return "hidden until " + until.Format("2006-01-02 15:04")
}

// linesSaid matches the ways in which people name lines of a plan.
var linesSaid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:plan\.md:|\blines?\s+|\bL)(\d{1,6})\b(?:\s*(?:-|–|to|and)\s*L?(\d{1,6})\b)?`)
})

// leastHeading is the least length of a heading by which a question can name it.
const leastHeading = 4

// LinesNamed returns the first and the last line of a plan that a question names, counted from 1. It finds numbers ("plan.md:12", "lines
// 3-5"), or the words of a heading and returns the heading's line. It returns 0 if the question names none.
func LinesNamed(question model.Text, plan []string) (from, to int) {
	asked := question.String()
	for _, m := range linesSaid().FindAllStringSubmatch(asked, -1) {
		from, _ = strconv.Atoi(m[1])
		to, _ = strconv.Atoi(m[2])
		if from >= 1 && from <= len(plan) {
			return from, min(max(from, to), len(plan))
		}
	}
	asked, from = strings.ToLower(asked), 0
	longest := leastHeading - 1
	for i, line := range plan {
		heading := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		if strings.HasPrefix(line, "#") && len(heading) > longest && strings.Contains(asked, heading) {
			from, longest = i+1, len(heading)
		}
	}
	return from, from
}
