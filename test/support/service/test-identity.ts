import { readFileSync } from "node:fs";

/** Certificate of the tests and its key, in PEM. Valid for 100 years. */
const TEST_IDENTITY = { cert: fixture("cert.pem"), key: fixture("key.pem") } as const;

/** Returns the certificate or its key for a file that is named like one, and another text for any other file. */
export function pemOr(otherwise: string): (file: string) => string {
  return (file) =>
    file.includes("fullchain") ? TEST_IDENTITY.cert : file.includes("privkey") ? TEST_IDENTITY.key : otherwise;
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");
}
