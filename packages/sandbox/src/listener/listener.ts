import { getRequestListener } from '@hono/node-server';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerIdentity } from './authority.ts';
import { SandboxError } from '../platform/problem.ts';
import { keepInStep, refuseExpectation } from './in-step.ts';

export interface Listener {
  port: number;
  /** Closes the port: new connections are refused, active ones continue. */
  shut(): void;
  /** Opens the port again after {@link shut}. */
  open(): void;
  /** Closes idle connections. */
  endIdle(): void;
  /** Stops the server. Active connections have one second to finish. */
  close(): Promise<void>;
}

/** A Hono app. Declared with method syntax, because each app has its own bindings type. */
export interface App {
  fetch(request: Request, bindings: never): Response | Promise<Response>;
}

interface ListenOptions {
  /** Name for error messages, such as "API". */
  name: string;
  /** The option that sets another port: "--api-port". */
  option: string;
  host: string;
  /** Port to listen on; 0 selects any free port. */
  port: number;
  app: App;
  /** Set for a listener that speaks only TLS. */
  identity?: ServerIdentity;
  /** Called when a client connects without TLS or does not trust the certificate. */
  onTlsError?: (code: string) => void;
  /** Decides for each new connection whether to reset it before it is read. */
  dropsConnection?: () => boolean;
}

/** @throws {SandboxError} when the port is in use, or when opening it is not permitted */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { app, identity } = options;
  // keepInStep discards the rest of a body after the response. The adapter would close a connection
  // that the client may want to keep.
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
          ...timeouts,
        },
        listener,
      )
    : createHttpServer(timeouts, listener);
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
    // Only reopening can fail here: another process has the port, perhaps temporarily.
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
 * Time limits for a client's request, in milliseconds. With Node's defaults a silent client could
 * hold its connection for minutes.
 */
const timeouts = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  // Longer than clients keep idle connections (undici: 4 s, load balancers: 60 s), so that a
  // connection is not closed when a client reuses it.
  keepAliveTimeout: 65_000,
} as const;

/** Delay between attempts to reopen a port that is in use, in milliseconds. */
const REOPEN_MS = 200;

/**
 * Intercepts new connections: resets dropped ones before the TLS handshake, and records the TCP
 * connection under each TLS connection.
 */
function watchConnections(server: Server, drops: () => boolean = () => false): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
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
    for (const listener of listeners) listener.call(server, socket);
  });
  server.on('secureConnection', (tls: Socket) => {
    const tcp = open.get(nameOf(tls));
    if (tcp) setTcpSocket(tls, tcp);
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

/** The TCP socket under each TLS socket, because only a TCP socket can be reset. */
const below = new WeakMap<Socket, Socket>();

function setTcpSocket(tls: Socket, tcp: Socket): void {
  below.set(tls, tcp);
}

/** Closes a connection with a TCP reset, without a TLS or TCP shutdown. */
export function resetConnection(socket: Socket | null): void {
  if (!socket) return;
  (below.get(socket) ?? socket).resetAndDestroy();
}
