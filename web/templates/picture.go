package templates

import "countersign/internal/planning"

// Picture is how a person is drawn in small: one or two letters, and the class
// of their colour.
func Picture(id, name string) (letters, colour string) {
	return initials(name), hue(planning.Actor{Kind: planning.ActorPerson, ID: id, Name: name})
}
