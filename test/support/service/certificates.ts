import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { TempDir } from "../runner/temp-dir.ts";

export type Identity = { readonly cert: string; readonly key: string };

/** Certificate authority for one test, created with openssl. */
export class Authority implements Disposable {
  readonly cert: string;
  readonly #dir = new TempDir();

  constructor(name: string) {
    this.#openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ca.key"]);
    this.#openssl(["req", "-x509", "-key", "ca.key", "-subj", `/CN=${name}`, "-days", "2", "-out", "ca.pem"]);
    this.cert = this.#read("ca.pem");
  }

  /** Issues a certificate for a name and its addresses. Negative `days` create an expired one. */
  issue(name: string, addresses: string, days = 2): Identity {
    const files = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", `${name}.pem`];
    writeFileSync(this.#dir.file(`${name}.ext`), `subjectAltName=${addresses}\n`);
    this.#openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${name}.key`]);
    this.#openssl(["req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`]);
    this.#openssl(["x509", "-req", "-in", `${name}.csr`, "-days", String(days), "-extfile", `${name}.ext`, ...files]);
    return { cert: this.#read(`${name}.pem`), key: this.#read(`${name}.key`) };
  }

  [Symbol.dispose](): void {
    this.#dir[Symbol.dispose]();
  }

  #read(name: string): string {
    return readFileSync(this.#dir.file(name), "utf8");
  }

  #openssl(args: readonly string[]): void {
    execFileSync("openssl", args, { cwd: this.#dir.path, stdio: "ignore" });
  }
}
