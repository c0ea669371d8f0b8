package console

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// Bubble Tea looks for a new frame at a fixed rate, whether there is one or not: an idle
// console would wake the machine 120 times a second (1.4 to 1.8 % of a core where this was
// measured). The pace lets its clock run fast only while frames come, and slow otherwise.
const (
	// paceBusy is how long a frame waits at most while the console is in use. A look at a frame
	// that has not changed takes a microsecond, so that looking often costs little.
	paceBusy = time.Millisecond
	// paceIdle is the same after a rest; it only bounds the harm of a clock set wrongly.
	paceIdle = 2 * time.Second
	// paceRest is how long after the last frame the clock goes on running fast.
	paceRest = 60 * time.Millisecond
)

// pace sets the clock of one program. It does nothing where the clock cannot be had.
type pace struct {
	mu    sync.Mutex // protects all below
	clock *time.Ticker
	busy  bool
	rest  *time.Timer
}

// framed says that a frame was drawn: it is to be on the terminal soon.
func (p *pace) framed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clock == nil {
		return
	}
	if !p.busy {
		p.busy = true
		p.clock.Reset(paceBusy)
	}
	if p.rest == nil {
		p.rest = time.AfterFunc(paceRest, p.rested)
		return
	}
	p.rest.Reset(paceRest)
}

func (p *pace) rested() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		p.busy = false
		p.clock.Reset(paceIdle)
	}
}

// of finds the clock of a program that runs. Bubble Tea keeps it to itself.
func (p *pace) of(program *tea.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if p.clock == nil && field.IsValid() && field.Type() == reflect.TypeFor[*time.Ticker]() {
		p.clock = *(**time.Ticker)(unsafe.Pointer(field.UnsafeAddr()))
	}
}

// paced is the console as Bubble Tea runs it: it tells the pace of each frame.
type paced struct {
	Console
	pace    *pace
	over    *overpaint // nil where no first frame was painted
	program func() *tea.Program
}

// Init is part of tea.Model; the program's clock runs by then.
func (p paced) Init() tea.Cmd {
	p.pace.of(p.program())
	return p.Console.Init()
}

// Update is part of tea.Model.
func (p paced) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := p.Console.Update(m)
	p.Console = next.(Console)
	return p, cmd
}

// View is part of tea.Model.
func (p paced) View() tea.View {
	v := p.Console.View()
	if p.over != nil {
		p.over.framed(v.Content)
	}
	p.pace.framed()
	return v
}
