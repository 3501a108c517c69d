/** Records attempts in a loop and prints each id after `spend` has returned. */
import { writeSync } from "node:fs";
import { openDatabase } from "../../../../src/storage/database.ts";
import { RequestLog } from "../../../../src/storage/request-log.ts";
import { spendOf } from "../../storage/spend.ts";

const [databasePath = ""] = process.argv.slice(2);
const requestLog = new RequestLog(openDatabase(databasePath));
for (let at = 1; ; at++) writeSync(1, `${requestLog.spend(spendOf({ at }))}\n`);
