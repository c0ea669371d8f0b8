package mcp

import (
	"strings"
	"testing"

	"vise/model"
)

// What is at a limit is taken, what is beyond is not.
func TestMessagesAndWordsAtTheirLimits(t *testing.T) {
	around := `{"jsonrpc":"2.0","method":"ping","id":1,"params":{"x":""}}`
	for n, taken := range map[int]bool{maxLine: true, maxLine + 1: false} {
		line := strings.Replace(around, `"x":"`, `"x":"`+strings.Repeat("a", n-len(around)), 1)
		if _, refused := messageOf([]byte(line)); len(line) != n || (refused == nil) != taken {
			t.Errorf("a message of %d bytes: %+v, want taken %v", len(line), refused, taken)
		}
	}
	for n, clear := range map[int]bool{1: true, maxDepth: true, maxDepth + 1: false} {
		if why := model.Unclear([]byte(strings.Repeat("[", n)+strings.Repeat("]", n)), maxDepth); (why == "") != clear {
			t.Errorf("%d arrays in one another: %q, want clear %v", n, why, clear)
		}
	}
	for word, taken := range map[string]bool{
		"": true, strings.Repeat("a", maxWord): true, strings.Repeat("a", maxWord+1): false, "a\x00": false, "a\x01": true,
	} {
		if err := checkTask(TaskRequest{Command: []string{"true", word}}); (err == nil) != taken {
			t.Errorf("a word of %d bytes: %v, want taken %v", len(word), err, taken)
		}
	}
	for n, taken := range map[int]bool{2: true, 3: false} {
		if why, _ := (schema{MaxLength: 2}).excludes(" " + strings.Repeat("é", n) + " "); (why == "") != taken {
			t.Errorf("a text of %d characters: %q, want taken %v", n, why, taken)
		}
	}
}
