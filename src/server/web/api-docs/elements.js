/** What the page is made of: elements, texts with code in them, and what a reference of the document leads to. */

/** An element with attributes and children; texts become text. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** Text in which what stands between backticks is code. */
export function prose(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** What a reference of the document leads to. */
export function at(api, reference) {
  return reference
    .slice(2)
    .split("/")
    .reduce((found, key) => found?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], api);
}
