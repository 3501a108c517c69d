/** `npm run simulate`: what `elbro simulate` is, from the sources. */
import { main } from "./commands/simulate.ts";

process.exitCode = await main(process.argv.slice(2));
