package cli

// The plans of the demo's items, and how they change while it plays.
const (
	limiterPlan = `# Split the rate limiter out of the gateway

A refactor, not a behaviour change. Move the token bucket out of
` + "`gateway/limit.go`" + ` into a package with no HTTP imports.

## Scope
- keep wire headers byte-identical
- do not touch the Redis script

## Verification
- ` + "`go test ./limit -race`" + `
- replay 24h of traffic, diff response headers

| step | risk | undo |
|---|---|---|
| move bucket | low | revert |
| switch gateway | medium | flag |
`
	limiterPlanBurst = `# Split the rate limiter out of the gateway

A refactor, not a behaviour change. Move the token bucket out of
` + "`gateway/limit.go`" + ` into a package with no HTTP imports.

## Scope
- keep wire headers byte-identical
- burst size becomes a field, not a constant
- do not touch the Redis script

## Verification
- ` + "`go test ./limit -race`" + `
- replay 24h of traffic, diff response headers

| step | risk | undo |
|---|---|---|
| move bucket | low | revert |
| switch gateway | medium | flag |
`
	limiterPlanTests = limiterPlanBurst + `
## Contract
1. a full bucket lets *burst* requests pass at once
2. an empty one refills at *rate*, never above *burst*
3. two gateways share one bucket per key
`
	retryPlan = `# Retry budget

Retries may cost at most 10 % of the requests of the last minute.

- [x] budget type with a test per edge
- [x] wire it into the client
- [ ] merge when CI run 8812 is green
`
	cachePlan = `# Cache eviction

Two candidates. I need a decision before I go on:

- **LRU**: simple, bad with scans
- **LFU**: keeps the hot plans, one more counter per entry
`
	jitterPlan = `# Jitter

Full jitter, as in the AWS builders' library: ` + "`sleep = rand(0, min(cap, base * 2^n))`" + `.
`
	jitterPlanDone = jitterPlan + `
## Measured
p99 of the thundering herd test went from 2.4 s to 0.6 s.
`
	matrixPlan = `# CI matrix

- one lint job for all modules
- Go 1.25 and 1.26 only
`
	rolloutPlan = `# Limiter rollout

1. shadow mode for a day, compare decisions
2. 1 %, 10 %, 100 % of keys
3. rollback: flag off, no deploy

## Metrics to watch
- ` + "`limit_decisions_total{shadow}`" + `
- p99 of the gateway
`
	authReport = `The clock of the fake issuer and the test's own ran apart by up to 3 ms; the token was
sometimes not valid yet. The test now uses one clock. 2,000 runs with -race, no failure.`
)
