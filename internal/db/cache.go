package db

import (
	"hash/maphash"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"countersign/internal/planning"
)

// entry is a session's state at the head of its log, with what it takes to
// tell when the next snapshot is due.
type entry struct {
	state    planning.State
	sum      planning.Sum // of the last record
	snapshot int64        // seq of the stored snapshot; 0 if there is none
	size     int          // of it, in bytes
	tail     int          // bytes of event data since
}

// cache holds the states of the sessions that were used last. It never holds a
// state that the log has moved past: what a reader has loaded is not taken in
// when a commit came in between.
type cache struct {
	mu      sync.Mutex
	entries *simplelru.LRU[string, entry]
	commits [1 << 10]uint64 // by the hash of the session
	seed    maphash.Seed
}

const cacheSize = 256

func newCache() *cache {
	entries, err := simplelru.NewLRU[string, entry](cacheSize, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &cache{entries: entries, seed: maphash.MakeSeed()}
}

func (c *cache) slot(session string) *uint64 {
	return &c.commits[maphash.String(c.seed, session)%uint64(len(c.commits))]
}

// get returns the state at the head. If there is none, load and offer it with
// the mark.
func (c *cache) get(session string) (e entry, mark uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok = c.entries.Get(session)
	return e, *c.slot(session), ok
}

// put takes in the state that was just committed.
func (c *cache) put(session string, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.slot(session)++
	c.entries.Add(session, e)
}

// offer takes in a state that was loaded, unless something was committed since
// the mark.
func (c *cache) offer(session string, e entry, mark uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *c.slot(session) == mark {
		c.entries.Add(session, e)
	}
}

// drop forgets a session.
func (c *cache) drop(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.slot(session)++
	c.entries.Remove(session)
}

// clear forgets everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.commits {
		c.commits[i]++
	}
	c.entries.Purge()
}
