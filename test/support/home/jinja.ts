/**
 * Renders the five forms of Home Assistant templates that elbro writes: a value of the JSON payload, by path or
 * `.get()`; whether it is not none; the value or an empty string; the value as JSON; and a constant JSON object. A
 * missing key is an error, also with `.get()`. Values are written as Python writes them: `None`, `True`, `False`.
 */

/** Unknown template form, or payload that does not fit the template. */
export class TemplateError extends Error {}

const FORM = /^\{\{ value_json((?:\.[a-z_][a-z0-9_]*)+)( is not none| or ''| \| tojson)? \}\}$/i;
const GET = /\.get\('([a-z_][a-z0-9_]*)'\)/i;
const CONSTANT = /^\{"[^{}]*\}$/;

/** Renders a template with a payload. Throws a TemplateError. */
export function render(template: string, payload: string): string {
  if (CONSTANT.test(template)) return template;
  const [, path, test] = FORM.exec(template.replace(GET, ".$1")) ?? [];
  if (path === undefined) throw new TemplateError(`the template ${template} has no known form`);
  let value = parse(payload);
  for (const key of path.slice(1).split(".")) {
    if (typeof value !== "object" || value === null || !(key in value))
      throw new TemplateError(`the template ${template} finds no ${key} in the payload`);
    value = (value as Record<string, unknown>)[key];
  }
  if (test === " | tojson") return JSON.stringify(value);
  if (test === " or ''") return value === null ? "" : python(value);
  return python(test === undefined ? value : value !== null);
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    throw new TemplateError(`the payload ${payload.slice(0, 40)} is not JSON`);
  }
}

function python(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? value : JSON.stringify(value);
}
