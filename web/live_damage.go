package web

import "countersign/internal/planning"

// frameDamage tells that the session's record is damaged, and from where on.
const frameDamage = "damage"

type damageFrame struct {
	Type string `json:"type"`
	planning.Damage
}

// Damaged says that a session's record was found damaged. It does not block.
// Everybody who watches the session is told, also those who come later, and
// nothing waits in it for anybody any more.
func (h *Hub) Damaged(session string, damage planning.Damage) {
	if h.waits.spoil(session) {
		h.queue.put(happening{nudge: true})
	}
	h.queue.put(happening{session: session, damage: &damage})
}

// seq is where the session stands after it; damaged, it ends before the damage.
func (x happening) seq() int64 {
	if x.damage != nil {
		return x.damage.Seq - 1
	}
	return x.records[len(x.records)-1].Seq
}

// setDamage notes what is wrong with the feed's session. As with who is here,
// no watcher can miss it.
func (f *feed) setDamage(damage planning.Damage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damage == nil {
		f.damage = message(damageFrame{frameDamage, damage})
	}
}
