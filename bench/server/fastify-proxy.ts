// @fastify/http-proxy, set up as in its README.
import { readFileSync } from 'node:fs';
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { ready, setting } from './contestant.ts';

const authorization = `Bearer ${setting('BENCH_PRIVATE_KEY')}`;
const app = fastify();
await app.register(proxy, {
  upstream: setting('BENCH_UPSTREAM_URL'),
  prefix: '/checkout/prime',
  rewritePrefix: '/v1/checkout/prime',
  undici: {
    connections: Number(setting('BENCH_CONNECTIONS')),
    connect: { ca: readFileSync(setting('BENCH_CA_FILE')) },
  },
  replyOptions: {
    rewriteRequestHeaders: (_request: unknown, headers: IncomingHttpHeaders) => ({
      ...headers,
      authorization,
    }),
  },
});
await app.listen({ port: Number(setting('BENCH_PORT')), host: '127.0.0.1' });
ready();
