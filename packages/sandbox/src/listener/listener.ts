import { getRequestListener } from '@hono/node-server';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerIdentity } from '../certificates/authority.ts';
import { SandboxError } from '../problem.ts';
import { keepInStep, refuseExpectation } from './in-step.ts';
import { resetConnection, standsOn } from './reset.ts';

/** A server that listens. */
export interface Listener {
  port: number;
  /** Closes the port: new connections are refused, those that are busy go on. */
  shut(): void;
  /** Opens the port again after {@link shut}. */
  open(): void;
  /** Ends the connections that no request is on. */
  endIdle(): void;
  /** Ends it: open connections are cut after what they are doing, at most a second. */
  close(): Promise<void>;
}

/** An app as Hono has them. Method syntax: each app knows bindings of its own. */
export interface App {
  fetch(request: Request, bindings: never): Response | Promise<Response>;
}

export interface ListenOptions {
  /** What it is, for the error of a taken port: "API". */
  name: string;
  /** The option that names another port: "--api-port". */
  option: string;
  host: string;
  /** 0 takes any free one. */
  port: number;
  app: App;
  /** With it the listener speaks TLS, and nothing else. */
  identity?: ServerIdentity;
  /** A client that tried without TLS, or with a certificate it does not trust. */
  onTlsError?: (code: string) => void;
  /** Asked for each new connection: whether to reset it before anything is read. */
  dropsConnection?: () => boolean;
}

/** @throws {SandboxError} when the port is taken or may not be opened */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { app, identity } = options;
  // What is left of a body once the answer is out is dropped below. The adapter's way to do so ends
  // connections which the client was told it may keep.
  const handler = getRequestListener((request, bindings) => app.fetch(request, bindings as never), {
    autoCleanupIncoming: false,
  });
  const listener: RequestListener = (incoming, outgoing) => {
    keepInStep(incoming, outgoing);
    void handler(incoming, outgoing);
  };
  const server: Server = identity
    ? createHttpsServer(
        {
          key: identity.privateKey,
          cert: identity.certificate,
          minVersion: 'TLSv1.2',
          ...patience,
        },
        listener,
      )
    : createHttpServer(patience, listener);
  server.on('checkExpectation', refuseExpectation);
  server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
    options.onTlsError?.(error.code ?? 'unknown'),
  );
  watchConnections(server, options.dropsConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  let ended = false;
  const open = () => {
    if (!ended && !server.listening) server.listen(port, options.host);
  };
  server.on('error', () => {
    // Only opening again can fail by now: somebody else has the port, for a moment or longer.
    setTimeout(open, REOPEN_MS).unref();
  });
  return {
    port,
    open,
    shut: () => {
      if (server.listening) server.close();
    },
    endIdle: () => server.closeIdleConnections(),
    close: () => {
      ended = true;
      return close(server);
    },
  };
}

/**
 * How long a client may take to send a request, in milliseconds: Node's own limits would let one
 * that sends nothing hold its connection for minutes.
 */
const patience = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  // Longer than clients keep a connection (undici: 4 s, load balancers: 60 s): who reuses one must not
  // meet its end.
  keepAliveTimeout: 65_000,
} as const;

/** How long to wait before a port that is taken is tried again, in milliseconds. */
const REOPEN_MS = 200;

/**
 * Stands between the port and the server: resets what is to be dropped before TLS has begun, and
 * knows which TCP connection each TLS connection stands on.
 */
function watchConnections(server: Server, drops: () => boolean = () => false): void {
  const onward = server.listeners('connection') as ((socket: Socket) => void)[];
  const open = new Map<string, Socket>();
  const nameOf = (socket: Socket) => `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    if (drops()) {
      resetConnection(socket);
      return;
    }
    const name = nameOf(socket);
    open.set(name, socket);
    socket.once('close', () => {
      if (open.get(name) === socket) open.delete(name);
    });
    for (const listener of onward) listener.call(server, socket);
  });
  server.on('secureConnection', (tls: Socket) => {
    const tcp = open.get(nameOf(tls));
    if (tcp) standsOn(tls, tcp);
  });
}

function explain(error: NodeJS.ErrnoException, { name, option, host, port }: ListenOptions): Error {
  if (error.code === 'EADDRINUSE') {
    return new SandboxError(
      `Port ${port} for the ${name} is taken: stop what uses it, or choose another with ${option}.`,
    );
  }
  if (/^(EACCES|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(error.code ?? '')) {
    return new SandboxError(
      `The ${name} cannot listen on ${host} port ${port} (${error.code ?? ''}): choose another with --host or ${option}.`,
    );
  }
  return error;
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), 1000);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
