/** API reference: shows `openapi.json`. Inserts all content as text, and loads nothing from other servers. */
import { at, h, prose } from "./elements.js";
import { schemaNode } from "./schema.js";

const METHODS = ["get", "post", "put", "delete"];

const response = await fetch("../openapi.json");
if (response.ok) show(await response.json());
else document.getElementById("about").textContent = `The description cannot be read: status ${response.status}.`;

function show(api) {
  document.getElementById("title").textContent = `${api.info.title} ${api.info.version}`;
  document.getElementById("about").textContent = api.info.description;
  const entries = Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => entryOf(api, path, method, methods[method])),
  );
  const sections = api.tags.map(({ name, description }) => {
    const own = entries.filter((entry) => entry.tag === name);
    const section = h(
      "section",
      {},
      h("h2", {}, name),
      h("p", { class: "quiet" }, description),
      own.map(({ node }) => node),
    );
    return { section, own };
  });
  document.getElementById("operations").replaceChildren(...sections.map(({ section }) => section));
  const search = document.getElementById("search");
  const find = () => {
    const words = search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    for (const { section, own } of sections) {
      for (const { node, words: known } of own) node.hidden = !words.every((word) => known.includes(word));
      section.hidden = own.every(({ node }) => node.hidden);
    }
    const left = entries.filter(({ node }) => !node.hidden).length;
    document.getElementById("found").textContent = `${left} of ${entries.length} operations`;
  };
  search.addEventListener("input", find);
  find();
  openNamed();
  addEventListener("hashchange", openNamed);
}

/** Opens the operation that the fragment of the URL names, so that it can be linked. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName !== "DETAILS") return;
  named.open = true;
  named.scrollIntoView();
}

function entryOf(api, path, method, operation) {
  const head = h(
    "summary",
    {},
    h("span", { class: `method ${method}` }, method.toUpperCase()),
    h("code", {}, path),
    h("span", { class: "words" }, ...prose(operation.summary ?? "")),
  );
  const node = h("details", { class: "operation", id: operation.operationId }, head);
  // The details are made when they are first opened, so that the page appears quickly.
  node.addEventListener("toggle", () => node.append(...bodyOf(api, path, method, operation)), { once: true });
  const parameters = (operation.parameters ?? []).map(({ name, description }) => `${name} ${description ?? ""}`);
  const words = [method, path, operation.summary, operation.description, ...parameters].join(" ").toLowerCase();
  return { node, tag: operation.tags[0], words };
}

function bodyOf(api, path, method, operation) {
  const parameters = operation.parameters ?? [];
  const sent = operation.requestBody?.content ?? {};
  return [
    operation.description ? h("p", {}, ...prose(operation.description)) : null,
    h("p", {}, `Access: ${whoMay(operation.security ?? [])}`),
    h("pre", { tabindex: "0" }, exampleOf(path, method, operation)),
    parameters.length > 0 ? h("h3", {}, "Parameters") : null,
    parameters.length > 0
      ? h(
          "dl",
          {},
          parameters.flatMap((parameter) => parameterNodes(api, parameter)),
        )
      : null,
    ...Object.entries(sent).flatMap(([type, { schema }]) => [h("h3", {}, `Body: ${type}`), schemaNode(api, schema)]),
    h("h3", {}, "Answers"),
    ...Object.entries(operation.responses).map(([status, answer]) => answerNode(api, status, answer)),
  ].filter((node) => node !== null);
}

function whoMay(security) {
  const names = security.flatMap((each) => Object.keys(each));
  if (names.length === 0) return "everybody, without a key.";
  const words = { lanKey: "a key", lanToken: "a token of key and secret", session: "a logged-in dashboard" };
  const all = [...new Set(names)].map((name) => words[name] ?? name).join(", or ");
  return security.some((each) => Object.keys(each).length === 0)
    ? `everybody; with ${all} the response has more details.`
    : `${all}.`;
}

function exampleOf(path, method, { parameters = [], security = [], requestBody }) {
  const base = new URL("..", location.href).href.replace(/\/$/, "");
  const needed = parameters.filter((each) => each.in === "query" && (each.required || each.example !== undefined));
  const query = needed.map(
    ({ name, example }) => `${name}=${example === undefined ? "…" : encodeURIComponent(example)}`,
  );
  const url = `${base}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const key = security.some((each) => Object.keys(each).length > 0) ? ["-H 'Authorization: Bearer <key>'"] : [];
  const body = requestBody?.content?.["application/json"];
  const data = body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body.example ?? {})}'`] : [];
  return ["curl", ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]), ...key, ...data, `'${url}'`].join(
    " \\\n  ",
  );
}

function parameterNodes(api, { name, in: place, required, description, schema }) {
  return [
    h("dt", {}, h("code", {}, name), h("span", { class: "quiet" }, ` in ${place}${required ? ", required" : ""}`)),
    h("dd", {}, ...prose(description ?? ""), schemaNode(api, schema)),
  ];
}

function answerNode(api, status, given) {
  const answer = given.$ref ? at(api, given.$ref) : given;
  const headers = Object.keys(answer.headers ?? {});
  const summary = h("summary", {}, h("code", {}, status), " ", ...prose(answer.description ?? ""));
  const node = h("details", { class: "schema" }, summary);
  node.addEventListener(
    "toggle",
    () => {
      if (headers.length > 0) node.append(h("p", { class: "quiet" }, `Headers: ${headers.join(", ")}`));
      for (const [type, { schema }] of Object.entries(answer.content ?? {}))
        node.append(h("p", { class: "quiet" }, type), schemaNode(api, schema));
    },
    { once: true },
  );
  return node;
}
