import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import { errorMessage } from "../../core/text/error-words.ts";
import { httpGet, httpsGetHere } from "../../service/client/http-get.ts";
import { type Arguments, jsonOption } from "../arguments.ts";
import { failed, print } from "../output.ts";

export const line = {
  usage: "health",
  about:
    "Checks that the daemon of this configuration is alive (GET /livez, on this machine). Exit code: 0 if it is alive, 1\nif it needs a restart or does not answer. The container uses this command as its health check.",
  takes: ["config"] as const,
  options: jsonOption,
};

const OK = 200;
/** Limits of the response. With the maximum number of homes, plans and plugs it stays well below them. */
const BOUNDS = { timeoutMs: 4_000, maxBytes: 256 * 1024 };
/** Loopback address for a daemon that listens on all addresses. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Fields of the body of /livez that this command prints. */
interface Body {
  readonly status: string;
  readonly checks?: Readonly<Record<string, { readonly ok: boolean; readonly text: string }>>;
}

export async function main(given: Arguments): Promise<number> {
  const { api } = loadConfiguration(given.configPath, process.env).config;
  const host = EVERYWHERE[api.host] ?? api.host;
  try {
    const { status, text } = await (api.tls ? httpsGetHere : httpGet)({ host, port: api.port, path: "/livez" }, BOUNDS);
    print(given.values.json === true ? text : wordsOf(text));
    return status === OK ? 0 : 1;
  } catch (error) {
    return failed(`no answer from the API on ${host}, port ${api.port}: ${errorMessage(error)}`);
  }
}

function wordsOf(text: string): string {
  const { status, checks = {} } = JSON.parse(text) as Body;
  const wrong = Object.values(checks).filter(({ ok }) => !ok);
  return [status, ...wrong.map((check) => `  ${check.text}`)].join("\n");
}
