/**
 * Records the system calls by which a process writes to the files of a folder and to the network, in order. Needs
 * strace (Debian package strace), which any user may run on their own processes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Disk } from "./disk.ts";

const CALLS =
  "openat,write,writev,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,sendto,sendmsg";

/** Returns the command line to put in front of a program, so that it is recorded into `file`. */
export function recorder(file: string): readonly string[] {
  return [
    "strace",
    "-f",
    "-qq",
    "-y",
    "-xx",
    "-s",
    "33554432",
    "-e",
    `trace=${CALLS}`,
    "-e",
    "signal=none",
    "-o",
    file,
  ];
}

/** Returns whether strace is installed and may trace processes here. */
export function hasRecorder(): boolean {
  try {
    execFileSync("strace", ["-e", "trace=none", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** An action of a process: a change of the disk, or a text that it sent to a socket or wrote to its output. */
export type Deed =
  | { readonly kind: "disk"; readonly to: (disk: Disk) => void }
  | { readonly kind: "said"; readonly text: string };

/** Reads a recording. Returns the changes of files in `folder`, by relative name, and the sent texts, in order. */
export function readRecording(file: string, folder: string): Deed[] {
  const unfinished = new Map<string, string>();
  const reader = new CallReader(folder);
  const deeds: Deed[] = [];
  for (const line of readFileSync(file, "latin1").split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (rest.endsWith(" <unfinished ...>")) {
      unfinished.set(thread, rest.slice(0, -" <unfinished ...>".length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest)?.[1];
    const call = resumed === undefined ? rest : `${unfinished.get(thread) ?? ""}${resumed}`;
    const deed = reader.deedOf(call);
    if (deed) deeds.push(deed);
  }
  return deeds;
}

class CallReader {
  readonly #folder: string;
  /** Offset of the next `write` of a file, by name. */
  readonly #positions = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = `${folder}/`;
  }

  deedOf(call: string): Deed | null {
    const [, name = "", given = "", result = ""] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(call) ?? [];
    if (name === "" || Number(result) < 0) return null;
    const texts = [...given.matchAll(/"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?/g)].map(([, hex = ""]) => bytesOf(hex));
    const target = decoded(/^\d+<([^>]*)>/.exec(given)?.[1] ?? "");
    const inFolder = this.#nameOf(target);
    switch (name) {
      case "openat":
        return this.#opened(this.#nameOf(String(texts[0])), given);
      case "write":
      case "writev":
      case "pwrite64":
      case "sendto":
      case "sendmsg":
        if (inFolder !== null) return this.#wrote(inFolder, Buffer.concat(texts), name, given);
        return { kind: "said", text: Buffer.concat(texts).toString("latin1") };
      case "fsync":
      case "fdatasync":
        if (`${target}/` === this.#folder) return onDisk((disk) => disk.syncNames());
        return inFolder === null ? null : onDisk((disk) => disk.sync(inFolder));
      case "ftruncate": {
        const length = Number(/, (\d+)$/.exec(given)?.[1]);
        return inFolder === null ? null : onDisk((disk) => disk.change(inFolder, { kind: "truncate", length }));
      }
      case "unlink":
      case "unlinkat": {
        const removed = this.#nameOf(String(texts[0]));
        return removed === null ? null : onDisk((disk) => disk.remove(removed));
      }
      default: {
        const [from, to] = texts.map((text) => this.#nameOf(String(text)));
        return from && to ? onDisk((disk) => disk.rename(from, to)) : null;
      }
    }
  }

  #opened(name: string | null, given: string): Deed | null {
    if (name === null || !given.includes("O_CREAT")) return null;
    this.#positions.set(name, 0);
    return onDisk((disk) => {
      disk.create(name);
      if (given.includes("O_TRUNC")) disk.change(name, { kind: "truncate", length: 0 });
    });
  }

  #wrote(name: string, bytes: Buffer, call: string, given: string): Deed {
    const position = this.#positions.get(name) ?? 0;
    const offset = call === "pwrite64" ? Number(/, (\d+)$/.exec(given)?.[1]) : position;
    if (call !== "pwrite64") this.#positions.set(name, position + bytes.length);
    return onDisk((disk) => disk.change(name, { kind: "write", offset, bytes }));
  }

  /** Returns the name of a file relative to the folder; null if it is outside of the folder. */
  #nameOf(file: string): string | null {
    const whole = path.resolve("/", file);
    return whole.startsWith(this.#folder) ? whole.slice(this.#folder.length) : null;
  }
}

function onDisk(to: (disk: Disk) => void): Deed {
  return { kind: "disk", to };
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

/** Returns a path from the output of `strace -xx`, which writes some paths in hexadecimal. */
function decoded(text: string): string {
  return text.startsWith("\\x") ? String(bytesOf(text)) : text;
}
