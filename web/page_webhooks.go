package web

import (
	"context"
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/internal/webhook"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// Webhooks are the targets that the server tells what happens. Their faults are
// NotFound for what isn't there any more.
type Webhooks interface {
	Views(ctx context.Context) ([]webhook.View, error)
	Retry(ctx context.Context, target string) error
	GiveUp(ctx context.Context, target string, place int64, by string) error
	Test(ctx context.Context, target string) (webhook.Trouble, error)
}

const webhooksRoute = "/webhooks"

func (s *server) webhookPages(g *echo.Group) {
	const target = webhooksRoute + "/:target"
	g.GET(webhooksRoute, s.webhooksPage)
	g.POST(target+"/test", s.webhookTestForm)
	g.POST(target+"/retry", s.webhookRetryForm)
	g.POST(target+"/messages/:place/give-up", s.webhookGiveUpForm)
}

// webhooksPage says how each target stands.
func (s *server) webhooksPage(c echo.Context) error {
	return s.webhooksWith(c, templates.WebhooksPage{})
}

func (s *server) webhooksWith(c echo.Context, page templates.WebhooksPage) error {
	page.Page = s.base(c)
	if err := page.Person.May(review.ActionInvite); err != nil {
		return err
	}
	if s.cfg.Webhooks != nil {
		var err error
		if page.Targets, err = s.cfg.Webhooks.Views(c.Request().Context()); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, templates.Webhooks(page))
}

// ownersWebhooks are the targets, for an owner.
func (s *server) ownersWebhooks(c echo.Context) (Webhooks, error) {
	if err := s.person(c).May(review.ActionInvite); err != nil {
		return nil, err
	}
	if s.cfg.Webhooks == nil {
		return nil, fault.New(fault.NotFound, "There is no such webhook.")
	}
	return s.cfg.Webhooks, nil
}

func (s *server) webhookTestForm(c echo.Context) error {
	hooks, err := s.ownersWebhooks(c)
	if err != nil {
		return err
	}
	trouble, err := hooks.Test(c.Request().Context(), c.Param("target"))
	if err != nil {
		return err
	}
	return s.webhooksWith(c, templates.WebhooksPage{Tested: c.Param("target"), Trouble: trouble})
}

func (s *server) webhookRetryForm(c echo.Context) error {
	hooks, err := s.ownersWebhooks(c)
	if err == nil {
		err = hooks.Retry(c.Request().Context(), c.Param("target"))
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, webhooksRoute)
}

// webhookGiveUpForm ends a message. One that has been taken meanwhile needs no
// word: the page shows it.
func (s *server) webhookGiveUpForm(c echo.Context) error {
	hooks, err := s.ownersWebhooks(c)
	if err != nil {
		return err
	}
	place, err := strconv.ParseInt(c.Param("place"), 10, 64)
	if err != nil {
		return fault.New(fault.NotFound, "This message does not wait any more.")
	}
	if err = hooks.GiveUp(c.Request().Context(), c.Param("target"), place, s.person(c).Name); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, webhooksRoute)
}
