package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var someHash = strings.Repeat("ab", 32)

// A capability that is made anew has the same owner, resource and secret, and ends the one before.
func TestARenewedCapabilityKeepsWhatItIsFor(t *testing.T) {
	b := newBook()
	n := 0
	do := func(c Command) (Change, error) {
		n++
		return b.apply(Stamp{At: time.Date(2026, 1, 2, 9, n, 0, 0, time.UTC), NewID: fmt.Sprint(n), Actor: Operator, Agent: "ann"}, c)
	}
	must := func(c Command) Receipt {
		t.Helper()
		ch, err := do(c)
		if err != nil {
			t.Fatal(err)
		}
		return ch.Receipt
	}
	item := must(CreateWorkItem{Objective: "One"}).WorkItemID
	must(WaitFor{WorkItemID: item, Reason: "CI", Wake: WakeExternal, Resource: "run/1"})
	was := must(MintIngress{WorkItemID: item, Signing: SignGitHub, Secret: "hush", TokenHash: someHash}).IngressID
	if _, err := do(MintIngress{Renews: "in-none", TokenHash: someHash}); err == nil {
		t.Error("what is not there was made anew")
	}
	made := must(MintIngress{Renews: was, TokenHash: someHash}).IngressID
	in, _ := b.Ingress(made)
	old, _ := b.Ingress(was)
	if made == was || in.Secret != "hush" || in.Signing != SignGitHub || in.WorkItemID != item || in.Resource != "run/1" || !old.Revoked {
		t.Errorf("made anew %+v from %+v", in, old)
	}
}

// TestNoAcknowledgedDeliveryIsLost: each delivery is a queued message, is counted by a wait, or is kept for the next
// wait.
func TestNoAcknowledgedDeliveryIsLost(t *testing.T) {
	taken, early := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b, counted := newBook(), 0
		ids := []IngressID{"in-none"}
		for i := range rapid.IntRange(1, 40).Draw(t, "commands") {
			at := Stamp{At: time.Date(2026, 1, 2, 9, 0, i, 0, time.UTC), NewID: fmt.Sprint(i), Actor: AgentActor("ann"), Agent: "ann"}
			ch, err := b.apply(at, someDelivery(t, b, ids))
			if err != nil {
				continue
			}
			in := ch.Receipt
			for _, call := range append([]Receipt{in}, in.Calls...) {
				for _, x := range call.Unseen {
					if x.CarriedTo != "" {
						counted += x.Count // two waits count it
					}
				}
			}
			switch {
			case in.Command == "MintIngress":
				ids = append(ids, in.IngressID)
			case in.Command == "DeliverIngress" && len(in.TriggeredWaits) == 0 && len(in.Messages) == 0:
				counted++
			case in.Command == "DeliverIngress" || in.Command == "Trigger":
				counted += len(in.TriggeredWaits)
			}
			if slices.ContainsFunc(in.Warnings, func(w Warning) bool { return w.Kind == warnCameEarly }) {
				early++
			}
		}
		found := 0
		for _, x := range every[Wait](b) {
			found += x.TriggerCount
		}
		for _, in := range every[Ingress](b) {
			if in.Early != nil {
				found += in.Early.Count
			}
		}
		if found != counted {
			t.Fatalf("%d deliveries acknowledged, %d found", counted, found)
		}
		taken += counted
	})
	if taken == 0 || early == 0 {
		t.Errorf("%d deliveries, %d waits that something had come for", taken, early)
	}
}

// someDelivery draws a command about capabilities, or any other.
func someDelivery(t *rapid.T, b *book, ids []IngressID) Command {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		deliver := rapid.SampledFrom([]Deliver{"", DeliverEnqueueMessage}).Draw(t, "deliver")
		resource := rapid.SampledFrom([]Text{"", "r", "r", "other"}).Draw(t, "resource")
		return MintIngress{AgentID: "ann", Resource: resource, TokenHash: someHash, Deliver: deliver}
	case 1, 2:
		return DeliverIngress{IngressID: rapid.SampledFrom(ids).Draw(t, "ingress"), Payload: "x"}
	case 3:
		return RevokeIngress{IngressID: rapid.SampledFrom(ids).Draw(t, "ingress")}
	case 4: // for what may have come already
		if items := every[WorkItem](b); len(items) > 0 {
			return WaitFor{WorkItemID: rapid.SampledFrom(items).Draw(t, "item").ID, Wake: WakeExternal, Resource: "r", Reason: "r"}
		}
	}
	return someCommand(t, b)
}
