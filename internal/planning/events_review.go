package planning

// What people do to comments, to the scope, and to take something back.

type (
	// CommentEdited gives a comment another text. Comment is the seq of the
	// record that made it, here and below. Who had agreed agreed to the old text.
	CommentEdited struct {
		Thread  string `json:"thread"`
		Comment int64  `json:"comment"`
		Body    string `json:"body"`
	}
	// CommentDeleted takes a comment back; its place in the thread stays.
	CommentDeleted struct {
		Thread  string `json:"thread"`
		Comment int64  `json:"comment"`
	}
	// CommentAgreed says that a person thinks the same.
	CommentAgreed struct {
		Thread  string `json:"thread"`
		Comment int64  `json:"comment"`
	}
	// AgreementWithdrawn undoes CommentAgreed.
	AgreementWithdrawn struct {
		Thread  string `json:"thread"`
		Comment int64  `json:"comment"`
	}
	// ScopeEdited is a reviewer's own change to what the plan may write and run.
	ScopeEdited struct {
		Version int    `json:"version"`
		Base    string `json:"base"` // SHA-256 that the reviewer saw
		Before  Scope  `json:"before"`
		Scope   Scope  `json:"scope"`
		SHA256  string `json:"sha256"`
	}
	// ChangeReleased says that something which reviewers made of an earlier
	// version, and which the model did not keep, is not asked for any more. The
	// text stays as it is.
	ChangeReleased struct {
		Version int    `json:"version"`
		Of      EditOp `json:"of"` // what the reviewer had done
		Step    string `json:"step,omitempty"`
		Number  int    `json:"number,omitempty"`
		Title   string `json:"title,omitempty"`  // of the step, for the history
		Before  string `json:"before,omitempty"` // what it was to say
		After   string `json:"after,omitempty"`  // what it says
	}
	// EditUndone takes a reviewer's change to the plan back. Edit is the seq of
	// the record that made it; the rest is the plan afterwards.
	EditUndone struct {
		Version   int     `json:"version"`
		Edit      int64   `json:"edit"`
		Op        EditOp  `json:"op"`
		Step      string  `json:"step,omitempty"`
		Number    int     `json:"number,omitempty"`
		Title     string  `json:"title,omitempty"` // of the step, for the history
		Base      string  `json:"base"`
		PlanTitle string  `json:"plan_title,omitempty"`
		Markdown  string  `json:"markdown"`
		Scope     Scope   `json:"scope"`
		SHA256    string  `json:"sha256"`
		Blocks    []Block `json:"blocks"`
	}
	// ApprovalWithdrawn takes a person's own approval back while the review is
	// still open.
	ApprovalWithdrawn struct {
		Version int    `json:"version"`
		SHA256  string `json:"sha256"` // that the approval stood on
	}
)
