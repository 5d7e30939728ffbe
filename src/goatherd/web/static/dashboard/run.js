// A graph that is wider than the page begins where somebody wants to look: at the step that is chosen, or that runs.
const graph = document.querySelector(".dag");
const step = graph?.querySelector("[aria-current]") ?? graph?.querySelector(".dag-node.tone-busy");
if (step) {
  const box = step.getBBox();
  graph.scrollLeft = box.x + box.width / 2 - graph.clientWidth / 2;
}
