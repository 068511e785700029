// Where the keyboard is. What an action or an update takes away must not take
// the focus along.

// focusOn puts the focus on a place that need not be a stop for the Tab key. It
// tells whether that worked.
export function focusOn(place) {
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  return place === document.activeElement;
}

// hold remembers where the focus is. If it got lost meanwhile, the function
// that it returns puts it on the nearest place around that is still there.
export function hold() {
  const from = document.activeElement;
  if (!from || from === document.body) return () => {};
  const around = [from];
  for (let e = from.parentElement; e; e = e.parentElement) if (e.id) around.push(e);
  return () => {
    if (document.activeElement && document.activeElement !== document.body) return;
    for (const old of around) {
      const place = old.isConnected ? old : document.getElementById(old.id);
      if (place?.checkVisibility() && focusOn(place)) return;
    }
    const main = document.getElementById("main");
    if (main) focusOn(main);
  };
}

// openDialog shows a dialog. Closing it leads back to where one was, or near
// it if that is gone.
export function openDialog(box) {
  box.addEventListener("close", hold(), { once: true });
  box.showModal();
}

// shut closes a menu; who was in it finds themselves at its head.
export function shut(menu) {
  const inside = menu.contains(document.activeElement);
  menu.open = false;
  if (inside) menu.querySelector("summary").focus();
}
