import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key and a certificate for 127.0.0.1, made for one test by the machine's openssl; null where it has none. */
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
    return null; // no openssl here; the caller skips, and says so
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
