/** Who counts as one caller by where a connection comes from. */

const MAPPED_IPV4 = "::ffff:";
/** A household's network, or a machine's, is the first 64 bits: whoever has one address of it has them all. */
const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;

/** An IPv4 address as it is, also one inside an IPv6 address; of an IPv6 address its /64. */
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
