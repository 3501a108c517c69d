/** Opens a database and keeps it open. */
import { openDatabase } from "../../../../src/storage/database.ts";

const [databasePath = ""] = process.argv.slice(2);
const database = openDatabase(databasePath);
console.log(`holds ${database.isOpen}`);
setInterval(() => undefined, 60_000);
