/**
 * Ends the program if its event loop hangs. A shell waits for signals of the event loop, because a thread of Node needs
 * 13 MB of memory and a shell 0.4 MB. It counts its own pauses instead of reading a clock, so that a machine that was
 * suspended is only one pause late.
 */
import { spawn } from "node:child_process";

/** Length of a pause, and the pauses without a sign of life after which the program is ended: 40 to 60 s. */
const PAUSE_SEC = 20;
const MAX_MISSED = 2;
/** Pauses that one long step may take, such as the upgrade or the check of a large database: nine minutes. */
const LONG_STEP = 27;
const BEAT_MS = 10_000;

/**
 * USR1 is a sign of life, USR2 announces a long step. The first process ends the shell when the program ends, whose end
 * of the pipe closes then: the number of the program may belong to another one soon. `ready`: the signals are handled.
 */
const SCRIPT = `
exec 3<&0
{ cat <&3; kill $$; } >/dev/null 2>&1 &
missed=-${LONG_STEP}
trap 'missed=-1' USR1
trap 'missed=-${LONG_STEP}' USR2
echo ready
while [ $missed -lt ${MAX_MISSED} ]; do
  sleep ${PAUSE_SEC} 2>/dev/null
  missed=$((missed + 1))
done
echo "elbro did not respond for ${PAUSE_SEC * MAX_MISSED} s and is ended" >&2
kill -KILL $PPID
`;

/** Starts to watch this process. Does nothing on a system without a shell. Returns a function that announces a long step. */
export function startWatchdog(beatMs: number = BEAT_MS): () => void {
  const shell = spawn("sh", ["-c", SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
  let isReady = false;
  const signal = (name: "SIGUSR1" | "SIGUSR2") => isReady && shell.kill(name);
  shell.stdout.once("data", () => {
    isReady = true;
  });
  for (const each of [shell, shell.stdin]) each.on("error", () => undefined);
  for (const each of [shell, shell.stdin, shell.stdout]) (each as { unref?(): void }).unref?.();
  setInterval(() => signal("SIGUSR1"), beatMs).unref();
  return () => void signal("SIGUSR2");
}
