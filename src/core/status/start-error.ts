/** Why the daemon cannot start, in one sentence for its owner. */
export class StartError extends Error {}

/** What may pass without the owner: a card that is read-only after a power cut, a disk that is full or comes later. */
export class PassingStartError extends StartError {}

/** Another process holds the data directory. */
export class DataDirInUse extends StartError {}

/** Starts what listens on a port. Errors: throws a StartError where the port cannot be had. */
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
        `port ${port} of the ${part} may not be opened by this user; set ${variable} to one above 1023`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new StartError(
        `the ${part} cannot listen on the address it is told, which is none of this machine's; set ${part}.host or ELBRO_${part.toUpperCase()}_HOST to one, or to 0.0.0.0 for all`,
      );
    throw error;
  }
}
