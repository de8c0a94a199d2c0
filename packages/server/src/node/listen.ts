import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Listener } from '../config/config.ts';

export interface OpenListener {
  /** Address to reach it under. */
  url: string;
  /**
   * Ends it without cutting off a request: no new connections, idle ones closed at once, those in
   * use once they are answered. After `graceMs` milliseconds what is left is cut off.
   */
  drain(graceMs: number): Promise<void>;
}

/** Slow clients hold a connection this long, in milliseconds, and not the defaults' five minutes. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Above the idle timeout of common load balancers (60 s): the balancer, not we, closes first. */
const KEEP_ALIVE_MS = 65_000;

/** @throws the listen error (EADDRINUSE, EACCES, …) */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  { host, port }: Listener,
): Promise<OpenListener> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16_384,
    },
  }) as Server;
  let draining = false;
  // A keep-alive client must hear that its connection ends with this answer.
  const underWay = new Set<ServerResponse>();
  server.prependListener('request', (_, response) => {
    if (draining) response.setHeader('connection', 'close');
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
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
      // For the answers whose head is sent already.
      server.keepAliveTimeout = 1;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
