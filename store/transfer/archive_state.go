package transfer

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"vise/model"
	"vise/store"
)

// Archive is what the archive of a ledger has, and where.
type Archive struct {
	Places []ArchivePlace `json:"places"`
	// Parts are the agents of whose changes some are in the archive and not in the journal, by name.
	Parts []ArchivedPart `json:"agents"`
	// Changes counts those changes.
	Changes uint64 `json:"changes"`
}

// ArchivePlace is a directory with files of the archive.
type ArchivePlace struct {
	ID      string `json:"id"`
	Machine string `json:"machine"`
	Path    string `json:"path"`
}

func (p ArchivePlace) String() string { return p.Path + " on " + p.Machine }

// ArchivedPart says how far the history of an agent is in the archive: up to which change, and its revision.
type ArchivedPart struct {
	AgentID  model.AgentID `json:"agent_id"`
	Changes  uint64        `json:"changes"`
	Revision uint64        `json:"revision"`
}

// keyArchive has the places of the archive.
var keyArchive = []byte("about/archive")

// archiveOf reads what the archive has of all parts.
func archiveOf(f *store.Facts) (x Archive) {
	f.JSON(keyArchive, &x.Places)
	f.EachHead(func(part model.AgentID, h store.PartHead) {
		if h.ArchivedSeq > 0 {
			x.Parts = append(x.Parts, ArchivedPart{part, h.ArchivedSeq, h.ArchivedRevision})
			x.Changes += h.ArchivedSeq
		}
	})
	return x
}

// Archived returns what the archive has of the ledger's history.
func Archived(ctx context.Context, l *store.Ledger) (x Archive, err error) {
	err = l.ViewFacts(ctx, func(f *store.Facts) error {
		x = archiveOf(l.Reader(f).Facts) // without the parts whose heads are damaged
		return nil
	})
	return x, store.Explain(err)
}

// ArchivedIn is Archived for the ledger file at path.
func ArchivedIn(path string) (x Archive, err error) {
	err = store.ViewFile(path, func(f *store.Facts) error {
		x = archiveOf(f)
		return nil
	})
	return x, err
}

// Of is what the archive has of an agent, or of all without a name.
func (x Archive) Of(agent model.AgentID) Archive {
	if agent == "" {
		return x
	}
	out := Archive{Places: x.Places}
	for _, p := range x.Parts {
		if p.AgentID == agent {
			out.Parts, out.Changes = append(out.Parts, p), p.Changes
		}
	}
	return out
}

// After is what the archive has of the changes that follow a revision.
func (x Archive) After(revision uint64) Archive {
	x.Parts = slices.DeleteFunc(slices.Clone(x.Parts), func(p ArchivedPart) bool { return p.Revision <= revision })
	x.Changes = 0
	for _, p := range x.Parts {
		x.Changes += p.Changes
	}
	return x
}

// Newest is the revision of the newest change in the archive.
func (x Archive) Newest() (revision uint64) {
	for _, p := range x.Parts {
		revision = max(revision, p.Revision)
	}
	return revision
}

// Said says which changes are in the archive, and where. It is empty if there are none.
func (x Archive) Said() string {
	if len(x.Parts) == 0 {
		return ""
	}
	what := fmt.Sprintf("the oldest %d changes of %d agents", x.Changes, len(x.Parts))
	if len(x.Parts) == 1 {
		what = fmt.Sprintf("the changes 1 to %d of agent %s", x.Parts[0].Changes, x.Parts[0].AgentID)
	}
	return model.Text(what).String() + " are in the archive: " + x.where()
}

// where says which directories the archive has.
func (x Archive) where() string {
	places := make([]string, len(x.Places))
	for i, p := range x.Places {
		places[i] = p.String()
	}
	return model.Text(strings.Join(places, "; ")).String()
}

// noteArchive notes on the cluster where this machine's archive is.
func (a *archiver) noteArchive(ctx context.Context, id string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed machine"
	}
	place := ArchivePlace{id, host, store.ArchiveIn(a.home.Dir)}
	return a.Update(ctx, func(f *store.Facts) error {
		var places []ArchivePlace
		f.JSON(keyArchive, &places)
		if slices.Contains(places, place) {
			return nil
		}
		// The home may have been moved, or the machine may have another name.
		places = slices.DeleteFunc(places, func(p ArchivePlace) bool { return p.ID == id })
		f.PutJSON(keyArchive, append(places, place))
		return nil
	})
}
