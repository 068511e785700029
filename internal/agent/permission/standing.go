package permission

import "countersign/internal/planning"

// standing adds what the settings allow to what people have allowed.
func (p Policy) standing(s Situation) Situation {
	if s.Mode == planning.ModeExecuting || s.Mode == planning.ModeNormal {
		s.Grants = s.Grants.With(p.Allowed)
	}
	return s
}
