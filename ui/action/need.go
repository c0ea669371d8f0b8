package action

import (
	"fmt"
	"strings"

	"vise/model"
)

// needWords are the words for what entries of the inbox ask for, in their order.
var needWords = []string{"permit", "ask", "fail", "stalled", "review", "seen"}

// NeedWord is what an entry of the inbox asks for, in a word.
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

// CountNeeds counts an inbox by these words, "1 ask, 2 review"; together they are its entries.
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

// NeedSays is what an entry of the inbox is about, in a sentence.
func NeedSays(x model.Inboxed) model.Text {
	switch x.Need {
	case "", model.NeedPermit: // it needs nothing, or its words are the need
		return x.Objective
	case model.NeedAnswer:
		switch {
		case x.Wait.Question != "":
			return x.Wait.Question
		case x.PlanStatus == model.NeedsInput:
			return "Its plan needs input: " + x.Objective
		}
		return "Waits for you: " + x.Objective
	case model.NeedRepair:
		return "Its turns fail: " + x.Objective
	case model.NeedNudge:
		return "Offered again and again, and nothing came of it: " + x.Objective
	case model.NeedPickup:
		return "Answered, not picked up: " + x.Objective
	case model.NeedReview:
		by := x.Wait.TriggeredBy
		if by != "" {
			by = " by " + by
		}
		return "Idle with a trigger" + by + ": " + x.Objective
	case model.NeedChoice:
		return "Completed without a report; one is offered: " + x.Objective
	case model.NeedReport:
		return "Completed without a report: " + x.Objective
	}
	return model.Text(fmt.Sprintf("Completed with %d of %d todos unfinished: ", x.Todo.Total-x.Todo.Done, x.Todo.Total)) + x.Objective
}
