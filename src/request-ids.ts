/**
 * The ids of answers: what is random is drawn once, the rest counts. Shape: UUIDs of version 8, whose bits are the maker's own.
 * Source: RFC 9562, 5.8.
 */
import { randomUUID } from "node:crypto";

/** Where version and variant of a UUID stand, and where its last group begins. */
const VERSION_AT = 14;
const LAST_GROUP_AT = 24;
const LAST_GROUP_LENGTH = 12;
const HEX = 16;

/** Gives another id with every call. */
export function requestIds(random = randomUUID()): () => string {
  const begin = `${random.slice(0, VERSION_AT)}8${random.slice(VERSION_AT + 1, LAST_GROUP_AT)}`;
  let count = 0;
  return () => begin + (++count).toString(HEX).padStart(LAST_GROUP_LENGTH, "0");
}
