import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { LONGEST_MS } from '../imports/receive.ts';
import type { Env } from './env.ts';
import { importOperations } from './routes/imports.ts';

export interface OpenListener {
  /** Address of the listener. */
  url: string;
  /**
   * Shuts down gracefully: accepts no new connections, closes busy ones after their responses and
   * idle ones a moment later. Aborts the rest after `graceMs` milliseconds.
   */
  drain(graceMs: number): Promise<void>;
}

/** Limits for connections, in milliseconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** The import answers a slow sender first. */
const IMPORT_MS = LONGEST_MS + 60_000;
/**
 * Above the idle timeout of common load balancers (60 s), so that the balancer closes first and
 * never sends a request on a connection that is being closed.
 */
const KEEP_ALIVE_MS = 65_000;
const CHECK_MS = 2_000;
const MAX_CONNECTIONS = 1_000;
/**
 * How long idle connections stay usable while draining: a request that arrives while its connection
 * closes gets no response.
 */
const LINGER_MS = 200;
/** Maximum bytes of a rejected body to discard before its connection is closed. */
const MAX_DISCARDED = 16_777_216;
/** Maximum milliseconds to discard it, so that a slow sender keeps no connection. */
const DISCARD_MS = 10_000;
/** The host of a request without one (RFC 1945 5.2): it must not count as this machine's. */
const NO_HOST = 'host.invalid';

/** @throws the listen error (EADDRINUSE, EACCES, …) */
export async function listen(
  app: Pick<Hono<Env>, 'fetch'>,
  { host, port }: { host: string; port: number },
): Promise<OpenListener> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    // The adapter waits half a second for the rest of a body, and then closes a connection that its
    // response has announced as open, and loses the client's next request. See `discardRest`.
    autoCleanupIncoming: false,
    hostname: NO_HOST,
    serverOptions: {
      headersTimeout: HEADERS_MS,
      requestTimeout: IMPORT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: 16_384,
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  let isDraining = false;
  const running = new Set<ServerResponse>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // Node's parser waits for the upgraded protocol even if no upgrade takes place: the next
    // request on the connection might never be answered.
    if (isDraining || request.headers.upgrade !== undefined) {
      response.setHeader('connection', 'close');
    }
    running.add(response);
    response.once('finish', () => discardRest(request));
    response.once('close', () => running.delete(response));
    // Node has one limit for all paths.
    if (request.url?.split('?')[0] === importOperations.ledger.path) return;
    const late = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, REQUEST_MS).unref();
    response.once('close', () => clearTimeout(late));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;

  return {
    url: `http://${name}:${address.port}`,
    async drain(graceMs) {
      isDraining = true;
      for (const response of running) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      const closed = once(server, 'close');
      // The `close` of http.Server would close idle connections at once.
      NetServer.prototype.close.call(server);
      await Promise.race([closed, sleep(Math.min(LINGER_MS, graceMs), undefined, { ref: false })]);
      // For responses whose head is already sent.
      server.keepAliveTimeout = 1;
      server.close();
      // Node counts connections that a balancer opened ahead of a request as busy.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/** Discards the rest of a body after the response, because the next request follows it. */
function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let discarded = 0;
  request.removeAllListeners('data');
  request.on('data', (piece: Buffer) => {
    discarded += piece.byteLength;
    if (discarded > MAX_DISCARDED) request.destroy();
  });
  const late = setTimeout(() => request.socket.destroy(), DISCARD_MS).unref();
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(late));
  request.resume();
}
