// The switch of colours: as the system has them, light, dark.
const KEY = "goatherd-theme";
const NAMES = ["system", "light", "dark"];

const now = () => document.documentElement.dataset.theme ?? "system";

function choose(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page then.
  }
  show();
}

function show() {
  const told = `Colours: ${now() === "system" ? "as the system has them" : now()}`;
  for (const button of document.querySelectorAll("[data-theme-switch]")) {
    button.setAttribute("aria-label", told);
    button.title = told;
  }
}

export function nextTheme() {
  choose(NAMES[(NAMES.indexOf(now()) + 1) % NAMES.length]);
}

export function startThemes() {
  show();
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-theme-switch]")) nextTheme();
  });
}
