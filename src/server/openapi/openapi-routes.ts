/** The route of the OpenAPI document, which is made at the first request. */
import type { LocalRoute } from "../http/route.ts";

/** `all` returns every route besides the contract's. */
export function openapiRoutes(all: () => readonly LocalRoute[]): readonly LocalRoute[] {
  let document: Promise<Buffer> | null = null;
  const make = async () => {
    const { fullDocument } = await import("./full-document.ts");
    return Buffer.from(JSON.stringify(fullDocument(all())));
  };
  return [
    {
      method: "GET",
      path: "/openapi.json",
      scope: "open",
      summary: "This API as an OpenAPI document.",
      handle: async () => {
        document ??= make();
        return { kind: "bytes", bytes: await document, type: "application/json" };
      },
    },
  ];
}
