import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { EpochMs } from "../../core/time/interval.ts";
import type { OperationId } from "../contract/operations.ts";
import { type Reply, sendReply } from "../serve/mount.ts";
import { firstHalf, spoiltReply } from "./fault-replies.ts";
import type { FaultScript } from "./fault-script.ts";

type Deliver = (operation: OperationId, reply: Reply, response: ServerResponse) => Promise<void>;

/** Sends replies through a script of faults. Once `stopped`, nothing waits any longer. */
export function deliverThrough(script: FaultScript, now: () => EpochMs, stopped: AbortSignal): Deliver {
  return async (operation, reply, response) => {
    for (const fault of script.strike(operation, now())) {
      switch (fault.fault) {
        case "delay":
          await wait(fault.delayMs, undefined, { signal: stopped }).catch(() => undefined); // rejects when stopped
          break;
        case "hang":
          return;
        case "lostConnection":
          response.destroy();
          return;
        case "cutOff":
          cutOff(reply, response);
          return;
        default:
          return sendReply(spoiltReply(fault, reply, now()), response);
      }
    }
    return sendReply(reply, response);
  };
}

/** Promises the whole body, sends half of it, and closes. */
function cutOff(reply: Reply, response: ServerResponse): void {
  response.writeHead(reply.status, { ...reply.headers, "Content-Length": Buffer.byteLength(reply.body) });
  response.write(firstHalf(reply.body), () => response.destroy());
}
