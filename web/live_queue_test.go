package web

import (
	"context"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

func TestQueue_FullKeepsOnlyNumbers(t *testing.T) {
	q := newQueue()
	q.put(happening{session: "s", live: &agent.Frame{}})
	q.open()
	for seq := int64(1); seq <= queueMost+100; seq++ {
		q.put(happening{session: "s", records: []planning.Record{{Session: "s", Seq: seq, Data: []byte("{}")}}})
		q.put(happening{session: "s", live: &agent.Frame{}})
	}
	list, err := q.take(context.Background())
	if err != nil || len(list) != queueMost+1 {
		t.Fatalf("%d are left, %v", len(list), err)
	}
	if last := list[queueMost].records[0]; last.Seq != queueMost+100 || last.Data != nil {
		t.Errorf("the last is %+v", last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if list, err := q.take(ctx); err == nil {
		t.Errorf("there is %v once more", list)
	}
	q.close()
	q.put(happening{session: "s", live: &agent.Frame{}})
	if len(q.list) != 0 {
		t.Error("a closed queue takes something")
	}
}
