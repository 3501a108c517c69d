/** Gives signs of life: prints `beat` after each turn of the event loop, and hangs at USR2. */
import { startWatchdog } from "../../../../src/cli/watchdog.ts";

startWatchdog(5);
let beats = 0;
setInterval(() => process.stdout.write(`beat ${++beats}\n`), 20);
process.once("SIGUSR2", () => {
  process.stdout.write("hangs\n");
  for (;;);
});
