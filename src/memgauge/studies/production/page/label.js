"use strict";
// A key does what the element with its name does; typing and shortcuts of the browser stay what they are.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  for (const element of document.querySelectorAll("[data-key]")) {
    if (element.dataset.key === event.key) {
      event.preventDefault();
      element.click();
      return;
    }
  }
});
// An answer is sent once, however often its button is pressed.
document.querySelector("form")?.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => { const form = document.querySelector("form"); if (form) delete form.dataset.sent; });
