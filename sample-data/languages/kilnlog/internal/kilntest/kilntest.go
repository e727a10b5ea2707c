// Package kilntest helps tests of kilns; nothing else imports it.
package kilntest

import (
	"testing"
	"time"

	"example.com/kilnlog"
)

// Heater remembers what it was told and fails when asked to.
type Heater struct {
	Told []kilnlog.Celsius
	Err  error
}

// Reach implements kilnlog.Heater.
func (h *Heater) Reach(target kilnlog.Celsius) (kilnlog.Celsius, error) {
	h.Told = append(h.Told, target)
	return target, h.Err
}

// Clock strikes a full hour each time it is looked at; the first is 21:00 in universal time.
func Clock() func() time.Time {
	at := time.Date(2030, time.March, 9, 20, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Hour)
		return at
	}
}

// Schedule parses a schedule that has to be right.
func Schedule(tb testing.TB, text string) kilnlog.Schedule {
	tb.Helper()
	schedule, err := kilnlog.Parse(text)
	if err != nil {
		tb.Fatalf("Parse(%q): %v", text, err)
	}
	return schedule
}

// Heats fails the test unless the log has exactly these readings.
func Heats(tb testing.TB, log *kilnlog.Log, want ...kilnlog.Celsius) {
	tb.Helper()
	entries := log.Entries()
	if len(entries) != len(want) {
		tb.Fatalf("%d readings, want %d", len(entries), len(want))
	}
	for i, entry := range entries {
		if entry.Heat != want[i] {
			tb.Errorf("reading %d is %v, want %v", i, entry.Heat, want[i])
		}
	}
}
