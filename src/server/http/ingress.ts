/** Home Assistant's ingress: pages of an app, shown inside Home Assistant to who is logged in there. */
import type { IncomingHttpHeaders } from "node:http";

/**
 * Home Assistant hands on what its users send from this address of its own network and no other.
 * Source: Home Assistant, app presentation, ingress: "only connections from 172.30.32.2 must be allowed".
 */
const INGRESS_ADDRESS = "172.30.32.2";

/** Whether a request was handed on by Home Assistant. */
export function isFromIngress(headers: IncomingHttpHeaders | undefined, remoteAddress: string | undefined): boolean {
  return headers?.["x-ingress-path"] !== undefined && remoteAddress?.replace("::ffff:", "") === INGRESS_ADDRESS;
}
