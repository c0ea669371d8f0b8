package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"
	"unicode/utf8"
)

// Ingress is a capability for senders outside. A sender that knows its token can trigger the external waits of an item or of an
// agent when their resource changed (docs/lifecycle.md 21). It outlives every wait.
type Ingress struct {
	ID         IngressID `json:"id"`
	AgentID    AgentID   `json:"agent_id"`
	WorkItemID ItemID    `json:"work_item_id,omitempty"`
	Resource   Text      `json:"resource,omitempty"`
	TokenHash  string    `json:"token_hash"`
	Signing    Signing   `json:"signing,omitempty"`
	Secret     string    `json:"secret,omitempty"`
	Deliver    Deliver   `json:"deliver"`
	Revoked    bool      `json:"revoked,omitempty"`
	// Deliveries counts the deliveries; Early holds those that no wait has taken yet.
	Deliveries      int       `json:"deliveries,omitempty"`
	LastDeliveredAt time.Time `json:"last_delivered_at,omitzero"`
	Early           *early    `json:"early,omitempty"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
}

// IngressID identifies a capability.
type IngressID string

// early holds the number of deliveries before any wait, and the last of them.
type early struct {
	Count int        `json:"count"`
	Last  Provenance `json:"last"`
}

// Signing says how the senders of a capability sign. The capability fixes it, so a signature of one kind never counts as the
// other.
type Signing string

// The ways to sign. A forge signs only the body. SignVise also signs the time, the delivery's id and the capability's id.
const (
	SignGitHub Signing = "github"
	SignVise   Signing = "vise"
)

// StableIngress is the id of an agent's one capability for a resource. The id follows from both, so that a wait finds the early
// deliveries.
func StableIngress(a AgentID, resource Text) IngressID {
	return IngressID("in-" + Hash(string(a), resource.Raw())[:32])
}

func (c MintIngress) step(s *step) error {
	if sum, err := hex.DecodeString(c.TokenHash); err != nil || len(sum) != sha256.Size {
		return Invalid("token_hash must be the hex of a SHA-256").At("token_hash", "vise trigger url makes the token")
	}
	in, err := s.newIngress(c)
	if err != nil {
		return err
	}
	if err := cmp.Or(s.mayHandle(in), in.checkSigning()); err != nil {
		return err
	}
	in.TokenHash, in.CreatedAt, in.UpdatedAt = c.TokenHash, s.at.At, s.at.At
	if err := oneOf("deliver", in.Deliver, DeliverWakeHint, DeliverEnqueueMessage); err != nil {
		return err
	}
	s.put(in)
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.IngressID = in.AgentID, in.WorkItemID, in.ID
	s.event(eventIngressMinted, "", in.news())
	return nil
}

func (in Ingress) checkSigning() error {
	if (in.Signing == "") != (in.Secret == "") {
		return Invalid("signatures need a way to sign and a secret").At("signing",
			"say which: github or vise, and give the secret")
	}
	if in.Signing == "" {
		return nil
	}
	return oneOf("signing", in.Signing, SignGitHub, SignVise)
}

// newIngress is a capability for the owner and resource in c.
func (s *step) newIngress(c MintIngress) (Ingress, error) {
	if c.Renews != "" {
		return s.renewed(c)
	}
	in := Ingress{AgentID: c.AgentID, WorkItemID: c.WorkItemID, Signing: c.Signing, Secret: c.Secret}
	var err error
	if in.Resource, err = optional("resource", c.Resource, MaxWaitText); err != nil {
		return in, err
	}
	switch {
	case c.WaitID != "":
		err = s.aimAtWait(&in, c.WaitID)
	case c.WorkItemID != "":
		err = s.aimAtItem(&in)
	default:
		if _, ok := s.Agent(in.AgentID); !ok {
			err = unknownAgent(in.AgentID)
		}
	}
	if err != nil {
		return in, err
	}
	in.Deliver = cmp.Or(c.Deliver, DeliverWakeHint)
	if in.WorkItemID == "" && in.Resource == "" {
		in.Deliver = cmp.Or(c.Deliver, DeliverEnqueueMessage) // a hint would have no item to mark
	}
	if in.WorkItemID != "" || in.Resource == "" {
		in.ID = IngressID(s.newID("in-"))
		return in, nil
	}
	in.ID = StableIngress(in.AgentID, in.Resource)
	old, known := s.Ingress(in.ID)
	if known && !old.Revoked {
		return in, Conflict("agent %s has an address for that: %s", in.AgentID, old.ID).At("resource",
			"use it; if it is lost, vise trigger url --renew %s makes another and ends it", old.ID)
	}
	in.Early, in.Deliveries = old.Early, old.Deliveries
	return in, nil
}

func (s *step) aimAtWait(in *Ingress, id WaitID) error {
	x, err := s.oneWait(id)
	if err != nil {
		return err
	}
	if x.Kind != WaitExternal {
		return Refused("wait %s is not external", x.ID).At("wait_id",
			"an address is for waits of kind external")
	}
	in.AgentID, in.WorkItemID, in.Resource = x.AgentID, x.WorkItemID, x.Resource
	return nil
}

func (s *step) aimAtItem(in *Ingress) error {
	w, err := s.openItem(in.WorkItemID, 0, "make an address for")
	if err != nil {
		return err
	}
	in.AgentID = w.AgentID
	if in.Resource != "" {
		return nil
	}
	waits := s.externalWaits(*in)
	if len(waits) == 0 {
		return Refused("work item %s has no external wait", w.Handle).At("work_item_id",
			"let it wait first: vise wait %s --external RESOURCE; or name what it will wait for: --resource", w.Handle)
	}
	in.Resource = waits[0].Resource
	return nil
}

// renewed is a capability that replaces another one, which ends. It has the same owner and resource, and the same way to sign
// unless c names another.
func (s *step) renewed(c MintIngress) (Ingress, error) {
	old, err := s.ingress(c.Renews, "renews")
	if err != nil {
		return old, err
	}
	in := old
	in.Revoked = false
	in.Signing, in.Secret = cmp.Or(c.Signing, in.Signing), cmp.Or(c.Secret, in.Secret)
	in.Deliver = cmp.Or(c.Deliver, in.Deliver)
	if in.ID == StableIngress(in.AgentID, in.Resource) {
		return in, nil
	}
	if !old.Revoked {
		s.revoke(old)
	}
	in.ID, in.Deliveries, in.LastDeliveredAt = IngressID(s.newID("in-")), 0, time.Time{}
	return in, nil
}

// ingress finds a capability; field is the field that named it.
func (s *step) ingress(id IngressID, field string) (Ingress, error) {
	in, ok := s.Ingress(id)
	if !ok {
		return in, NotFound("unknown capability %s", Text(id)).At(field, "list them: vise trigger list")
	}
	return in, nil
}

func (c RevokeIngress) step(s *step) error {
	in, err := s.ingress(c.IngressID, "ingress_id")
	if err = cmp.Or(err, s.mayHandle(in)); err != nil {
		return err
	}
	s.receipt.AgentID, s.receipt.IngressID = in.AgentID, in.ID
	if !in.Revoked {
		s.revoke(in)
	}
	return nil
}

// mayHandle refuses an agent the capabilities of other agents.
func (s *step) mayHandle(in Ingress) error {
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != in.AgentID {
		return Refuse(CodeNotOwner, "that capability belongs to agent %s", in.AgentID).At("agent_id")
	}
	return nil
}

func (s *step) revoke(in Ingress) {
	in.Revoked, in.UpdatedAt = true, s.at.At
	s.put(in)
	s.event(eventIngressRevoked, "", in.news())
}

func (in Ingress) news() ingressNews {
	return ingressNews{IngressID: in.ID, WorkItemID: in.WorkItemID, Resource: in.Resource, Deliver: in.Deliver, Deliveries: in.Deliveries}
}

func (c DeliverIngress) step(s *step) error {
	in, ok := s.Ingress(c.IngressID)
	if !ok || in.Revoked {
		return NotFound("no such ingress").At("ingress_id")
	}
	if len(c.Payload) > MaxPayload || !utf8.ValidString(string(c.Payload)) {
		return Invalid("payload must be UTF-8 text of at most %d bytes", MaxPayload).At("payload")
	}
	waits := s.externalWaits(in)
	w, _ := s.Item(in.WorkItemID)
	queued := len(waits) == 0 && in.Deliver == DeliverEnqueueMessage && w.State != Completed
	kept := len(waits) == 0 && !queued
	if kept && in.ID != StableIngress(in.AgentID, in.Resource) {
		return Refused("nobody waits for that").At("ingress_id",
			"an address for an agent and a resource keeps what comes early: vise trigger url --agent A --resource R")
	}
	p := s.from(cut(c.Source, rowText), c.Payload)
	in.Deliveries++
	in.LastDeliveredAt, in.UpdatedAt = s.at.At, s.at.At
	news := in.news()
	if kept {
		in.Early = in.Early.and(p)
		news.Early = &p
	}
	s.put(in)
	s.receipt.AgentID, s.receipt.IngressID = in.AgentID, in.ID
	s.event(EventIngressDelivered, "", news)
	s.wake(waits, p)
	if queued {
		a, _ := s.Agent(in.AgentID)
		s.queue(a, Message{WorkItemID: w.ID, Source: p.Source, Priority: Normal,
			Body: cmp.Or(trimmed(c.Payload), trimmed(p.Source), "a delivery without text")})
	}
	return nil
}

// and is e with one more delivery.
func (e *early) and(p Provenance) *early {
	if e == nil {
		return &early{Count: 1, Last: p}
	}
	return &early{Count: e.Count + 1, Last: p}
}

// takeEarly triggers a new wait with the deliveries that came before it.
func (s *step) takeEarly(x Wait) {
	if x.Kind != WaitExternal || x.Resource == "" {
		return
	}
	in, ok := s.Ingress(StableIngress(x.AgentID, x.Resource))
	if !ok || in.Early == nil {
		return
	}
	came := *in.Early
	in.Early = nil
	s.put(in)
	x, _ = s.Wait(x.ID)
	x.TriggerCount += came.Count - 1 // wake counts the last one
	s.warnf(warnCameEarly, "the event came before the wait: there is news at once")
	s.wake([]Wait{x}, came.Last)
}

// externalWaits are the active external waits that a capability triggers: those of its item, else of its agent, on its resource
// (on any resource if it names none).
func (s *step) externalWaits(in Ingress) []Wait {
	var waits []Wait
	if in.WorkItemID == "" && in.Resource != "" {
		waits = s.WaitsOn(in.AgentID, WaitExternal, in.Resource)
	} else {
		waits = matching(s.ItemWaits(in.AgentID, in.WorkItemID), Trigger{Wake: WakeExternal, Resource: in.Resource})
	}
	for i := range waits {
		if in.Deliver == DeliverEnqueueMessage {
			waits[i].Deliver = in.Deliver
		}
	}
	return waits
}
