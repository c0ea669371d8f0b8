package model

import (
	"encoding/hex"
	"unicode/utf8"
)

func (c MintIngress) step(s *step) error {
	if sum, err := hex.DecodeString(c.TokenHash); err != nil || len(sum) != 32 {
		return Refuse(CodeInvalid, "token_hash must be the hex of a SHA-256").At("token_hash").WithHint("vise trigger url makes the token")
	}
	in := Ingress{TokenHash: c.TokenHash, Secret: c.Secret, Deliver: c.Deliver, WaitID: c.WaitID, CreatedAt: s.at.At, UpdatedAt: s.at.At}
	if in.Deliver == "" {
		in.Deliver = DeliverWakeHint
	}
	if c.WaitID != "" {
		x, err := s.oneWait(c.WaitID)
		if err != nil {
			return err
		}
		in.AgentID = x[0].AgentID
	} else {
		a, ok := s.Agent(c.AgentID)
		if !ok {
			return unknownAgent(c.AgentID)
		}
		in.AgentID = a.ID
	}
	in.ID = IngressID(s.newID("in-"))
	s.put(in)
	s.receipt.AgentID, s.receipt.IngressID, s.receipt.WaitID = in.AgentID, in.ID, in.WaitID
	s.event(EventIngressMinted, "", IngressNews{IngressID: in.ID, WaitID: in.WaitID, Deliver: in.Deliver})
	return nil
}

func (c RevokeIngress) step(s *step) error {
	in, ok := s.Ingress(c.IngressID)
	if !ok {
		return Refuse(CodeNotFound, "unknown ingress %s", Text(c.IngressID)).At("ingress_id").WithHint("list them: vise trigger list")
	}
	s.receipt.AgentID, s.receipt.IngressID = in.AgentID, in.ID
	if in.Revoked {
		return nil
	}
	in.Revoked, in.UpdatedAt = true, s.at.At
	s.put(in)
	s.event(EventIngressRevoked, "", IngressNews{IngressID: in.ID, WaitID: in.WaitID, Deliver: in.Deliver})
	return nil
}

func (c DeliverIngress) step(s *step) error {
	in, ok := s.Ingress(c.IngressID)
	if !ok || in.Revoked {
		return Refuse(CodeNotFound, "no such ingress").At("ingress_id")
	}
	if len(c.Payload) > MaxPayload || !utf8.ValidString(string(c.Payload)) {
		return Refuse(CodeInvalid, "payload must be UTF-8 text of at most %d bytes", MaxPayload).At("payload")
	}
	in.Deliveries++
	in.LastDeliveredAt, in.UpdatedAt = s.at.At, s.at.At
	s.put(in)
	s.receipt.AgentID, s.receipt.IngressID = in.AgentID, in.ID
	s.event(EventIngressDelivered, "", IngressNews{IngressID: in.ID, WaitID: in.WaitID, Deliver: in.Deliver, Deliveries: in.Deliveries})
	p := Provenance{Actor: s.at.Actor, Source: cut(c.Source, rowText), Payload: c.Payload}
	waits := s.waitsOf(in)
	s.wake(waits, p)
	if len(waits) == 0 && in.Deliver == DeliverEnqueueMessage && trimmed(c.Payload) != "" {
		a, _ := s.Agent(in.AgentID)
		s.queue(a, Message{Source: p.Source, Priority: Normal, Body: trimmed(c.Payload)})
	}
	return nil
}

// waitsOf are the active waits that a delivery triggers: the one it is bound to, or, bound
// to the agent, the agent's own external waits.
func (s *step) waitsOf(in Ingress) []Wait {
	var waits []Wait
	if in.WaitID != "" {
		if x, ok := s.Wait(in.WaitID); ok && x.Status == WaitActive {
			waits = append(waits, x)
		}
	} else {
		for _, x := range s.ItemWaits(in.AgentID, "") {
			if x.Kind == WaitExternal {
				waits = append(waits, x)
			}
		}
	}
	for i := range waits {
		if in.Deliver == DeliverEnqueueMessage {
			waits[i].Deliver = in.Deliver
		}
	}
	return waits
}
