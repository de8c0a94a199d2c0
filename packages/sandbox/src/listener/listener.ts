import { getRequestListener } from '@hono/node-server';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerIdentity } from '../certificates/authority.ts';
import { SandboxError } from '../problem.ts';

/** A server that listens. */
export interface Listener {
  port: number;
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
}

/** @throws {SandboxError} when the port is taken or may not be opened */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { app, identity } = options;
  const handler = getRequestListener((request, bindings) => app.fetch(request, bindings as never));
  const listener: RequestListener = (incoming, outgoing) => void handler(incoming, outgoing);
  const server: Server = identity
    ? createHttpsServer(
        { key: identity.privateKey, cert: identity.certificate, minVersion: 'TLSv1.2' },
        listener,
      )
    : createHttpServer(listener);
  server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
    options.onTlsError?.(error.code ?? 'unknown'),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function explain(error: NodeJS.ErrnoException, { name, option, host, port }: ListenOptions): Error {
  if (error.code === 'EADDRINUSE') {
    return new SandboxError(
      `Port ${port} for the ${name} is taken: stop what uses it, or choose another with ${option}.`,
    );
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') {
    return new SandboxError(
      `The ${name} cannot listen on ${host} port ${port} (${error.code}): choose another with --host or ${option}.`,
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
