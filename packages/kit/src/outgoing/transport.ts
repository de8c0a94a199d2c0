import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { ProxyConfiguration } from '../env/proxy.ts';
import { PROXY_REFUSED } from '../outbox/failure-code.ts';
import type { Transport } from '../outbox/transport.ts';

export interface NodeTransportOptions {
  /** PEM file of a CA to trust in addition to Node's own. */
  caFile?: string | undefined;
  /** The proxy for https addresses. @default none; HTTPS_PROXY and similar variables are ignored */
  proxy?: ProxyConfiguration | undefined;
  /** Connections per origin. @default 64 */
  connections?: number;
  /**
   * Connect timeout in milliseconds: shorter than a call's deadline, so that "not sent" is certain.
   * @default 3000
   */
  connectTimeoutMs?: number;
}

export type SendRequest = (
  url: string | URL,
  options: Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & {
    method?: Dispatcher.HttpMethod;
  },
) => Promise<Dispatcher.ResponseData>;

export interface NodeTransport {
  transport: Transport;
  /** Sends a request as undici does, for a reader that needs its body as a stream. */
  request: SendRequest;
  /** Closes the connections, once, when the requests in progress have ended. */
  close: () => Promise<void>;
}

/**
 * Creates a transport on undici's connection pools: several times the throughput of `fetch`, and
 * errors that reveal whether a request was sent.
 */
export function createNodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { caFile, connections = 64, connectTimeoutMs = 3_000, proxy } = options;
  const connect = {
    timeout: connectTimeoutMs,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED, set for another purpose, would expose the
    // key.
    rejectUnauthorized: true,
    // Created once: reading about 150 certificates takes longer than a handshake.
    secureContext: createSecureContext({
      ...(caFile === undefined ? {} : { ca: [...rootCertificates, readFileSync(caFile, 'utf8')] }),
    }),
  };
  const agent = createAgent({ connections, pipelining: 1, connect }, proxy);
  const send: SendRequest = (url, options) => {
    const sent = request(url, { ...options, dispatcher: agent });
    return proxy === undefined ? sent : sent.catch(throwTunnelError);
  };
  let closing: Promise<void> | undefined;
  return {
    request: send,
    async transport(url, { method, headers, body = null, signal }) {
      // Undici does not follow redirects unless an interceptor is added, so `redirect` can be
      // ignored.
      const answer = await send(url, { method, headers, body, signal });
      return {
        status: answer.statusCode,
        headers: {
          get(name) {
            const value = answer.headers[name.toLowerCase()];
            return (Array.isArray(value) ? value.join(', ') : value) ?? null;
          },
        },
        body: answer.body,
      };
    },
    close: () => (closing ??= agent.close()),
  };
}

/**
 * Undici uses the same code for a proxy that refuses a tunnel and for a request that was aborted in
 * progress. Only in the first case is it certain that nothing was sent.
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
 * Creates the connection pools. TLS is end to end through a proxy: the proxy sees the host, but
 * neither a key nor a token nor an order, and the server's certificate is verified as it is without
 * a proxy. The certificate of an https proxy is verified by the same rules. A plain http address,
 * which only the merchant's own network may have, is reached directly.
 */
function createAgent(
  options: Omit<Agent.Options, 'connect'> & { connect: buildConnector.BuildOptions },
  proxy: ProxyConfiguration | undefined,
): Dispatcher & { close: () => Promise<void> } {
  if (proxy === undefined) return new Agent(options);
  const url = proxy.url.reveal();
  return new EnvHttpProxyAgent({
    ...options,
    // Undefined would make undici read the variable HTTP_PROXY.
    httpProxy: '',
    httpsProxy: url,
    noProxy: proxy.noProxy,
    requestTls: options.connect,
    proxyTls: options.connect,
  });
}

/**
 * Returns whether requests to an address go through the proxy: applies the same NO_PROXY rules as the
 * connection pools. Sends nothing.
 */
export async function usesProxy(
  { noProxy, url }: ProxyConfiguration,
  address: string,
): Promise<boolean> {
  let isProxied = false;
  const refusing = (willProxy: boolean): buildConnector.connector => {
    return (_, callback) => {
      isProxied = willProxy;
      callback(new Error('Nothing is sent.'), null);
    };
  };
  const agent = new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: url.reveal(),
    noProxy,
    connect: refusing(false),
    clientFactory: () => new Agent({ connect: refusing(true) }),
  });
  await request(address, { dispatcher: agent }).catch(() => undefined);
  await agent.destroy();
  return isProxied;
}
