// The colours that were chosen here before, put on before anything is painted. The rest is in themes.js.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("goatherd-theme");
  } catch {
    // Storage may be forbidden; then the system's colours it is.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
