"use strict";
for (const form of document.querySelectorAll("form.find")) {
  const list = document.getElementById(form.dataset.list);
  const stories = [...list.children];
  const shown = form.querySelector("output");
  const words = stories.map((s) =>
    [...s.querySelectorAll(".seek")].map((e) => e.textContent).join(" ").toLowerCase());
  const fits = (story, i) => {
    const { text, category, found } = form.elements;
    const right = story.dataset.found.split(" ").filter(Boolean);
    const all = Number(list.dataset.systems);
    const who = found.value;
    return text.value.toLowerCase().split(/\s+/).every((w) => words[i].includes(w))
      && (!category.value || story.dataset.category === category.value)
      && (!who
        || (who === "all" && right.length === all)
        || (who === "none" && right.length === 0)
        || (who === "split" && right.length > 0 && right.length < all)
        || (who[0] === "+" && right.includes(who.slice(1)))
        || (who[0] === "-" && !right.includes(who.slice(1))));
  };
  const filter = () => {
    let n = 0;
    stories.forEach((story, i) => { story.hidden = !fits(story, i); n += story.hidden ? 0 : 1; });
    shown.textContent = `${n} of ${stories.length} questions match`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}
const open = () => {
  const story = document.getElementById(location.hash.slice(1));
  if (!story) return;
  for (let at = story; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  story.scrollIntoView();
};
addEventListener("hashchange", open);
open();
