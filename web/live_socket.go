package web

import (
	"net/http"
	"sync"
	"time"

	"countersign/internal/fault"
	"countersign/web/lang"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"
)

const socketPath = "/ws"

// upgrader only shakes hands: where the request may come from has been decided
// by the gate. Compression costs 650 KB a connection, so there is none.
var upgrader = websocket.Upgrader{
	HandshakeTimeout: 10 * time.Second,
	ReadBufferSize:   512,
	WriteBufferSize:  512,
	WriteBufferPool:  &sync.Pool{},
	CheckOrigin:      func(*http.Request) bool { return true },
	Error:            func(http.ResponseWriter, *http.Request, int, error) {}, // the handler writes it
}

// socket opens a live feed: of a session, or of the board if none is named.
func (s *server) socket(c echo.Context) error {
	r := c.Request()
	key := feedKey{session: c.QueryParam("session")}
	switch c.QueryParam("format") {
	case "", "html":
		key.format = format{lang.Of(r.Context())}
	case "json":
	default:
		return fault.New(fault.Invalid, "The format can be \"json\" or \"html\".").At("format")
	}
	after, err := whole(c.QueryParam("after"), "after", 0)
	if err != nil {
		return err
	}
	if key.session != "" {
		if _, err := s.store.State(r.Context(), key.session); err != nil {
			return err
		}
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return fault.New(fault.BadRequest, "This address is for WebSockets.")
	}
	conn, err := upgrader.Upgrade(c.Response(), r, http.Header{echo.HeaderSetCookie: c.Response().Header()[echo.HeaderSetCookie]})
	if err != nil {
		return fault.Wrap(err, fault.BadRequest, "The WebSocket could not be opened.")
	}
	c.Response().Status = http.StatusSwitchingProtocols
	by := granted(c).holder()
	by.person = s.person(c)
	if err := s.hub.watch(conn, key, after, by); err != nil {
		_ = conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseTryAgainLater, "come again"), time.Now().Add(byeWait))
		return conn.Close()
	}
	// What ended since it was looked at, ended before this socket was known.
	if _, err := s.identify(c); err != nil {
		s.hub.end(by.hash)
	}
	return nil
}
