import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a key and a self-signed certificate for 127.0.0.1 with openssl; null if openssl fails. */
export function createSelfSigned(): { readonly key: string; readonly cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), "elbro-tls-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  try {
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", keyFile, "-out", certFile, ...subject], {
      stdio: "ignore",
    });
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  } catch {
    return null; // The test is then skipped and reported as skipped.
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
