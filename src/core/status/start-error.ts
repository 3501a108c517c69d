/** Reason why the daemon cannot start, in one sentence for the owner. */
export class StartError extends Error {}

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
export function throwIfShort(error: unknown, what: string): void {
  const code = error instanceof Error && "code" in error ? error.code : error;
  if (SHORTAGES.has(code)) throw new PassingStartError(`${what}: ${code}; try again later`);
}

/** Returns a StartError. Of an unexpected error only kind and place are shown: its message may quote a secret. */
export function asStartError(error: unknown, what: string): StartError {
  if (error instanceof StartError) return error;
  const isSystem = error instanceof Error && "syscall" in error;
  return new StartError(
    `${what}: ${isSystem ? error.message : `internal error, please report this: ${placeOf(error)}`}`,
  );
}

/** Describes an unexpected error without its message: its kind and the first place in its stack. */
export function placeOf(error: unknown): string {
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
    const variable = `${part}.port or ELBRO_${part.toUpperCase()}_PORT`;
    if (code === "EADDRINUSE")
      throw new StartError(`port ${port} of the ${part} is in use by another program; set ${variable} to another`);
    if (code === "EACCES")
      throw new StartError(
        `port ${port} of the ${part} needs more rights than this user has; set ${variable} to one above 1023`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new StartError(
        `the ${part} cannot listen on its host, which is not an address of this machine; set ${part}.host or ELBRO_${part.toUpperCase()}_HOST to one of them, or to 0.0.0.0 for all`,
      );
    throw error;
  }
}
