package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	acp "github.com/coder/acp-go-sdk"
)

// heard is a Listener that keeps words. Each update waits for hold, if there is one.
type heard struct {
	words []string
	hold  chan struct{}
}

func (h *heard) Update(u acp.SessionUpdate) {
	if h.hold != nil {
		<-h.hold
	}
	if c := u.AgentMessageChunk; c != nil {
		h.words = append(h.words, c.Content.Text.Text)
	}
}

func (*heard) Ask(acp.RequestPermissionRequest) func(context.Context) acp.PermissionOptionId {
	return func(context.Context) acp.PermissionOptionId { return "" }
}

func (*heard) Question(acp.UnstableCreateElicitationForm) func(context.Context) map[string]any {
	return func(context.Context) map[string]any { return nil }
}

func chunk(words string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, words)
}

// connected is a connection to a program that has capabilities, and does something with each request; it exits if that returns false.
func connected(t *testing.T, l Listener, can string, does func(method string, write func(line string)) bool) (*Client, error) {
	in, to := io.Pipe()
	from, out := io.Pipe()
	t.Cleanup(func() { in.Close(); from.Close() })
	go func() {
		defer out.Close()
		lines := bufio.NewScanner(in)
		for goesOn := true; goesOn && lines.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			_ = json.Unmarshal(lines.Bytes(), &m)
			write := func(line string) {
				if result, is := strings.CutPrefix(line, "="); is {
					line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
				}
				_, _ = io.WriteString(out, line+"\n") // the client may have closed its end
			}
			if m.Method == "initialize" && can != "" {
				write(`={"protocolVersion":1,"agentCapabilities":` + can + `}`)
				continue
			}
			goesOn = does(m.Method, write)
		}
	}()
	return Connect(t.Context(), to, from, l)
}

// A listener that is held holds the program back, loses none of 100,000 updates and keeps their order. The program exits right after its
// answer.
func TestAFloodIsHeldBackAndComesInOrder(t *testing.T) {
	const many = 100_000
	synctest.Test(t, func(t *testing.T) {
		h, sent := &heard{hold: make(chan struct{})}, 0
		c, err := connected(t, h, "{}", func(_ string, write func(string)) bool {
			for ; sent < many; sent++ {
				write(chunk(fmt.Sprint(sent)))
			}
			write(`={"stopReason":"end_turn"}`)
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan error)
		go func() {
			_, err := c.Prompt(t.Context(), "go")
			answered <- err
		}()
		synctest.Wait()
		if sent < maxWaiting || sent > 1024 {
			t.Errorf("%d updates were taken while the first was held", sent)
		}
		close(h.hold)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		for i, w := range h.words {
			if w != fmt.Sprint(i) {
				t.Fatalf("update %d is %s", i, w)
			}
		}
		if len(h.words) != many {
			t.Errorf("%d of %d updates came", len(h.words), many)
		}
	})
}

func TestAProgramThatNeverAnswersIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := connected(t, &heard{}, "", func(string, func(string)) bool { return true })
		if err == nil || !strings.Contains(err.Error(), "no answer to initialize within 1m0s") {
			t.Errorf("connecting ended with %v", err)
		}
	})
}

// The words before a line that ends the session stay, and the error says what ended it. Lines that are no messages are counted.
func TestGarbageIsCountedAndALongLineEndsTheSession(t *testing.T) {
	h := &heard{}
	c, err := connected(t, h, "{}", func(_ string, write func(string)) bool {
		write("\x1b[31mnot\x00 json")
		write(`{"jsonrpc":`)
		write(`[]`)
		write(chunk("kept"))
		write(`{"jsonrpc":"2.0","method":"session/update","params":"` + strings.Repeat("x", maxLine) + `"}`)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Prompt(t.Context(), "go")
	if err == nil || !strings.Contains(err.Error(), "a line of more than 10 MiB") {
		t.Errorf("the prompt ended with %v", err)
	}
	if strings.Join(h.words, "") != "kept" {
		t.Errorf("it said %q", h.words)
	}
}

func TestASessionIsResumedElseLoadedElseNew(t *testing.T) {
	for can, want := range map[string]string{
		`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`: "old false [session/resume]",
		`{"loadSession":true}`: "old true [session/load]",
		`{}`:                   "fresh false [session/new]",
	} {
		var asked []string
		c, err := connected(t, &heard{}, can, func(method string, write func(string)) bool {
			asked = append(asked, method)
			write(`={"sessionId":"fresh"}`)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		id, loaded, why := c.Session(t.Context(), "/", "old", []acp.McpServer{})
		if got := fmt.Sprintf("%s %t %s", id, loaded, asked); got != want || (why == nil) != (id == "old") {
			t.Errorf("%s: %s, %v; want %s", can, got, why, want)
		}
	}
}
