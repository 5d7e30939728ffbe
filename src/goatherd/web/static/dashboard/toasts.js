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
}
