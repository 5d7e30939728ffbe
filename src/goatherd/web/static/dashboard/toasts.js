// A few words that are shown for a moment; the server sends them with an answer (HX-Trigger: toast).
const SHOWN_FOR = { good: 4000, plain: 4000, bad: 12000 };
const TONES = { good: "good", plain: "accent", bad: "bad" };

export function toast(text, kind = "plain") {
  const box = document.createElement("div");
  box.className = `toast tone-${TONES[kind] ?? "accent"}`;
  box.textContent = text;
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), SHOWN_FOR[kind] ?? 4000);
  return box;
}

export function startToasts() {
  document.body.addEventListener("toast", (event) => toast(event.detail.text, event.detail.kind));
  document.body.addEventListener("stale", (event) => {
    toast(event.detail.text, "bad");
    setTimeout(() => location.reload(), 2500);
  });
  // Parts that renew themselves tell it in a banner (live.js): nobody pressed anything.
  const onPressed = (name, tell) =>
    document.body.addEventListener(name, (event) => {
      const asking = event.detail.elt ?? event.target;
      if (!asking.matches?.("[data-live]")) tell(event);
    });
  const say = (words) => () => toast(words, "bad");
  onPressed("signed-out", say("You are signed out, so nothing was done. Load this page again to sign in."));
  for (const name of ["htmx:sendError", "htmx:timeout"])
    onPressed(name, say("The dashboard does not answer. Look whether it was done before you repeat it."));
  onPressed("htmx:responseError", (event) => {
    // What we answer ourselves has its words with it; this is of a proxy between us.
    const { status } = event.detail.xhr;
    if (!event.detail.xhr.getResponseHeader("HX-Trigger")) toast(`It did not work: the answer was ${status}.`, "bad");
  });
}
