// Forms: a choice that is a question by itself is asked at once, empty fields stay out of addresses, and what is wrong
// with a form is shown in it.
export function startForms() {
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });
  document.addEventListener("input", (event) => {
    // Whoever writes a number means it.
    const choice = event.target.closest(".choice")?.querySelector("input[type=radio]");
    if (choice && choice !== event.target) choice.checked = true;
  });
  document.addEventListener("formdata", (event) => {
    if (event.target.method !== "get") return;
    for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
  });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status !== 422 || !event.detail.requestConfig.elt.matches("[data-told-here]")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
}
