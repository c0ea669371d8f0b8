#!/bin/bash
# Draws the Desk and the Fleet of `vise demo` as a real terminal shows them, into docs/pictures/*.png: xterm with all
# colours, with 256, with 16 on a dark and on a white ground, and tmux inside xterm.
#
# It needs Go, and: apt-get install xvfb xterm xdotool imagemagick pngquant tmux fonts-dejavu-core fonts-vlgothic
# An X server of its own (Xvfb) is started: nothing appears on a screen.
set -euo pipefail
out=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
server=
trap 'tmux -S "$tmp/tmux" kill-server 2>/dev/null || true; kill $server 2>/dev/null || true; rm -rf "$tmp"' EXIT
(cd "$out/../.." && go build -o "$tmp/vise" .)

exec 3>"$tmp/display"
Xvfb -displayfd 3 -screen 0 960x540x24 -nolisten tcp >"$tmp/log" 2>&1 3>&3 &
server=$!
exec 3>&-
until [ -s "$tmp/display" ]; do sleep 0.1; kill -0 $server; done
export DISPLAY=:$(tr -d '\n' <"$tmp/display")

# shot NAME GROUND INK TERM COLORTERM COMMAND…: the Desk, then the Fleet.
shot() {
	local name=$1 ground=$2 ink=$3 term=$4 colours=$5
	shift 5
	xterm -geometry 120x36+0+0 -b 0 -bw 0 +sb -fa 'DejaVu Sans Mono' -fs 9 -bg "$ground" -fg "$ink" -tn "$term" \
		-xrm 'xterm*allowColorOps: true' -xrm 'xterm*pointerMode: 2' \
		-e env -i PATH="$PATH" HOME="$tmp" LANG=C.UTF-8 TERM="$term" COLORTERM="$colours" "$@" &
	local terminal=$!
	xdotool search --sync --onlyvisible --class xterm windowfocus %1 >/dev/null
	sleep 6 # the demo's first turns
	picture "$name-desk"
	xdotool key 2
	sleep 2
	picture "$name-fleet"
	kill $terminal
	wait $terminal 2>/dev/null || true
}

picture() {
	import -window root -trim +repage "$tmp/$1.png"
	pngquant --force --strip --speed 1 --output "$out/$1.png" 32 "$tmp/$1.png"
}

dark='#1c1d21' light='#dfe3ea'
shot truecolour $dark $light xterm-256color truecolor "$tmp/vise" demo
shot 256 $dark $light xterm-256color '' "$tmp/vise" demo
shot 16-dark black gray90 xterm '' "$tmp/vise" demo
shot 16-white white black xterm '' "$tmp/vise" demo
shot tmux $dark $light xterm-256color truecolor tmux -S "$tmp/tmux" -f /dev/null new-session "$tmp/vise" demo
ls -l "$out"/*.png
