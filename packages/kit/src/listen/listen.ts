import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

export interface OpenListener {
  /** Base address of the listener. */
  url: string;
  /**
   * Closes the listener without cutting off a request: it accepts no new connection, closes each connection
   * after its answer, and idle ones a moment later. After `graceMs` milliseconds it cuts off the rest.
   */
  drain(graceMs: number): Promise<void>;
}

/** Limits of the connections; times are milliseconds. */
export interface ListenOptions {
  /** Until the head of a request has arrived; Node's own default is a minute. */
  headersMs: number;
  /** Until its body has arrived too; Node's own default is five minutes. */
  requestMs: number;
  /** Between two requests: above the idle timeout of common load balancers (60 s), so that the
   * balancer closes first and never sends a request into a connection that the program closes. */
  keepAliveMs: number;
  /** How often Node checks the first two limits; its default of 30 s triples them. */
  checkMs: number;
  /** More than a replica serves, and fewer than its file descriptors allow. */
  maxConnections: number;
  /** A path whose requests may take longer. */
  slow: { path: string; requestMs: number } | undefined;
}

const defaults: ListenOptions = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  checkMs: 2_000,
  maxConnections: 10_000,
  slow: undefined,
};
/**
 * Milliseconds for which an idle connection may still be used while draining: a client that sends while the
 * connection is closed gets no answer, and does not know whether a POST was received. Within this time
 * connections in use announce that they close.
 */
const LINGER_MS = 200;
/** Bytes of a refused body that are discarded before its connection is cut. */
const MAX_DISCARDED = 16_777_216;
/** Milliseconds to discard them, so that a slow sender keeps no connection. */
const DISCARD_MS = 10_000;

/**
 * The host of a request that names none: HTTP/1.0 requires none (RFC 1945 5.2), and balancers check
 * health in it. The name is reserved and never resolves (RFC 6761 6.4), so it cannot pass for this machine's.
 */
const NO_HOST = 'host.invalid';

/** Serves an app on an address. @throws the listen error (EADDRINUSE, EACCES, …) */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  { host, port }: { host: string; port: number },
  options: Partial<ListenOptions> = {},
): Promise<OpenListener> {
  const { headersMs, requestMs, keepAliveMs, checkMs, maxConnections, slow } = {
    ...defaults,
    ...options,
  };
  const server = createAdaptorServer({
    fetch: app.fetch,
    // The adapter gives the rest of a body half a second, and then ends a connection which the client may
    // keep by the answer's header: during its next request. See `discardRest`.
    autoCleanupIncoming: false,
    hostname: NO_HOST,
    serverOptions: {
      headersTimeout: headersMs,
      // Node has one limit for all paths.
      requestTimeout: slow?.requestMs ?? requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: 16_384,
    },
  }) as Server;
  server.maxConnections = maxConnections;
  let draining = false;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const openResponses = new Set<ServerResponse>();
  const prepareResponse = (request: IncomingMessage, response: ServerResponse) => {
    // Node's parser waits for the protocol that a request asks for (Java's client asks for h2c), also when
    // the server does not upgrade: bytes that it reads together with the request's end are lost, and the
    // next request on this connection might never be answered. A client must know that the connection ends.
    const last = draining || request.headers.upgrade !== undefined;
    if (last) response.setHeader('connection', 'close');
    openResponses.add(response);
    response.once('finish', () => discardRest(request));
    response.once('close', () => openResponses.delete(response));
    if (slow === undefined || request.url?.split('?')[0] === slow.path) return;
    const late = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, requestMs).unref();
    response.once('close', () => clearTimeout(late));
  };
  server.prependListener('request', prepareResponse);
  // Without a listener Node sends the same answer by itself, without the preparation above.
  server.on('checkExpectation', (request, response) => {
    prepareResponse(request, response);
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
      for (const response of openResponses) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      const closed = once(server, 'close');
      // The method of net.Server: that of http.Server closes idle connections at once.
      NetServer.prototype.close.call(server);
      await Promise.race([closed, sleep(Math.min(LINGER_MS, graceMs), undefined, { ref: false })]);
      // For connections whose answer had sent its head before the drain began.
      server.keepAliveTimeout = 1;
      server.close();
      // Node counts a connection that a browser or a balancer opened ahead of a request as in use.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/**
 * Discards the rest of a body after its answer: the next request comes after it. Node does so only where no
 * part was read, and a reader that stops also stops the connection.
 */
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
