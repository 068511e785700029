package document

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// titles returns the titles of the steps, and checks their numbers.
func titles(t *testing.T, d Document) []string {
	t.Helper()
	list := []string{}
	for _, b := range d.Blocks {
		if b.Kind != Step {
			if b.Number != 0 {
				t.Errorf("text block %+v has a number", b)
			}
			continue
		}
		list = append(list, b.Title)
		if b.Number != len(list) {
			t.Errorf("step %q has number %d, want %d", b.Title, b.Number, len(list))
		}
	}
	return list
}

// checkTiling checks that every byte belongs to exactly one block.
func checkTiling(t *testing.T, d Document) {
	t.Helper()
	var all strings.Builder
	for i, b := range d.Blocks {
		if b.Start != all.Len() || b.End <= b.Start {
			t.Fatalf("block %d is [%d,%d), want it to begin at %d", i, b.Start, b.End, all.Len())
		}
		all.WriteString(d.Text(i))
	}
	if all.String() != d.Source {
		t.Fatalf("the blocks give %q, want %q", all.String(), d.Source)
	}
}

func TestParse_R2_Cases(t *testing.T) {
	data, err := os.ReadFile("testdata/steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Markdown, Why string
		Titles              []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 14 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			d := Parse(c.Markdown)
			checkTiling(t, d)
			if diff := cmp.Diff(c.Titles, titles(t, d)); diff != "" {
				t.Errorf("%s\n%s", c.Why, diff)
			}
		})
	}
}
