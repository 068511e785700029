package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"countersign/e2e/rig"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// windows are the sizes in which pictures are taken, in CSS pixels.
var windows = []struct {
	name          string
	width, height int64
}{{"wide", 1400, 900}, {"narrow", 400, 860}}

var schemes = []string{"light", "dark"}

// pages are what pictures are taken of, in the order in which they are seen.
var pages = []struct{ name, session, path string }{
	{"dashboard", "", ""},
	{"plan", "pause", "/plan?version=2&from=1"},
	{"compare", "pause", "/compare?from=1&to=2"},
	{"activity", "billing", "/activity"},
	{"changes", "billing", "/changes"},
	{"history", "pause", "/history"},
}

// settled is true once nothing on the page is going to move any more.
const settled = `document.readyState === "complete" && document.fonts.status === "loaded" &&
	(!document.getElementById("live") || !document.getElementById("live").hidden && document.querySelector("#live .on")) &&
	new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150, true))))`

type camera struct {
	stage *stage
	ctx   context.Context
}

// camera is the owner's browser, signed in, in the language of the story.
func (s *stage) camera() camera {
	profile := filepath.Join(s.tools.dir, s.story.language, "browser")
	allocated, stop := chromedp.NewExecAllocator(s.ctx, rig.Browser(s.tools.browser, profile)...)
	ctx, shut := chromedp.NewContext(allocated)
	s.Cleanup(func() {
		shut()
		stop()
	})
	c := camera{s, ctx}
	_, err := chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: "countersign_language", Value: s.story.language, URL: s.base})
	s.try(err)
	// A still picture has no use for what moves.
	c.prefers("prefers-reduced-motion", "reduce")
	c.do(chromedp.Navigate(s.link))
	return c
}

func (c camera) do(a chromedp.Action[chromedp.Void]) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, a)
	c.stage.try(err)
}

func (c camera) prefers(features ...string) {
	var media emulation.SetEmulatedMediaParams
	for i := 0; i+1 < len(features); i += 2 {
		media.Features = append(media.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	_, err := chromedp.Call(c.ctx, emulation.SetEmulatedMedia, media)
	c.stage.try(err)
}

// show opens a page and waits until it stands still.
func (c camera) show(path string) {
	c.do(chromedp.Navigate(c.stage.base + path))
	c.stage.until(path+" to stand still", func() bool {
		ok, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](`Promise.resolve(`+settled+`).then(Boolean)`, chromedp.EvalAwaitPromise))
		return err == nil && ok
	})
}

// atHome has the page name workspaces as if they were in the reader's home: where
// a story is told differs from machine to machine.
const atHome = `(home => {
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(home, "~/src");
	return !document.body.innerText.includes(home) })(%q)`

// pictures takes all of them and returns how many.
func (s *stage) pictures() int {
	c := s.camera()
	taken := 0
	for _, w := range windows {
		for _, scheme := range schemes {
			c.do(chromedp.EmulateViewport(w.width, w.height))
			c.prefers("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce")
			for _, p := range pages {
				path := "/"
				if p.session != "" {
					path = "/sessions/" + s.sessions[p.session] + p.path
				}
				c.show(path)
				home := filepath.Dir(s.workspace("scheduler"))
				if ok, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](fmt.Sprintf(atHome, home))); err != nil || !ok {
					s.Fatalf("%s names a folder of this machine: %v", path, err)
				}
				c.take(fmt.Sprintf("%s-%s-%s-%s.png", p.name, s.story.language, scheme, w.name))
				taken++
			}
		}
	}
	return taken
}

func (c camera) take(name string) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	shoot := chromedp.CaptureScreenshot()
	if c.stage.tools.whole {
		shoot = chromedp.FullScreenshot(100)
	}
	picture, err := chromedp.Run(ctx, shoot)
	c.stage.try(err)
	c.stage.try(os.WriteFile(filepath.Join(c.stage.tools.to, name), picture, 0o644))
}
