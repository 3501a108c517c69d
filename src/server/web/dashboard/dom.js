/** Elements by function call. Text is always text: nothing of what the daemon tells is ever read as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", { class: "note", onclick: … }, "text", child)`. A child that is null or false is left out. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for a drawing. */
function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Puts children in the place of those there are. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Sets a text only where it changes, so that a screen reader hears of changes alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A button with a text or children. */
export function button(attributes, ...children) {
  return h("button", { type: "button", ...attributes }, ...children);
}

/** A group of choices of which one is made: arrow keys move within, as in radio buttons, because that is what it is. */
export function choice({ label, name, options, chosen, onchoose }) {
  const group = h("fieldset", { class: "choice" }, h("legend", { class: "unseen" }, label));
  for (const { value, text } of options) {
    const input = h("input", {
      type: "radio",
      name,
      value,
      checked: value === chosen,
      onchange: () => onchoose(value),
    });
    group.append(h("label", {}, input, h("span", {}, text)));
  }
  return group;
}

/** A picture of 24 units, of lines, that says nothing of itself to a screen reader. */
export function icon(path) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: path }),
  );
}
