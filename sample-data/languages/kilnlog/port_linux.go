package kilnlog

// DefaultPort is where the thermocouple is usually plugged in.
func DefaultPort() string {
	return "/dev/ttyUSB0"
}
