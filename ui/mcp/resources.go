package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
)

const (
	contextURI = "vise://context"
	planURI    = "vise://plan/"
	// maxPlanShown bounds how much of a plan a resource carries, in bytes.
	maxPlanShown = 256 << 10
	// plansListed bounds how many plans a client is told of.
	plansListed = 50
	markdown    = "text/markdown"
)

func (s *server) addResources(x *sdk.Server) {
	x.AddResource(&sdk.Resource{URI: contextURI, Name: "context", Title: "Work context", MIMEType: markdown,
		Description: "Your current work item in full, what else waits, and the newest reports"}, s.readContext)
	x.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: planURI + "{id}", Name: "plan", Title: "Plan of a work item", MIMEType: markdown,
		Description: "A work item's plan file"}, s.readPlan)
	x.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: messageURI + "{id}", Name: "message", Title: "Message to you", MIMEType: markdown,
		Description: "A message that came with a tool's answer, in full"}, s.readMessage)
}

// listing adds the plans of the agent's open items to the resources that a client lists.
func (s *server) listing(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		out, err := next(ctx, method, r)
		found, ok := out.(*sdk.ListResourcesResult)
		if err != nil || !ok || found.NextCursor != "" {
			return out, err
		}
		list, err := s.plans(ctx, r.GetParams())
		if err != nil {
			s.Log.Warn("plans are not listed", "cause", err.Error())
			return out, nil
		}
		all := *found
		all.Resources = append(all.Resources[:len(all.Resources):len(all.Resources)], list...)
		return &all, nil
	}
}

func (s *server) plans(ctx context.Context, p sdk.Params) ([]*sdk.Resource, error) {
	h, agent, err := s.openFor(p.GetMeta())
	if err != nil {
		return nil, err
	}
	var out []*sdk.Resource
	err = h.View(ctx, func(r model.Reader) error {
		items, err := model.ListItems(r, agent, model.FilterOpen, nil, plansListed)
		for _, row := range items.Rows {
			out = append(out, &sdk.Resource{URI: planURI + string(row.ID), Name: string(row.Handle), MIMEType: markdown,
				Title: "Plan: " + cut(row.Objective, listPreview).String()})
		}
		return err
	})
	return out, err
}

func (s *server) readContext(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	h, agent, err := s.openFor(r.Params.Meta)
	if err != nil {
		return nil, err
	}
	var text string
	err = h.View(ctx, func(v model.Reader) error {
		text = prompt.Fit(v, agent, prompt.Options{}).Text()
		return nil
	})
	return contents(contextURI, text), err
}

func (s *server) readPlan(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	h, agent, err := s.openFor(r.Params.Meta)
	if err != nil {
		return nil, err
	}
	id, err := h.Resolve(ctx, strings.TrimPrefix(r.Params.URI, planURI))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	owner := model.AgentID("")
	err = h.View(ctx, func(v model.Reader) error {
		w, _ := v.Item(id)
		owner = w.AgentID
		return nil
	})
	if err != nil || owner != agent {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	p := h.Files().Plan(owner, id)
	if p.Condition != model.PlanOK {
		return nil, model.Refuse(model.CodeRefused, "the plan file is %s: %s", p.Condition, model.Text(p.Reason))
	}
	return contents(r.Params.URI, string(p.Raw[:min(len(p.Raw), maxPlanShown)])), nil
}

// openFor opens the home for who asks.
func (s *server) openFor(meta sdk.Meta) (*home.Home, model.AgentID, error) {
	agent, err := s.caller(meta)
	if err != nil {
		return nil, "", err
	}
	h, err := s.open()
	return h, agent, err
}

func contents(uri, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: markdown, Text: strings.ToValidUTF8(text, "\uFFFD")}}}
}
