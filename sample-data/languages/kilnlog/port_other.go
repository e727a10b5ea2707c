//go:build !linux

package kilnlog

// DefaultPort is where the thermocouple is usually plugged in.
func DefaultPort() string {
	return "COM3"
}
