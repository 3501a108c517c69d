import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A directory of its own that is gone with its scope. */
export class TempDir implements Disposable {
  readonly path = mkdtempSync(path.join(tmpdir(), "elbro-test-"));

  file(name: string): string {
    return path.join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
