package kilnlog_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/kilnlog"
	"example.com/kilnlog/internal/kilntest"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		text string
		want kilnlog.Schedule
	}{
		{"nothing", "", nil},
		{"a target", "600", kilnlog.Schedule{{Rate: 100, Target: 600}}},
		{"a rate", "60/600", kilnlog.Schedule{{Rate: 60, Target: 600}}},
		{"a hold", "1222+15m", kilnlog.Schedule{{Rate: 100, Target: 1222, Hold: 15 * time.Minute}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := kilnlog.Parse(test.text)
			if err != nil {
				t.Fatalf("Parse(%q): %v", test.text, err)
			}
			if got.String() != test.want.String() {
				t.Errorf("Parse(%q) = %v, want %v", test.text, got, test.want)
			}
		})
	}
}

func TestParseRefusesAnIcyRate(t *testing.T) {
	if _, err := kilnlog.Parse("60/600 0/900"); !errors.Is(err, kilnlog.ErrSegment) {
		t.Errorf("error is %v, want %v", err, kilnlog.ErrSegment)
	}
}

func TestSplitField(t *testing.T) {
	rate, target, hold := kilnlog.SplitField("60/600+5m")
	if rate != "60" || target != "600" || hold != "5m" {
		t.Errorf("got %q, %q and %q", rate, target, hold)
	}
}

func TestSchedule_Duration(t *testing.T) {
	schedule := kilntest.Schedule(t, "100/600 200/1000+30m 400/200")
	got := schedule.Duration(20)
	if want := 10*time.Hour + 18*time.Minute; got != want {
		t.Errorf("it takes %v, want %v", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"600", "60/600 1222+15m", "0x1p-2/1e2+1.5h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		schedule, err := kilnlog.Parse(text)
		if err != nil {
			return
		}
		again, err := kilnlog.Parse(schedule.String())
		if err != nil || again.String() != schedule.String() {
			t.Errorf("%q became %q, then %q: %v", text, schedule, again, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for range b.N {
		kilntest.Schedule(b, "60/600 150/1222+15m")
	}
}

func ExampleParse() {
	schedule, _ := kilnlog.Parse("600 1222+15m")
	fmt.Println(schedule)
	// Output: 100/600 100/1222+15m0s
}
