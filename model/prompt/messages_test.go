package prompt_test

import (
	"strings"
	"testing"

	"vise/model"
	"vise/model/prompt"
)

// TestAnAnswerIsToldWithItsQuestion, as an agent can have asked several.
func TestAnAnswerIsToldWithItsQuestion(t *testing.T) {
	m := model.Message{Origin: model.Operator, Source: "answer", Question: "Which\nregion?", Body: "eu-west", Priority: model.Next}
	if got := prompt.Messages([]model.Message{m}); !strings.Contains(got, "asked: Which") || strings.Contains(got, "Which\nregion") ||
		!strings.Contains(got, "| eu-west") {
		t.Errorf("got %q", got)
	}
}
