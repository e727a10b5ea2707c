// Package kilnlog fires a potter's kiln by a schedule and keeps the log of it.
package kilnlog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrSegment is what a segment that cannot be read fails with.
var ErrSegment = errors.New("no segment")

// A Segment heats or cools at a rate, degrees an hour, and then holds what it has reached.
type Segment struct {
	Rate   Celsius
	Target Celsius
	Hold   time.Duration
}

// A Schedule is what a kiln goes through, one segment after the other.
type Schedule []Segment

// Parse reads segments such as "100/600 150/1220+15m"; without a rate it is 100.
func Parse(text string) (Schedule, error) {
	var schedule Schedule
	for _, field := range strings.Fields(text) {
		segment, err := parseSegment(field)
		if err != nil {
			return nil, err
		}
		schedule = append(schedule, segment)
	}
	return schedule, nil
}

func parseSegment(field string) (Segment, error) {
	segment := Segment{Rate: 100}
	rate, target, hold := splitField(field)
	if rate != "" {
		degrees, err := strconv.ParseFloat(rate, 64)
		if err != nil || !(degrees > 0 && degrees < 2000) {
			return segment, fmt.Errorf("%w: rate %q", ErrSegment, rate)
		}
		segment.Rate = Celsius(degrees)
	}
	degrees, err := strconv.ParseFloat(target, 64)
	if err != nil || !(degrees >= 0 && degrees < 2000) {
		return segment, fmt.Errorf("%w: target %q", ErrSegment, target)
	}
	segment.Target = Celsius(degrees)
	if hold != "" {
		if segment.Hold, err = time.ParseDuration(hold); err != nil || segment.Hold < 0 {
			return segment, fmt.Errorf("%w: hold %q", ErrSegment, hold)
		}
	}
	return segment, nil
}

// splitField takes "rate/target+hold" apart; only the target has to be there.
func splitField(field string) (rate, target, hold string) {
	rate, target, found := strings.Cut(field, "/")
	if !found {
		rate, target = "", field
	}
	target, hold, _ = strings.Cut(target, "+")
	return rate, target, hold
}

// Duration is how long the schedule takes for a kiln that is so warm.
func (s Schedule) Duration(start Celsius) time.Duration {
	var total time.Duration
	for _, segment := range s {
		hours := float64((segment.Target - start).abs() / segment.Rate)
		total += time.Duration(hours*float64(time.Hour)) + segment.Hold
		start = segment.Target
	}
	return total
}

// String writes the schedule as Parse reads it.
func (s Schedule) String() string {
	fields := make([]string, len(s))
	for i, segment := range s {
		fields[i] = fmt.Sprintf("%v/%v", float64(segment.Rate), float64(segment.Target))
		if segment.Hold > 0 {
			fields[i] += "+" + segment.Hold.String()
		}
	}
	return strings.Join(fields, " ")
}
