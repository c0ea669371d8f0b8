package cli

import (
	"time"

	"vise/model"
)

// nothing is what can be read where no ledger is: a model.Reader of an empty one.
type nothing struct{}

var _ model.Reader = nothing{}

func (nothing) Agent(model.AgentID) (model.Agent, bool)                        { return model.Agent{}, false }
func (nothing) Item(model.ItemID) (model.WorkItem, bool)                       { return model.WorkItem{}, false }
func (nothing) Wait(model.WaitID) (model.Wait, bool)                           { return model.Wait{}, false }
func (nothing) ItemWaits(model.AgentID, model.ItemID) []model.Wait             { return nil }
func (nothing) WaitsOn(model.AgentID, model.WaitKind, model.Text) []model.Wait { return nil }
func (nothing) Task(model.TaskID) (model.Task, bool)                           { return model.Task{}, false }
func (nothing) BlockingTasks(model.AgentID, model.ItemID) []model.Task         { return nil }
func (nothing) Delegations(model.AgentID, model.ItemID) []model.Delegation     { return nil }
func (nothing) ParentsOf(model.ItemID) []model.Delegation                      { return nil }
func (nothing) Delegation(model.DelegationID) (model.Delegation, bool) {
	return model.Delegation{}, false
}
func (nothing) Brief(model.AgentID, model.ItemID) (model.Brief, bool)        { return model.Brief{}, false }
func (nothing) HandleTaken(model.Handle) bool                                { return false }
func (nothing) Rows(model.AgentID, model.Class, *model.Row, int) []model.Row { return nil }
func (nothing) Count(model.AgentID, model.Tally) int                         { return 0 }
func (nothing) Due(model.AgentID, time.Time, int) []model.Due                { return nil }
func (nothing) Entries(model.ItemID, int) []model.Entry                      { return nil }
func (nothing) Message(model.MessageID) (model.Message, bool)                { return model.Message{}, false }
func (nothing) QueuedMessages(model.AgentID, int) []model.Message            { return nil }
func (nothing) Attempt(model.AgentID, model.ItemID) (model.Attempt, bool) {
	return model.Attempt{}, false
}
func (nothing) Trace(model.AgentID, model.ItemID) (model.Trace, bool) { return model.Trace{}, false }
func (nothing) Ingress(model.IngressID) (model.Ingress, bool)         { return model.Ingress{}, false }
func (nothing) Offers(model.AgentID, model.ItemID) (model.ReportOffers, bool) {
	return model.ReportOffers{}, false
}
func (nothing) Seen(model.AgentID, model.ItemID) (model.Seen, bool)            { return model.Seen{}, false }
func (nothing) Inbox(model.Need, func(model.Inboxed) bool)                     {}
func (nothing) Finished(*model.Row, int) []model.Row                           { return nil }
func (nothing) RunningTasks(model.AgentID, int) []model.Task                   { return nil }
func (nothing) Tasks(model.AgentID, int) []model.Task                          { return nil }
func (nothing) Ingresses(model.AgentID, int) []model.Ingress                   { return nil }
func (nothing) Revision() uint64                                               { return 0 }
func (nothing) Agents(model.AgentID, int) []model.Agent                        { return nil }
func (nothing) History(model.AgentID, model.Position, int) []model.Entry       { return nil }
func (nothing) HistoryBefore(model.AgentID, model.Position, int) []model.Entry { return nil }
func (nothing) Waits(model.AgentID, model.ItemID, int) []model.Wait            { return nil }
