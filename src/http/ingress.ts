/** Home Assistant's ingress: shows pages of an app inside Home Assistant to its users. */
import type { IncomingHttpHeaders } from "node:http";

/**
 * The only address from which Home Assistant forwards requests of its users.
 * Source: Home Assistant, app presentation, ingress: "only connections from 172.30.32.2 must be allowed".
 */
const INGRESS_ADDRESS = "172.30.32.2";

export function isFromIngress(headers: IncomingHttpHeaders | undefined, remoteAddress: string | undefined): boolean {
  return headers?.["x-ingress-path"] !== undefined && remoteAddress?.replace("::ffff:", "") === INGRESS_ADDRESS;
}
