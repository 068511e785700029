package lang

// chineseHere is what is said of people: who is here, and what waits for them.
var chineseHere = map[Key]string{
	"Also here":                  "也在这里",
	"{name}, at step {n}":        "{name}，在第 {n} 步",
	"{name}, typing at step {n}": "{name}，正在第 {n} 步输入",
	"{name}, typing":             "{name}，正在输入",
}
