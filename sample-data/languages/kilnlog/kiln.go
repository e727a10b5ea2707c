package kilnlog

import (
	"fmt"
	"time"
)

// A Heater is what makes a kiln hot: coils, gas, or a fake.
type Heater interface {
	// Reach heats or cools to a temperature and says what was reached.
	Reach(target Celsius) (Celsius, error)
}

// Coils are electric; they burn out when they get too hot.
type Coils struct {
	Limit Celsius
}

// Reach stops at the limit.
func (c Coils) Reach(target Celsius) (Celsius, error) {
	if target > c.Limit {
		return c.Limit, fmt.Errorf("coils burn out at %v °C", float64(c.Limit))
	}
	return target, nil
}

// A Kiln has a log of its own.
type Kiln struct {
	Log
	heater Heater
	now    func() time.Time
}

// New returns a cold kiln.
func New(heater Heater) *Kiln {
	return &Kiln{heater: heater, now: time.Now}
}

// Fire goes through the schedule and notes every temperature that was reached, also that of the segment that failed.
func (k *Kiln) Fire(schedule Schedule) error {
	for i, segment := range schedule {
		heat, err := k.heater.Reach(segment.Target)
		k.Note(k.now(), heat)
		if err != nil {
			return fmt.Errorf("segment %d: %w", i+1, err)
		}
	}
	return nil
}
