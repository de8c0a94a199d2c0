// Stands in for the service: answers each operation that a page can cause over HTTPS, after BENCH_ANSWER_MS.
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { ready, setting } from '../server/contestant.ts';

const authorization = `Bearer ${setting('BENCH_PRIVATE_KEY')}`;
const answerMs = Number(setting('BENCH_ANSWER_MS'));
let sessions = 0;
/** Calls by operation. */
const calls = new Map<string, number>();

interface Answer {
  status: number;
  body: unknown;
}

const session = (): Answer => ({
  status: 200,
  body: {
    id: `session-${++sessions}`,
    applicationId: `application-${sessions}`,
    expirationDate: new Date(Date.now() + 3_600_000).toISOString(),
  },
});
const unknown: Answer = { status: 404, body: { requestId: 'unknown' } };

/** The operations, with an application that a shopper has begun and not finished. */
const operations: [name: string, method: string, path: RegExp, answer: () => Answer][] = [
  ['prime', 'POST', /^\/v1\/checkout\/prime$/, session],
  ['apply', 'POST', /^\/v3\/session$/, session],
  [
    'status',
    'GET',
    /^\/v2\/checkout\/applications\/[^/]+\/status$/,
    () => ({
      status: 200,
      body: { flowType: 'Checkout', applicationStatus: 'New', sessionStatus: 'CREATED' },
    }),
  ],
  [
    'token',
    'GET',
    /^\/v2\/checkout\/applications\/[^/]+\/token$/,
    () => ({ status: 200, body: { sessionToken: `session-${++sessions}` } }),
  ],
  [
    'link',
    'POST',
    /^\/v2\/omni-link\/consumer\/checkout$/,
    () => ({
      status: 200,
      body: { linkId: `link-${++sessions}`, url: `https://link.example/${sessions}` },
    }),
  ],
  [
    'link-status',
    'GET',
    /^\/v2\/omni-link\/consumer\/[^/]+$/,
    () => ({ status: 200, body: { linkStatus: 'New', applications: [] } }),
  ],
  // A token that a page made up.
  ['charge', 'POST', /^\/v2\/post-sale\/charges$/, () => ({ ...unknown, status: 422 })],
  ['look-up', 'GET', /^\/v2\/post-sale\//, () => unknown],
];

createServer(
  {
    key: readFileSync(setting('BENCH_UPSTREAM_KEY_FILE')),
    cert: readFileSync(setting('BENCH_CA_FILE')),
    keepAlive: true,
  },
  (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path === '/calls') {
      return void response.end(JSON.stringify(Object.fromEntries(calls)));
    }
    const found = operations.find(
      ([, method, pattern]) => method === request.method && pattern.test(path),
    );
    const name =
      request.headers.authorization === authorization
        ? (found?.[0] ?? `${request.method} ${path}`)
        : 'unauthorized';
    calls.set(name, (calls.get(name) ?? 0) + 1);
    request.resume();
    request.once('end', () => {
      setTimeout(() => {
        const { status, body } = found?.[3]() ?? unknown;
        const text = JSON.stringify(body);
        response
          .writeHead(status, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          })
          .end(text);
      }, answerMs);
    });
  },
).listen(Number(setting('BENCH_UPSTREAM_PORT')), '127.0.0.1', ready);
