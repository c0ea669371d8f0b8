//go:build linux && !soak

package runner

// killedTurns is how many turns TestWordsOutliveKills runs.
const killedTurns = 20
