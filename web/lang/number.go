package lang

// Short writes a number in a few characters, as people say large ones: 950,
// 14.2k and 1.3M in English; in Chinese, which counts in ten thousands, 9,500,
// 1.4 万 and 1.3 亿.
func (l *Language) Short(n int64) string {
	first, second := int64(1_000), int64(1_000_000)
	if l == Chinese {
		first, second = 10_000, 100_000_000
	}
	switch {
	case n < first:
		return l.Say("%d", n)
	case n < second:
		return l.Say("%.1fk", float64(n)/float64(first))
	default:
		return l.Say("%.1fM", float64(n)/float64(second))
	}
}
