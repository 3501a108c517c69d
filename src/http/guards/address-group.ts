/** Grouping of remote addresses that count as one caller. */

const MAPPED_IPV4 = "::ffff:";
/** 16-bit groups in the first 64 bits of an IPv6 address. A household or machine controls all addresses of its /64. */
const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;

/** Returns the IPv4 address, also of an IPv4-mapped IPv6 address; for other IPv6 addresses the /64 network. */
export function addressGroup(remoteAddress: string): string {
  if (remoteAddress.startsWith(MAPPED_IPV4)) return remoteAddress.slice(MAPPED_IPV4.length);
  if (!remoteAddress.includes(":")) return remoteAddress;
  const [address = ""] = remoteAddress.split("%");
  const [head = "", tail] = address.split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  const between = Array<string>(tail === undefined ? 0 : Math.max(0, GROUPS - before.length - after.length)).fill("0");
  const network = [...before, ...between, ...after].slice(0, GROUPS_OF_NETWORK);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
