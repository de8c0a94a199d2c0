import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ProxyConfiguration } from '../config/proxy.ts';
import { PROXY_REFUSED, type Transport } from '../service/transport.ts';
import { Exchange } from './exchange.ts';

export interface NodeTransportOptions {
  /** PEM file of a CA to trust besides the system's. */
  caFile?: string | undefined;
  /** The proxy to open tunnels through. @default none, whatever the environment names */
  proxy?: ProxyConfiguration | undefined;
  /** Connections per origin. @default 64 */
  connections?: number;
  /** Milliseconds to connect: below a call's deadline, so "not sent" is known as such. @default 3000 */
  connectTimeoutMs?: number;
}

export interface NodeTransport {
  transport: Transport;
  /** Ends the connections once what is under way is done. */
  close: () => Promise<void>;
}

/**
 * A transport over undici's pools: several times the throughput of `fetch`, and errors that tell
 * whether a request was sent.
 */
export function createNodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { caFile, connections = 64, connectTimeoutMs = 3_000, proxy } = options;
  const connect = {
    timeout: connectTimeoutMs,
    // Said aloud: else NODE_TLS_REJECT_UNAUTHORIZED, set for something else, would give the key away.
    rejectUnauthorized: true,
    // Made once: reading some hundred and fifty certificates takes longer than a handshake.
    secureContext: createSecureContext({
      ...(caFile === undefined ? {} : { ca: [...rootCertificates, readFileSync(caFile, 'utf8')] }),
    }),
  };
  const agent = createAgent({ connections, pipelining: 1, connect }, proxy);
  // Most calls are for the same address as the one before.
  let last = { url: '', origin: '', path: '' };
  return {
    transport(url, request) {
      if (url !== last.url) {
        const { origin, pathname, search } = new URL(url);
        last = { url, origin, path: pathname + search };
      }
      const { origin, path } = last;
      const exchange = new Exchange(request.signal);
      // Undici follows no redirect unless an interceptor is added: `redirect` needs no translation.
      agent.dispatch(
        {
          origin,
          path,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        },
        exchange,
      );
      return proxy === undefined ? exchange.answer : exchange.answer.catch(throwTunnelError);
    },
    close: () => agent.close(),
  };
}

/**
 * Undici has one code for a proxy that opens no tunnel and for a request that was aborted under way: of the
 * first it is certain that nothing was sent.
 */
function throwTunnelError(error: unknown): never {
  if (error instanceof Error && error.message.startsWith('Proxy response (')) {
    throw Object.assign(new Error('The proxy opened no tunnel.', { cause: error }), {
      code: PROXY_REFUSED,
    });
  }
  throw error;
}

/**
 * Creates the pools. TLS goes through a proxy end to end: it sees the host, and neither key nor order, and
 * the certificate of the service is checked as without one. The certificate of a proxy on https is checked
 * by the same rules.
 */
function createAgent(
  options: Omit<Agent.Options, 'connect'> & { connect: buildConnector.BuildOptions },
  proxy: ProxyConfiguration | undefined,
): Dispatcher & { close: () => Promise<void> } {
  if (proxy === undefined) return new Agent(options);
  const url = proxy.url.reveal();
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: url,
    httpsProxy: url,
    noProxy: proxy.noProxy,
    requestTls: options.connect,
    proxyTls: options.connect,
  });
}
