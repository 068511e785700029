package web

import (
	"context"
	"net"
	"time"

	"github.com/gorilla/websocket"
)

// send writes and, when it is time, asks whether the other side is there.
func (w *watcher) send(data []byte) error {
	if err := w.write(data); err != nil {
		return err
	}
	select {
	case <-w.ping.C:
		return w.control(websocket.PingMessage, nil)
	default:
		return nil
	}
}

// write sends whole frames.
func (w *watcher) write(data []byte) error {
	w.writes.Lock()
	defer w.writes.Unlock()
	w.busy.Lock()
	err := context.Cause(w.ctx)
	if err == nil && w.shut {
		err = net.ErrClosed
	}
	if err != nil {
		w.busy.Unlock()
		return err
	}
	w.writing = true
	_ = w.net.SetWriteDeadline(time.Now().Add(w.hub.patience))
	w.busy.Unlock()

	_, err = w.net.Write(data)

	w.busy.Lock()
	w.writing = false
	w.busy.Unlock()
	w.shut = err != nil // it may have ended within a frame
	return err
}

// control sends a control frame.
func (w *watcher) control(op int, payload []byte) error {
	w.writes.Lock()
	defer w.writes.Unlock()
	if w.shut {
		return net.ErrClosed
	}
	_ = w.net.SetWriteDeadline(time.Now().Add(byeWait))
	_, err := w.net.Write(wire(byte(op), payload))
	w.shut = err != nil || op == websocket.CloseMessage
	return err
}

// readPump reads what comes in, and notices pongs and the end. It is the last to
// go.
func (w *watcher) readPump() {
	defer w.hub.forget(w)
	defer w.net.Close()
	defer w.end(nil)
	w.conn.SetReadLimit(readLimit)
	_ = w.net.SetReadDeadline(time.Now().Add(w.hub.pong))
	w.conn.SetPongHandler(func(string) error {
		if w.ctx.Err() != nil {
			return nil
		}
		if w.tab != nil {
			w.hub.presence.heard(w.tab)
		}
		return w.net.SetReadDeadline(time.Now().Add(w.hub.pong))
	})
	w.conn.SetPingHandler(func(payload string) error {
		return w.control(websocket.PongMessage, []byte(payload))
	})
	w.conn.SetCloseHandler(func(code int, _ string) error {
		_ = w.control(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
		return nil
	})
	for {
		kind, data, err := w.conn.ReadMessage()
		if err != nil {
			return
		}
		if w.ctx.Err() != nil {
			continue // it is only being waited for the answer to the goodbye
		}
		if err := w.hear(kind, data); err != nil {
			w.end(err)
		}
	}
}
