#!/usr/bin/env bash
# Drives the real program in tmux over a home of its own, and writes a frame of every view and
# dialog into this directory, a file for each size of the terminal. Usage: frames.sh [PROGRAM]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
tm() { tmux -L vise-frames "$@"; }
trap 'tm kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
vise=${1:-$work/vise}
[ $# -gt 0 ] || (cd "$here/../.." && go build -o "$vise" .)
export VISE_HOME=$work/home VISE_ACTOR=operator NO_COLOR=1

new() { "$vise" --agent "$1" new --json -- "$2" | grep -o '"id":"wi-[^"]*' | head -1 | cut -c7-; }
quiet() { "$vise" "$@" >/dev/null 2>&1 || true; } # a warning is no failure here

# The work that is shown: something of each class, a thread, two findings.
stage() {
	mkdir -p "$work/repo" && cd "$work/repo"
	git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m begin
	limiter=$(new claude-main 'Split rate limiter out of gateway')
	cache=$(new claude-main 'Pick cache eviction policy')
	keys=$(new claude-main 'Rotate signing keys')
	budget=$(new claude-main 'Land retry budget PR')
	flaky=$(new claude-main 'Fix flaky auth test')
	proto=$(new claude-main 'Remove unused proto')
	new codex-web 'Document limiter rollout' >/dev/null
	quiet update "$limiter" --plan-status ready \
		--todos $'- [x] read the code\n- [~] move the counter\n- [ ] keep headers\n'
	plan=$("$vise" plan path "$limiter")
	cat >"$plan" <<-'PLAN'
		# Split the limiter

		The limiter moves into its own package. Headers stay byte-identical.

		| step  | owner  | state |
		|-------|--------|-------|
		| move  | claude | done  |
		| burst | claude | open  |

		- [x] read the code
		- [ ] burst size becomes a field, not a constant

		```go
		func Allow(key string, burst int) (bool, error) { return limiter.Take(key, burst), nil }
		```
	PLAN
	quiet wait "$cache" --operator 'LRU or LFU for the plan cache?' --choice 'LRU, simple' --choice 'LFU, better hit rate'
	quiet block "$keys" 'ops has the keys'
	quiet wait "$budget" --external 'github:acme/gateway#7' --source ci.github --reason 'waits for CI'
	quiet trigger "$budget" --source ci.github --payload 'CI passed'
	quiet complete "$flaky" --report-file - <<<'The test waited for a second that never came. It waits for the event now.'
	quiet --actor agent:claude-main pick "$proto"
	quiet --actor agent:claude-main complete "$proto"
	quiet pick "$limiter"
	quiet todo create 'SQL injection in the search' --source review --session tmp/reviews/abc --priority p1
	quiet todo create 'Unused import' --source review --priority p3
	quiet thread start 'Move the limiter'
	# An editor during which somebody else changes the plan too.
	printf '#!/bin/sh\necho theirs >>"%s"\nsleep 1\necho mine >>"$1"\n' "$plan" >"$work/editor"
	chmod +x "$work/editor"
}

# begin opens the console in a terminal: width, height, home.
begin() {
	tm kill-session -t frame 2>/dev/null || true
	rm -f "$VISE_HOME/state/state.json" # where the console was left
	tm new-session -d -s frame -x "$1" -y "$2" -c "$work/repo" "env PS1='\$ ' bash --norc -i"
	sleep 0.3
	tm send-keys -t frame "clear; EDITOR=$work/editor VISE_HOME=$3 $vise --agent claude-main" Enter
	sleep 1.2
}

# press sends keys, each by itself; what tmux does not know by name is typed.
press() {
	local k
	for k in "$@"; do
		case $k in Enter | Escape | Tab | Space) tm send-keys -t frame "$k" ;; *) tm send-keys -t frame -l "$k" ;; esac
		sleep 0.07
	done
	sleep 0.4
}

frame() { printf '=== %s\n%s\n\n' "$1" "$(tm capture-pane -p -t frame)" >>"$out"; }

# at presses keys, takes the frame, and goes back.
at() {
	local name=$1
	shift
	press "$@"
	frame "$name"
	press Escape
}

tour() {
	out=$here/$1x$2.txt
	: >"$out"
	begin "$1" "$2" "$VISE_HOME"
	frame Desk
	at Palette :
	at Help '?'
	at Agents a
	at Message m
	at 'New work item' o
	at 'Own commands' !
	at Triage T
	at Threads W
	at Complete c
	at Block b
	at Wait w
	at Objective E
	at Todos t
	at 'Plan status' s
	at Actions x
	at Copy y
	at 'Pick over runnable work' j p
	at 'Review a trigger' r
	at Answer j i
	press / class:blocked
	frame 'Filter while it is typed'
	press Enter
	frame Filtered
	at 'Save a filter' S
	press Escape
	at 'Block what is marked' g Space Space b
	press Escape g Tab
	frame 'Detail: Plan'
	local tab
	for tab in Todos Waits Events Why Report; do
		press ']'
		frame "Detail: $tab"
	done
	press 2
	frame Fleet
	press 3
	frame Activity
	press 4
	frame Reports
	press 1
	at 'Give a report' / Remove Enter P
	press Escape g e
	sleep 1.6
	frame 'Conflict after $EDITOR'
	press d
	frame 'Conflict: the difference'
	press Escape Escape q
	frame 'Quit'
	begin "$1" "$2" "$work/none"
	frame Welcome
	press 4
	frame 'Welcome: what would be added'
	press Escape q
}

stage
tm new-session -d -s stays 'sleep 3600' # a server without a session would end between two frames
tour 120 36
tour 80 24
tour 50 20
