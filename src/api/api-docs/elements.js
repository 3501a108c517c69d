/** Helpers of the page: elements, texts with code, and references of the OpenAPI document. */

/** Returns an element with attributes and children. Strings become text nodes. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** Returns the nodes of a text. Parts between backticks become `code` elements. */
export function prose(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** Returns the target of a JSON reference such as `#/components/schemas/Plan`; undefined if not found. */
export function at(api, reference) {
  return reference
    .slice(2)
    .split("/")
    .reduce((found, key) => found?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], api);
}
