// Shows the model of a point or a table row that is clicked, or chosen with the keyboard: its panel
// takes the place of the one before. Without this script, the panel of the folder's model stays.
"use strict";

function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function start(panels) {
  const panel = document.getElementById("model");
  const chart = document.getElementById("sizes");
  const place = (point) => point.querySelector("circle").getBoundingClientRect();
  const points = Array.from(chart.querySelectorAll(".point"));
  const circle = (point, name) => Number(point.querySelector("circle").getAttribute(name));
  points.sort((a, b) => circle(a, "cx") - circle(b, "cx") || circle(b, "cy") - circle(a, "cy"));
  const rows = Array.from(document.querySelectorAll("tr[data-row]"));
  let later;

  function mark(row) {
    for (const one of points) {
      one.setAttribute("aria-selected", one.dataset.row === row);
      one.tabIndex = one.dataset.row === row ? 0 : -1;
    }
    for (const one of rows) {
      one.classList.toggle("shown", one.dataset.row === row);
      one.querySelector("button").setAttribute("aria-pressed", one.dataset.row === row);
    }
  }

  function show(row) {
    panel.innerHTML = panels[row];
    mark(row);
    document.getElementById("status").textContent = `Row ${row} is shown.`;
    clearTimeout(later); // browsers limit changes of the address
    later = setTimeout(() => history.replaceState(null, "", `#row-${row}`), 200);
  }

  function fromAddress() {
    const [, row] = window.location.hash.match(/^#row-(\d+)$/) || [];
    if (panels[row] !== undefined) {
      show(row);
      panel.scrollIntoView({ block: "nearest" });
    }
  }

  // Arrow keys go to the neighbours of a point or row, Enter to the panel.
  function onKey(event, list, toFocus) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const here = list.indexOf(event.target.closest("[data-row]"));
    const ends = { Home: 0, End: list.length - 1 };
    const next = event.key in ends ? ends[event.key] : here + (steps[event.key] || 0);
    if (event.key === "Enter" || event.key === " ") {
      show(list[here].dataset.row);
      panel.focus();
    } else if (next !== here && list[next]) {
      show(list[next].dataset.row);
      toFocus(list[next]).focus();
    } else if (next === here) {
      return;
    }
    event.preventDefault();
  }

  chart.setAttribute("role", "listbox");
  for (const point of points) point.setAttribute("role", "option");
  chart.addEventListener("keydown", (event) => onKey(event, points, (point) => point));
  chart.addEventListener("click", (event) => {
    const far = (point) => {
      const { left, top, width, height } = place(point);
      return Math.hypot(left + width / 2 - event.clientX, top + height / 2 - event.clientY);
    };
    const nearest = points.reduce((a, b) => (far(b) < far(a) ? b : a));
    const hit = event.target.closest(".point") || nearest;
    if (far(hit) > 30) return;
    show(hit.dataset.row);
    hit.focus({ preventScroll: true });
  });
  for (const row of rows) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...row.cells[0].childNodes);
    button.setAttribute("aria-label", `Show row ${row.dataset.row}`);
    row.cells[0].append(button);
    row.addEventListener("click", () => {
      if (!getSelection().isCollapsed) return;
      show(row.dataset.row);
      panel.scrollIntoView({ block: "nearest" });
      panel.focus({ preventScroll: true });
    });
    row.addEventListener("keydown", (event) => {
      const list = Array.from(row.parentNode.rows).filter((other) => !other.hidden);
      onKey(event, list, (other) => other.querySelector("button"));
    });
  }
  panel.addEventListener("click", (event) => {
    if (event.target.matches(".copy")) copy(event.target);
  });
  window.addEventListener("hashchange", fromAddress);
  mark(chart.querySelector(".chosen").dataset.row);
  fromAddress();
}

async function copy(button) {
  const source = button.closest(".export").querySelector(".copied");
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  document.getElementById("status").textContent = "Copied.";
}

if (window.DecompressionStream) {
  unpacked(document.getElementById("panels").textContent).then((panels) => {
    document.documentElement.classList.add("scripted");
    start(panels);
  });
}
