package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
)

const (
	contextURI = "vise://context"
	planURI    = "vise://plan/"
	// maxPlanShown bounds how much of a plan a resource contains, in bytes.
	maxPlanShown = 256 << 10
	// plansListed bounds how many plans are listed to a client.
	plansListed = 50
	markdown    = "text/markdown"
)

func (s *server) addResources(x *sdk.Server) {
	x.AddResource(&sdk.Resource{URI: contextURI, Name: "context", Title: "Work context", MIMEType: markdown,
		Description: "Your current work item in full, what else waits, and the newest reports"}, s.resource(readContext))
	x.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: planURI + "{id}", Name: "plan", Title: "Plan of a work item",
		MIMEType: markdown, Description: "A work item's plan file"}, s.resource(readPlan))
	x.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: messageURI + "{id}", Name: "message", Title: "Message to you",
		MIMEType: markdown, Description: "A message that came with a tool's answer, in full"}, s.resource(readMessage))
}

// listWait is how long a list waits for the ledger. Programs wait for their servers' lists at their start, and start without the tools of a
// slow server.
const listWait = 200 * time.Millisecond

// knownPlans returns the caller's plans; while the ledger is busy, those of the last list.
func (s *server) knownPlans(ctx context.Context, meta map[string]any) []*sdk.Resource {
	agent, err := s.caller(meta)
	if err != nil {
		return nil
	}
	read := make(chan struct{})
	s.reading.Go(func() {
		defer close(read)
		list, err := s.plans(ctx, meta)
		if err != nil {
			s.Log.Warn("plans are not listed", "cause", err.Error())
			return
		}
		s.listedPlans.Store(agent, list)
	})
	select {
	case <-read:
	case <-time.After(listWait):
	}
	list, _ := s.listedPlans.Load(agent)
	known, _ := list.([]*sdk.Resource)
	return known
}

func (s *server) plans(ctx context.Context, meta map[string]any) ([]*sdk.Resource, error) {
	h, agent, err := s.openFor(meta)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	var out []*sdk.Resource
	err = h.View(ctx, func(r model.Reader) error {
		items, err := model.ListItems(r, agent, model.FilterOpen, nil, plansListed)
		for _, row := range items.Rows {
			out = append(out, &sdk.Resource{URI: planURI + string(row.ID), Name: string(row.Handle), MIMEType: markdown,
				Title: "Plan: " + cut(row.Objective, rowText).String()})
		}
		return err
	})
	return out, err
}

// resource serves the text that read returns for an address and the calling agent. An empty text means not found.
func (s *server) resource(read func(context.Context, *home.Home, model.AgentID, string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		h, agent, err := s.openFor(r.Params.Meta)
		if err != nil {
			return nil, err
		}
		text, err := read(ctx, h, agent, r.Params.URI)
		if errors.Is(err, errNoResource) {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		if err != nil {
			return nil, err
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
			{URI: r.Params.URI, MIMEType: markdown, Text: strings.ToValidUTF8(text, "\uFFFD")},
		}}, nil
	}
}

var errNoResource = errors.New("no such resource")

// readContext begins with the same notes as the fields read_only and damaged of a tool's answer.
func readContext(ctx context.Context, h *home.Home, agent model.AgentID, _ string) (text string, err error) {
	focus, err := h.Focus(ctx, agent)
	if err != nil {
		return "", err
	}
	left := h.Threads("").Left(ctx, focus.Links)
	err = h.View(ctx, func(r model.Reader) error {
		text = prompt.Fit(r, agent, prompt.Options{Now: time.Now(), Left: left}).Text()
		return nil
	})
	if damaged := h.Damage(); len(damaged) > 0 {
		text = "damaged: " + damaged[0].Message + "\n\n" + text
	}
	if x, ok := h.ReadOnly(); ok {
		text = "read_only: " + x.Message + "\n\n" + text
	}
	return text, err
}

