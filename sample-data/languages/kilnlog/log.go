package kilnlog

import "time"

// An Entry is one reading of the thermocouple.
type Entry struct {
	At   time.Time
	Heat Celsius
}

// Day is the date of the reading where the kiln stands.
func (e Entry) Day() string {
	return e.At.Local().Format(time.DateOnly)
}

// A Log keeps readings in the order of time.
type Log struct {
	entries []Entry
}

// Note adds a reading.
func (l *Log) Note(at time.Time, heat Celsius) {
	l.entries = append(l.entries, Entry{At: at, Heat: heat})
}

// Entries are all readings, oldest first.
func (l *Log) Entries() []Entry {
	return l.entries
}

// Peak is the highest reading; false before the first.
func (l *Log) Peak() (Celsius, bool) {
	heats := make([]Celsius, 0, len(l.entries))
	for _, entry := range l.entries {
		heats = append(heats, entry.Heat)
	}
	_, high, ok := Extremes(heats)
	return high, ok
}
