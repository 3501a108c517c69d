/** Checks responses against the schemas of their endpoints. */
import { expect } from "vitest";
import { endpoints } from "../../../src/api/endpoints.ts";

/**
 * Returns a response after a check of its JSON: it fits the schema of its endpoint, and the schema describes every
 * field. Responses of other paths and errors are not checked.
 */
export async function checkedAnswer(method: string, url: string, answer: Response): Promise<Response> {
  const path = new URL(url, "http://elbro").pathname;
  const row = endpoints.find(
    (each) => each.method === method && new RegExp(`^${each.path.replace(/:\w+/g, "[^/]+")}$`).test(path),
  );
  if (!row || !answer.ok || answer.headers.get("content-type") !== "application/json") return answer;
  const schema = (answer.status === 201 ? row.created : null) ?? row.answer;
  const body = (await answer.clone().json()) as unknown;
  const reading = schema().safeParse(body);
  expect(reading.error?.issues ?? [], `${method} ${path}`).toEqual([]);
  expect(reading.data, `${method} ${path} describes every field`).toEqual(body);
  return answer;
}
