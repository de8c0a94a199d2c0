// express with http-proxy-middleware, over keep-alive connections.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { ready, setting } from './contestant.ts';

const app = express();
app.use(
  '/checkout/prime',
  createProxyMiddleware({
    target: `${setting('BENCH_UPSTREAM_URL')}/v1/checkout/prime`,
    ignorePath: true,
    agent: new Agent({
      keepAlive: true,
      maxSockets: Number(setting('BENCH_CONNECTIONS')),
      ca: readFileSync(setting('BENCH_CA_FILE')),
    }),
    headers: { authorization: `Bearer ${setting('BENCH_PRIVATE_KEY')}` },
  }),
);
app.listen(Number(setting('BENCH_PORT')), '127.0.0.1', ready);
