/** Serves requests of the command line at the socket of the running daemon. */

import type { Config } from "../../config/schema.ts";
import { textIn } from "../../core/language/text.ts";
import { withoutLogin } from "../../mqtt/broker/start-broker.ts";
import type { ApiDeps } from "../api.ts";
import { diagnosticsReport } from "../monitoring/diagnostics.ts";
import { Health } from "../monitoring/health.ts";
import { AdminApi, type CheckResult, checkResultOf } from "./admin-api.ts";
import { adminSocketPath, NO_SOCKET, openAdminSocket } from "./admin-socket.ts";
import { checkArchive } from "./check-archive.ts";
import { checkHomeAssistant } from "./check-home-assistant.ts";

/** Serves requests until the signal fires. Logs once if the file system does not support sockets, and continues. */
export async function serveAdmin(deps: ApiDeps, configNow: () => Config, signal: AbortSignal): Promise<void> {
  const socketPath = adminSocketPath(deps.config.data_dir);
  if (socketPath === null) return deps.log.warn({ data_dir: deps.config.data_dir }, NO_SOCKET);
  if (signal.aborted) return;
  const api = new AdminApi({
    ...deps,
    broker: async () => brokerFinding(deps),
    copyNow: deps.state.copyNow,
    homeAssistant: () => checkHomeAssistant(deps.config),
    archive: () => checkArchive(deps.config),
    diagnostics: async () => {
      const now = { ...deps, config: configNow() };
      const report = await new Health(now).report();
      return { running: true, ...((await diagnosticsReport(now, report, deps.clock.now())) as object) };
    },
  });
  try {
    await openAdminSocket(socketPath, (question) => api.answer(question), signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    deps.log.info(
      { why },
      "cannot open the command socket in the data directory: commands such as elbro prices work only while the daemon is stopped",
    );
  }
}

function brokerFinding({ mqtt, config }: ApiDeps): CheckResult {
  const { url } = config.mqtt;
  const { trouble } = mqtt.client.status();
  return checkResultOf(
    "broker",
    trouble && textIn("en", trouble),
    `connected: ${url === undefined ? "built in" : withoutLogin(url)}`,
  );
}
