
"use strict";
(() => {
  const links = [...document.querySelectorAll("nav a")];
  const first = document.querySelector("section.first") || document.querySelector("section");
  const place = () => {
    const id = location.hash || (first ? "#" + first.id : "");
    return Math.max(0, links.findIndex((link) => link.hash === id));
  };
  const show = () => {
    const here = place();
    links.forEach((link, index) => {
      if (index === here) { link.setAttribute("aria-current", "step"); } else { link.removeAttribute("aria-current"); }
    });
    if (links[here]) { links[here].scrollIntoView({ block: "nearest" }); }
    document.querySelector("main").scrollTop = 0;
  };
  const go = (index) => {
    const link = links[Math.min(Math.max(index, 0), links.length - 1)];
    if (link) { location.hash = link.hash; show(); }
  };
  const nextNamed = () => {
    const named = links.map((link, index) => (link.parentElement.classList.contains("named") ? index : -1)).filter((index) => index >= 0);
    const after = named.find((index) => index > place());
    if (named.length > 0) { go(after === undefined ? named[0] : after); }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, l: 1, j: 1, h: -1, k: -1 };
    if (event.key in steps) { go(place() + steps[event.key]); }
    else if (event.key === "Home") { go(0); }
    else if (event.key === "End") { go(links.length - 1); }
    else if (event.key === "f") { nextNamed(); }
    else { return; }
    event.preventDefault();
  });
  window.addEventListener("hashchange", show);
  if (!location.hash && first) { history.replaceState(null, "", "#" + first.id); location.replace("#" + first.id); }
  show();
})();
