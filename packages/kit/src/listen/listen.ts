import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

export interface OpenListener {
  /** Base URL of the listener. */
  url: string;
  /**
   * Drains the listener: it accepts no new connections, closes each connection after its response,
   * and closes idle connections a moment later. After `graceMs` milliseconds it destroys the rest.
   */
  drain(graceMs: number): Promise<void>;
}

/** Connection limits; times are in milliseconds. */
export interface ListenOptions {
  /** Timeout for the request headers; Node's default is one minute. */
  headersMs: number;
  /** Timeout for the whole request, including its body; Node's default is five minutes. */
  requestMs: number;
  /**
   * Idle timeout between two requests: above that of common load balancers (60 s), so that the
   * balancer closes first and never sends a request on a connection that is being closed.
   */
  keepAliveMs: number;
  /** How often Node checks the first two timeouts; its default of 30 s would triple them. */
  checkMs: number;
  /**
   * Maximum number of connections: more than a replica needs, and below its file descriptor limit.
   */
  maxConnections: number;
  /** A path with a longer request timeout. */
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
 * Milliseconds for which an idle connection stays usable during the drain: a client that sends
 * while the connection is being closed gets no response and cannot know whether a POST was
 * received. Responses within this time announce that the connection closes.
 */
const LINGER_MS = 200;
/** Maximum number of bytes of a refused body to discard before the connection is destroyed. */
const MAX_DISCARDED = 16_777_216;
/**
 * Maximum time to discard a body in milliseconds, so that a slow sender cannot hold a connection.
 */
const DISCARD_MS = 10_000;

/**
 * The host of a request without a Host header: HTTP/1.0 does not require one (RFC 1945 5.2), and
 * load balancers use HTTP/1.0 for health checks. The name is reserved and never resolves (RFC 6761
 * 6.4), so it cannot be mistaken for this machine.
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
    // The adapter waits half a second for the rest of a body and then closes a connection that the
    // response header allowed the client to keep, possibly during its next request. See
    // `discardRest`.
    autoCleanupIncoming: false,
    hostname: NO_HOST,
    serverOptions: {
      headersTimeout: headersMs,
      // Node has one request timeout for all paths.
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
    // Node's parser waits for the protocol that a request wants to upgrade to (Java's client
    // requests h2c), even if the server does not upgrade: bytes that it reads together with the end
    // of the request are lost, so the next request on this connection might never be answered. The
    // response must tell the client that the connection closes.
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
  // Without a listener, Node itself sends the same response, without the preparation above.
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
      // Calls net.Server's method, because http.Server's closes idle connections immediately.
      NetServer.prototype.close.call(server);
      const lingered = new Promise((resolve) => {
        setTimeout(resolve, Math.min(LINGER_MS, graceMs)).unref();
      });
      await Promise.race([closed, lingered]);
      // For connections whose response headers were sent before the drain began.
      server.keepAliveTimeout = 1;
      server.close();
      // Node considers a connection active if a browser or a load balancer has opened it without
      // sending a request.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/**
 * Discards the rest of a body after the response, because the next request follows it. Node does so
 * only if no part of the body was read, and a reader that stops would stall the connection.
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
