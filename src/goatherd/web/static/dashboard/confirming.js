// Ask before something is done that has hx-confirm, in a dialog of ours.
export function startConfirming() {
  const dialog = document.getElementById("confirm");
  document.body.addEventListener("htmx:confirm", (event) => {
    const question = event.detail.question;
    if (!question) return;
    event.preventDefault();
    dialog.querySelector("#confirm-words").textContent = question;
    const yes = dialog.querySelector("[data-yes]");
    yes.textContent = event.detail.elt.dataset.yes ?? "Yes";
    const isDangerous = event.detail.elt.querySelector(".button-danger") !== null;
    yes.className = isDangerous ? "button button-danger" : "button button-primary";
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => dialog.returnValue === "yes" && event.detail.issueRequest(true), {
      once: true,
    });
    dialog.showModal();
  });
}
