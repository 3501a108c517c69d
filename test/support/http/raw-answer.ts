import { connect } from "node:net";

/** First response to the sent bytes, as text. */
export interface RawAnswer {
  /** Status code; 0 if nothing was received. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

/**
 * Sends bytes on a new connection. Resolves with the first response, or after `waitMs` with the bytes received until
 * then.
 */
export function sendRaw(
  port: number,
  bytes: Buffer,
  { method, waitMs }: { method: string; waitMs: number },
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let got = Buffer.alloc(0);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answerOf(got));
    };
    const timer = setTimeout(done, waitMs);
    socket.on("error", () => undefined);
    socket.once("close", done);
    socket.on("data", (data) => {
      got = Buffer.concat([got, data]);
      if (isWhole(got, method)) done();
    });
    socket.write(bytes);
  });
}

/** Returns true if the body is complete. An event stream has no length, so it is complete after its headers. */
function isWhole(got: Buffer, method: string): boolean {
  const start = got.indexOf("HTTP/1.1 100") === 0 ? got.indexOf(HEAD_END) + HEAD_END.length : 0;
  const end = got.indexOf(HEAD_END, start);
  if (end < 0) return false;
  const head = got.toString("latin1", start, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return method === "HEAD" || got.length >= end + HEAD_END.length + length;
}

function answerOf(got: Buffer): RawAnswer {
  const text = got.toString("latin1").replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const [head = ""] = text.split(HEAD_END);
  // The bytes may contain several HTTP requests. Only the first response is read.
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const start = head.length + HEAD_END.length;
  const end = length === undefined ? undefined : start + Number(length);
  const body = Buffer.from(text.slice(start, end), "latin1").toString("utf8");
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body };
}
