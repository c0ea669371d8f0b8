package action

import (
	"strings"
	"testing"

	"vise/model"
)

func TestAQuestionNamesLinesOfThePlan(t *testing.T) {
	plan := strings.Split("# Cache\n\nHow plans are kept.\n\n## Eviction\n\nLRU or LFU.\n\n## Size\n\n64 MiB.", "\n")
	for asked, want := range map[string][2]int{
		"LRU or LFU (plan.md:7)?":             {7, 7},
		"Is line 3 right?":                    {3, 3},
		"Lines 5-7, or drop them?":            {5, 7},
		"Lines 5 to 7?":                       {5, 7},
		"See L9–L11":                          {9, 11},
		"Line 10 to 400?":                     {10, 11},
		"line 400?":                           {0, 0},
		"What about eviction?":                {5, 5},
		"Which size, and which eviction?":     {5, 5},
		"Is 7 enough?":                        {0, 0},
		"LRU or LFU?":                         {0, 0},
		"Deadlines 3 and 5?":                  {0, 0},
		"line 99999999999999999999999999999?": {0, 0},
	} {
		if from, to := LinesNamed(model.Text(asked), plan); from != want[0] || to != want[1] {
			t.Errorf("%q names %d to %d, want %d to %d", asked, from, to, want[0], want[1])
		}
	}
	if from, to := LinesNamed("line 1?", nil); from != 0 || to != 0 {
		t.Errorf("of no plan it names %d to %d", from, to)
	}
}
