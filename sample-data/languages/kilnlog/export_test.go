package kilnlog

import "time"

// SplitField lets the external tests in.
var SplitField = splitField

// SetClock makes a kiln note what the test wants the time to be.
func (k *Kiln) SetClock(now func() time.Time) {
	k.now = now
}
