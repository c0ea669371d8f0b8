package threads

import "time"

// BeforeSwap makes f run between the last comparison and the swap, until it is restored.
func BeforeSwap(f func(name string)) (restore func()) {
	beforeSwap = f
	return func() { beforeSwap = func(string) {} }
}

// AfterLog makes f run between the log and the last comparison, until it is restored.
func AfterLog(f func()) (restore func()) {
	afterLog = f
	return func() { afterLog = func() {} }
}

// On a busy machine git is slow, and these tests do not measure its speed.
func init() { limit, contentsLimit = time.Minute, time.Minute }
