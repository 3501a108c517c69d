import { message, type Text, TextError } from "../language/text.ts";

/** Reason why the daemon cannot start, in one sentence for the owner. */
export class StartError extends TextError {}

/** Reason that may pass without the owner: a read-only card after a power cut, a full disk, a late mount. */
export class PassingStartError extends StartError {}

/** System error codes of a full or failing disk, and of too many open files. */
const SHORTAGES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM"]);
/** System error codes of a disk that is read-only after a power cut, or mounted later. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(["EROFS", "ENXIO", "ENODEV"]);

/** Returns whether an error of the file system at the start may pass without the owner's action. */
export function mayPass(error: unknown): boolean {
  return error instanceof Error && "code" in error && (SHORTAGES.has(error.code) || UNAVAILABLE.has(error.code));
}

/** Throws a PassingStartError for an error, or its code, that says that the system has too little room. */
export function throwIfShort(error: unknown, what: Text): void {
  const code = error instanceof Error && "code" in error ? error.code : error;
  if (SHORTAGES.has(code)) throw new PassingStartError(message("start.short", { what, code: String(code) }));
}

/** Returns a StartError. Of an unexpected error only kind and place are shown: its message may quote a secret. */
export function asStartError(error: unknown, what: Text): StartError {
  if (error instanceof StartError) return error;
  const isSystem = error instanceof Error && "syscall" in error;
  const why = isSystem ? error.message : message("start.internal", { where: errorPlace(error) });
  return new StartError(message("start.failed", { what, why }));
}

/** Describes an unexpected error without its message: its kind and the first place in its stack. */
export function errorPlace(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const [at = ""] = /^ +at .*$/m.exec(error.stack ?? "") ?? [];
  return [error.name, at.trim()].filter(Boolean).join(" ");
}

/** Another process holds the lock of the data directory. */
export class DataDirInUse extends StartError {}

/** Runs `start`, which listens on a port. Rejects with StartError if the port or the address cannot be used. */
export async function onPort<Result>(
  part: "api" | "broker",
  port: number,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    const at = (setting: "port" | "host") => ({
      part,
      key: `${part}.${setting}`,
      variable: `ELBRO_${part}_${setting}`.toUpperCase(),
    });
    if (code === "EADDRINUSE") throw new StartError(message("start.port_used", { port, ...at("port") }));
    if (code === "EACCES") throw new StartError(message("start.port_rights", { port, ...at("port") }));
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new StartError(message("start.host_unknown", at("host")));
    throw error;
  }
}
