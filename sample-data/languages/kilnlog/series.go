package kilnlog

import "cmp"

// Extremes are the lowest and the highest of the values; false for none.
func Extremes[T cmp.Ordered](values []T) (low, high T, ok bool) {
	for i, value := range values {
		if i == 0 {
			low, high = value, value
		}
		low, high = min(low, value), max(high, value)
	}
	return low, high, len(values) > 0
}

// GroupBy puts values with the same key together and keeps their order.
func GroupBy[K comparable, V any](values []V, key func(V) K) map[K][]V {
	groups := make(map[K][]V)
	for _, value := range values {
		groups[key(value)] = append(groups[key(value)], value)
	}
	return groups
}
