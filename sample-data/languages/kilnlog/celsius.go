package kilnlog

import "math"

// Celsius is a temperature, or the difference of two.
type Celsius float64

// Fahrenheit is the temperature on the other scale, to the next degree.
func (c Celsius) Fahrenheit() int {
	return int(math.Round(float64(c)*9/5 + 32))
}

func (c Celsius) abs() Celsius {
	return Celsius(math.Abs(float64(c)))
}

// cones are the temperatures at which pyrometric cones bend.
var cones = map[string]Celsius{"06": 999, "6": 1222, "10": 1305}

// Cone is the temperature at which a pyrometric cone bends.
func Cone(number string) (Celsius, bool) {
	celsius, ok := cones[number]
	return celsius, ok
}
