// Runs before the first paint: the chosen theme, and the sign that scripts run.
(() => {
  const root = document.documentElement;
  root.dataset.script = "on";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then stands.
  }
})();
