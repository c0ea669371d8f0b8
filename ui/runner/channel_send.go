package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/text"
)

// Message is what a channel sends: text for people, and the needs as data for programs.
type Message struct {
	Schema  string `json:"schema"`
	Channel string `json:"channel"`
	Title   string `json:"title"`
	Body    string `json:"body"`
	// Test marks a message that only tries the channel.
	Test bool `json:"test,omitempty"`
	// Count is the number of needs that the message is about; Needs holds the first of them.
	Count int        `json:"count"`
	Needs []needTold `json:"needs"`
}

// needTold is one need in a message.
type needTold struct {
	AgentID model.AgentID `json:"agent_id"`
	// ID names the work item, or the agent if the need is the agent's own.
	ID     model.ItemID `json:"id"`
	Handle model.Handle `json:"handle"`
	Need   model.Need   `json:"need"`
	Since  time.Time    `json:"since"`
	Says   string       `json:"says"`
}

// The bounds of a message.
const (
	needsTold  = 50
	linesTold  = 10
	saidCells  = 200
	titleCells = 100
)

// NeedsMessage makes the message about needs.
func NeedsMessage(channel string, needs []model.Inboxed, now time.Time) Message {
	m := Message{Schema: "vise.v1.needs", Channel: channel, Count: len(needs)}
	var lines []string
	for i, x := range needs {
		said := plainCut(action.NeedSays(x).String(), saidCells)
		if i < needsTold {
			m.Needs = append(m.Needs, needTold{x.AgentID, x.ID, x.Handle, x.Need, x.Since, said})
		}
		if i < linesTold {
			what := fmt.Sprintf("%s %s, %s %s: ", x.AgentID, x.Handle, action.NeedWord(x), text.Age(now.Sub(x.Since)))
			lines = append(lines, plainCut(what+said, saidCells))
		}
	}
	if more := len(needs) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	m.Title, m.Body = plainCut("vise: "+action.CountNeeds(needs, ", "), titleCells), strings.Join(lines, "\n")
	return m
}

// TestMessage makes a message that only tries the channel.
func TestMessage(channel string) Message {
	return Message{Schema: "vise.v1.needs", Channel: channel, Title: "vise: a test of channel " + channel,
		Body: "What needs you will come this way.", Test: true, Needs: []needTold{}}
}

// plainCut returns s as one line of at most cells columns that any screen can show.
func plainCut(s string, cells int) string {
	return text.Whole(text.Cut(text.Safe(strings.Join(strings.Fields(s), " "), false), cells))
}

// sendTime is how long a channel may take for one message.
const sendTime = 10 * time.Second

// Send sends a message once. The error says why the message did not arrive, or why nobody knows. It names no secret. again means that the
// message certainly did not arrive.
func Send(ctx context.Context, x config.Channel, m Message) (again bool, err error) {
	ctx, stop := context.WithTimeout(ctx, sendTime)
	defer stop()
	raw, err := json.Marshal(m)
	if err != nil {
		return true, err
	}
	switch {
	case x.Ntfy != "":
		return post(ctx, x.Ntfy, "text/plain; charset=utf-8", m.Title, []byte(m.Body))
	case x.Webhook != "":
		return post(ctx, x.Webhook, "application/json", "", raw)
	}
	return runChannel(ctx, x.Command, m, raw)
}

// post sends one request. Only a 2xx answer counts as success; a redirection is not followed. If no answer comes after the request began to
// be written, it may have arrived.
func post(ctx context.Context, to config.Address, kind, title string, body []byte) (again bool, err error) {
	var begun atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaderField: func(string, []string) { begun.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, string(to), bytes.NewReader(body))
	if err != nil {
		return true, errors.New("its address does not read")
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("User-Agent", "vise")
	if title != "" {
		r.Header.Set("Title", mime.BEncoding.Encode("utf-8", title))
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: transport, CheckRedirect: stay}
	answer, err := client.Do(r)
	if err != nil {
		var named *url.Error // its text would hold the whole address
		if errors.As(err, &named) {
			err = named.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %s", sendTime)
		}
		return !begun.Load(), err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10))
	if answer.StatusCode/100 != 2 {
		return true, fmt.Errorf("answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	return false, nil
}

// runChannel runs a program with the message as JSON on its standard input. Exit code 0 means sent, any other code means not sent. If the
// program was killed, the message may have arrived.
func runChannel(ctx context.Context, argv []string, m Message, stdin []byte) (again bool, err error) {
	words := append([]string{}, argv...)
	for i, w := range words[1:] {
		words[i+1] = strings.NewReplacer("{title}", m.Title, "{body}", m.Body).Replace(w)
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.SysProcAttr = files.OwnGroup()
	c.Cancel = func() error { return files.EndGroup(c.Process) }
	c.Stdin, c.WaitDelay = bytes.NewReader(stdin), time.Second
	if err := c.Start(); err != nil {
		var path *exec.Error
		if errors.As(err, &path) {
			err = path.Err
		}
		return true, err
	}
	err = c.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay: the program left a child that holds the input open
		return false, nil
	case ctx.Err() != nil:
		return false, fmt.Errorf("did not end within %s", sendTime)
	case errors.As(err, &exit) && exit.Exited():
		return true, fmt.Errorf("ended with %d", exit.ExitCode())
	case c.ProcessState != nil && c.ProcessState.Success(): // the program ended without reading its input
		return false, nil
	}
	return false, err
}
