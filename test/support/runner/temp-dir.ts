import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Temporary directory that is deleted when its scope ends. */
export class TempDir implements Disposable {
  readonly path = mkdtempSync(path.join(tmpdir(), "elbro-test-"));

  file(name: string): string {
    return path.join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