func readPlan(ctx context.Context, h *home.Home, agent model.AgentID, uri string) (string, error) {
	id, err := h.Resolve(ctx, strings.TrimPrefix(uri, planURI))
	if err != nil {
		return "", errNoResource
	}
	err = h.View(ctx, func(r model.Reader) error {
		if w, _ := r.Item(id); w.AgentID != agent {
			return errNoResource
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	p := h.Plan(ctx, agent, id)
	if p.Condition != model.PlanOK && p.Condition != model.PlanElsewhere {
		return "", model.Refused("the plan file is %s: %s", p.Condition, model.Text(p.Reason))
	}
	return string(p.Raw[:min(len(p.Raw), maxPlanShown)]), nil
}

// readMessage returns a message to the agent in full.
func readMessage(ctx context.Context, h *home.Home, agent model.AgentID, uri string) (text string, err error) {
	err = h.View(ctx, func(r model.Reader) error {
		m, _ := r.Message(model.MessageID(strings.TrimPrefix(uri, messageURI)))
		if m.ID == "" || m.AgentID != agent {
			return errNoResource
		}
		text = m.Body.Multiline()
		return nil
	})
	return text, err
}

const (
	messageURI = "vise://message/"
	// messageLimit bounds the messages in an answer, in characters.
	messageLimit = 2400
	// peeked bounds how many queued messages are read for one answer.
	peeked = 20
)

// attached is a message to the agent as part of a tool's answer.
type attached struct {
	From model.Actor  `json:"from"`
	Item model.ItemID `json:"work_item_id,omitempty"`
	// WaitID and Question are those of the question that it answers, or that was withdrawn.
	WaitID   model.WaitID `json:"wait_condition_id,omitempty"`
	Question model.Text   `json:"question,omitempty"`
	At       time.Time    `json:"at"`
	Text     model.Text   `json:"text"`
	// Rest says where to read the whole text, if it was cut.
	Rest string `json:"rest,omitempty"`
	// Note distinguishes other senders' words from the operator's.
	Note string `json:"note,omitempty"`
}

// messages hands the agent as many waiting messages as one answer can hold. They are recorded as sent. A later call records that they were
// seen. The others wait.
func (c *call) messages(ctx context.Context) []attached {
	if c.queued == 0 {
		return nil
	}
	hand := c.envelope("-hand", model.HandMessages{AgentID: c.agent, Limit: c.queued, Except: c.except()})
	out, _, err := home.Answer(ctx, c.home, hand, home.Ending{}, func(r model.Reader, in model.Receipt) (out []attached) {
		for _, id := range in.Messages {
			m, _ := r.Message(id)
			out = append(out, attach(m))
		}
		return out
	})
	if err != nil {
		return nil
	}
	return out
}

// except returns the items that the agent's other sessions hold. Messages about them are for those sessions.
func (c *call) except() []model.ItemID {
	own, _ := c.picked.Load(c.agent)
	return c.home.HeldElsewhere(c.agent, func(s home.Session) bool { return s.Item == own })
}

// unheld returns the messages that are not for another session.
func (c *call) unheld(list []model.Message) []model.Message {
	if len(list) == 0 {
		return nil
	}
	others := c.except()
	return slices.DeleteFunc(list, func(m model.Message) bool { return slices.Contains(others, m.WorkItemID) })
}

// fitting returns how many of the first messages fit into an answer, at least one.
func fitting(list []model.Message) int {
	free := messageLimit
	for i, m := range list {
		if free -= lengthOf(m.Body); free < 0 && i > 0 {
			return i
		}
	}
	return len(list)
}

func lengthOf(t model.Text) int { return utf8.RuneCountInString(string(t)) } // raw: counted, not shown

func attach(m model.Message) attached {
	a := attached{From: m.Origin, Item: m.WorkItemID, WaitID: m.WaitID, Question: m.Question, At: m.CreatedAt,
		Text: cut(m.Body, messageLimit), Note: m.Note()}
	if a.Text != m.Body {
		a.Rest = fmt.Sprintf("the whole message is the resource %s%s", messageURI, m.ID)
	}
	return a
}
