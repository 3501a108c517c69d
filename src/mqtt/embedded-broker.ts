/** The broker inside the daemon, for houses that have none. Loaded only when it is used. */
import net from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { Aedes, type Client } from "aedes";

export interface EmbeddedBrokerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether a client from the network may come in without a name; in the demo on loopback only. */
  readonly anonymous: boolean;
  readonly authenticate: (username: string | undefined, password: string | undefined) => boolean;
}

export interface EmbeddedBroker {
  readonly port: number;
  /** A byte stream for the daemon's own client, which needs no password. */
  readonly open: () => Duplex;
  readonly close: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Starts the broker. Errors: rejects where the port cannot be had. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const own = new WeakSet<object>();
  const isOwn = (client: Client) => own.has(client.conn);
  const aedes = await Aedes.createBroker({
    connectTimeout: CONNECT_TIMEOUT_MS,
    authenticate: (client, username, password, done) => {
      const known = isOwn(client) || options.anonymous || options.authenticate(username, password?.toString());
      if (known) done(null, true);
      else done(Object.assign(new Error("unknown user or wrong password"), { returnCode: 4 as const }), false);
    },
    authorizePublish: (client, _packet, done) =>
      done(client === null || isOwn(client) || options.anonymous ? null : new Error("read only")),
  });
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    aedes.handle(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : options.port,
    open: () => {
      const [near, far] = duplexPair();
      own.add(far);
      aedes.handle(far);
      return near;
    },
    close: () => closeBroker(aedes, server),
  };
}

function closeBroker(aedes: Aedes, server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close();
    aedes.close(() => resolve());
  });
}
