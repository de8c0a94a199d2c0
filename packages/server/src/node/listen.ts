import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Listener } from '../config/config.ts';

export interface OpenListener {
  /** Address to reach it under. */
  url: string;
  /**
   * Ends it without cutting off a request: no new connections, those in use closed once they are
   * answered, idle ones a moment later. After `graceMs` milliseconds what is left is cut off.
   */
  drain(graceMs: number): Promise<void>;
}

/** How long a connection may be held, in milliseconds. */
export interface ListenTimeouts {
  /** Until the head of a request is there; Node's own default is a minute. */
  headersMs: number;
  /** Until its body is there too; Node's own default is five minutes. */
  requestMs: number;
  /** Between two requests: above the idle timeout of common load balancers (60 s), so that the
   * balancer closes first and never sends a request into a connection we are closing. */
  keepAliveMs: number;
  /** How often Node looks for connections over the first two; its default of 30 s triples them. */
  checkMs: number;
}

const defaults: ListenTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  checkMs: 2_000,
};
/** Far above what a replica serves, and below what its file descriptors allow. */
const MAX_CONNECTIONS = 10_000;
/**
 * How long an idle connection may still be used while draining: who sends in the moment in which it is
 * closed gets no answer, and does not know whether a POST was heard. Those in use say so by then.
 */
const LINGER_MS = 200;
/** How much of a body that was refused is thrown away, in bytes, before its connection is cut. */
const MAX_DISCARDED = 16_777_216;

/**
 * The host of a request that names none: HTTP/1.0 asks for none (RFC 1945 5.2), and balancers check
 * health in it. A name that nobody has (RFC 6761 6.4): it must not pass for this machine's.
 */
const NO_HOST = 'host.invalid';

/** @throws the listen error (EADDRINUSE, EACCES, …) */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  { host, port }: Listener,
  timeouts: Partial<ListenTimeouts> = {},
): Promise<OpenListener> {
  const { headersMs, requestMs, keepAliveMs, checkMs } = { ...defaults, ...timeouts };
  const server = createAdaptorServer({
    fetch: app.fetch,
    // The adapter gives what is left of a body half a second, and then ends a connection which the
    // client was told it may keep: under its next request. See `discardRest`.
    autoCleanupIncoming: false,
    hostname: NO_HOST,
    serverOptions: {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: 16_384,
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  let draining = false;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  // A keep-alive client must hear that its connection ends with this answer.
  const underWay = new Set<ServerResponse>();
  const accompany = (request: IncomingMessage, response: ServerResponse) => {
    // Node's parser goes on waiting for the protocol that a request asked for (Java's client does,
    // h2c) also when nobody upgrades: what it reads together with the request's end is lost, and
    // what came next on this connection might never be answered.
    const last = draining || request.headers.upgrade !== undefined;
    if (last) response.setHeader('connection', 'close');
    underWay.add(response);
    response.once('finish', () => discardRest(request));
    response.once('close', () => underWay.delete(response));
  };
  server.prependListener('request', accompany);
  // Without a listener Node answers the same by itself, past everything that is said above.
  server.on('checkExpectation', (request, response) => {
    accompany(request, response);
    response.writeHead(417).end();
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;

  return {
    url: `http://${name}:${address.port}`,
    async drain(graceMs) {
      draining = true;
      for (const response of underWay) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      const closed = once(server, 'close');
      // Not that of HTTP, which closes idle connections at once.
      NetServer.prototype.close.call(server);
      await Promise.race([closed, sleep(Math.min(LINGER_MS, graceMs), undefined, { ref: false })]);
      // For the answers whose head is sent already.
      server.keepAliveTimeout = 1;
      server.close();
      // Those that a browser or a balancer opened ahead of a request are in use to Node.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/**
 * Throws away what is left of a body after its answer: the next request is behind it. Node does so
 * only where nobody has read a part, and whoever stopped reading has stopped the connection too.
 * A slow client is bound by the time that any request may take.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let discarded = 0;
  request.removeAllListeners('data');
  request.on('data', (piece: Buffer) => {
    discarded += piece.byteLength;
    if (discarded > MAX_DISCARDED) request.destroy();
  });
  request.resume();
}
