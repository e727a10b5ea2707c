package kilnlog

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEntryDayIsThatOfTheKiln(t *testing.T) {
	entry := Entry{At: time.Date(2030, time.March, 9, 22, 30, 0, 0, time.UTC)}
	if day := entry.Day(); day != "2030-03-10" {
		t.Errorf("day is %s", day)
	}
}

func TestGroupByDay(t *testing.T) {
	var log Log
	for hour := range 6 {
		log.Note(time.Date(2030, time.March, 9, 19+hour, 0, 0, 0, time.UTC), Celsius(100*hour))
	}
	groups := GroupBy(log.Entries(), Entry.Day)
	days := slices.Sorted(maps.Keys(groups))
	if !slices.Equal(days, []string{"2030-03-09", "2030-03-10"}) {
		t.Errorf("days are %v", days)
	}
}

func TestExtremes(t *testing.T) {
	low, high, ok := Extremes[string]([]string{"glaze", "bisque", "raku"})
	if !ok || low != "bisque" || high != "raku" {
		t.Errorf("got %q and %q, %v", low, high, ok)
	}
	if _, _, ok := Extremes([]Celsius(nil)); ok {
		t.Error("no values have extremes")
	}
}

func Test_abs(t *testing.T) {
	for _, celsius := range []Celsius{-40, 40} {
		if celsius.abs() != 40 {
			t.Errorf("abs(%v) = %v", celsius, celsius.abs())
		}
	}
}

func TestBendingConesInFahrenheit(t *testing.T) {
	cone, ok := Cone("6")
	if !ok {
		t.Fatal("there is no cone 6")
	}
	if degrees := cone.Fahrenheit(); degrees != 2232 {
		t.Errorf("it bends at %d °F", degrees)
	}
}

func TestDefaultPort(t *testing.T) {
	port := DefaultPort()
	if strings.TrimSpace(port) == "" {
		t.Error("there is no port")
	}
}
