package kilnlog

import (
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	time.Local = time.FixedZone("kiln", 2*60*60)
	os.Exit(m.Run())
}
