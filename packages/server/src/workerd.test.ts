import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { patienceMs } from '../../../vitest.shared.ts';
import { z } from 'zod';
import {
  keyOf,
  order,
  ORIGIN,
  PRIVATE_KEY,
  PUBLIC_KEY,
  TICKET_SECRET,
} from './companion.fixture.ts';
import { charged, primed } from './scripted-service.fixture.ts';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { countExposed } from './secrecy.fixture.ts';
import { createKyselyStore } from './store/kysely-store.ts';
import { signOrderTicket } from '@financing-checkout/ticket';

// The storefront API on workerd, the runtime of Cloudflare Workers, without its Node
// compatibility: the code under test uses only Web standards.

const folder = mkdtempSync(join(tmpdir(), 'workerd-'));
const store = createKyselyStore({ dialect: sqliteDialect(':memory:') });
const cleanups: (() => void)[] = [];
const upstream: { calls: { path: string; authorization: string | undefined; body: string }[] } = {
  calls: [],
};
let address = '';
let output = '';

async function httpServer(
  answer: (
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ) => Promise<void> | void,
): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => void answer(request, body, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const callSchema = z.object({ method: z.string(), parameters: z.array(z.unknown()) });

/** Calls a method of the real store for the worker. */
async function answerStore(_: IncomingMessage, body: string, response: ServerResponse) {
  const { method, parameters } = callSchema.parse(JSON.parse(body));
  const run: unknown = Reflect.get(store, method);
  if (typeof run !== 'function') throw new TypeError(`The store has no ${method}.`);
  const result: unknown = await Reflect.apply(run, store, parameters);
  response.end(JSON.stringify({ result }));
}

function answerService(request: IncomingMessage, body: string, response: ServerResponse): void {
  const path = request.url ?? '';
  upstream.calls.push({ path, authorization: request.headers.authorization, body });
  if (body.includes('order-redirected')) {
    response.writeHead(307, { location: 'https://elsewhere.example/caught' }).end();
    return;
  }
  const { status, body: answer } = path.startsWith('/v1/checkout/prime')
    ? { ...primed, body: { ...primed.body, expirationDate: new Date(Date.now() + 3_600_000) } }
    : charged;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Builds the worker as one module. A Node import anywhere in it fails the build. */
async function bundle(): Promise<string> {
  const outfile = join(folder, 'worker.js');
  await build({
    entryPoints: [join(import.meta.dirname, 'worker.fixture.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    logLevel: 'silent',
  });
  return outfile;
}

const quoted = (text: string) => JSON.stringify(text);

function configuration(ports: { listen: number; store: number; service: number }): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "service",
      bindings = [
        (name = "PRIVATE_KEY", text = ${quoted(PRIVATE_KEY)}),
        (name = "PUBLIC_KEY", text = ${quoted(PUBLIC_KEY)}),
        (name = "TICKET_SECRET", text = ${quoted(TICKET_SECRET)}),
        (name = "STORE", service = "store"),
      ],
    )),
    (name = "store", external = (address = "127.0.0.1:${ports.store}", http = ())),
    (name = "service", external = (address = "127.0.0.1:${ports.service}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${ports.listen}", http = (), service = "main")],
);
`;
}

beforeAll(async () => {
  await store.migrate();
  await bundle();
  const ports = {
    listen: await httpServer(() => undefined),
    store: await httpServer(answerStore),
    service: await httpServer(answerService),
  };
  // The first server only served to reserve a free port.
  cleanups.shift()?.();
  writeFileSync(join(folder, 'config.capnp'), configuration(ports));
  // The package's main export is the path of the binary.
  const { default: program } = createRequire(import.meta.url)('workerd') as { default: string };
  const child: ChildProcess = spawn(program, ['serve', join(folder, 'config.capnp')]);
  cleanups.push(() => void child.kill('SIGKILL'));
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  address = `http://127.0.0.1:${ports.listen}`;
  await vi.waitFor(
    async () => {
      const { status } = await fetch(address).catch(() => ({ status: 0 }));
      if (status !== 401) throw new Error(`workerd does not answer. ${output}`);
    },
    { timeout: patienceMs },
  );
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) cleanup();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function ask(path: string, body?: unknown, more: Record<string, string> = {}) {
  const response = await fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${PUBLIC_KEY}`,
      'financing-checkout-version': '1',
      'content-type': 'application/json',
      origin: ORIGIN,
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(countExposed([text, JSON.stringify([...response.headers])])).toBe(0);
  const answer = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  return { status: response.status, headers: response.headers, body: answer };
}

async function prime(key: string, merchantOrderId: string) {
  const ticket = await signOrderTicket(
    { ...order, merchantOrderId },
    { secret: TICKET_SECRET, environment: 'sandbox' },
  );
  return ask(
    '/checkout/prime',
    { order: ticket, environment: 'sandbox' },
    { 'idempotency-key': keyOf(key) },
  );
}

test('completes a purchase from prime to charge', async () => {
  const before = upstream.calls.length;
  const { status, body } = await prime('key-1', 'order-1001');
  expect([status, body.status]).toEqual([201, 'open']);
  expect(body.presentation).toMatchObject({
    hosted: { url: 'https://hosted.example/c?s=session-token-1' },
  });
  const id = String(body.id);
  const path = `/checkout/${id}`;
  const secret = { 'financing-checkout-secret': keyOf('key-1') };
  expect((await ask(path)).status).toBe(404);
  expect((await ask(path, undefined, secret)).body.status).toBe('open');

  const confirmation = { confirmationToken: 'token-1' };
  const confirmed = await ask(`${path}/confirmation`, confirmation, secret);
  expect([confirmed.status, confirmed.body.status]).toEqual([200, 'approved']);
  const calls = upstream.calls.slice(before);
  expect(calls.map(({ path }) => path.split('?')[0])).toEqual([
    '/v1/checkout/prime',
    '/v2/post-sale/charges',
  ]);
  expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(
    new Set([`Bearer ${PRIVATE_KEY}`]),
  );
  expect(await store.findCheckout(id)).toMatchObject({ status: 'approved', chargeId: 'charge-1' });
});

test('primes once for a repeated key', async () => {
  const ticket = await signOrderTicket(
    { ...order, merchantOrderId: 'order-2' },
    { secret: TICKET_SECRET, environment: 'sandbox' },
  );
  const before = upstream.calls.length;
  const body = { order: ticket, environment: 'sandbox' };
  const first = await ask('/checkout/prime', body, { 'idempotency-key': keyOf('key-2') });
  const second = await ask('/checkout/prime', body, { 'idempotency-key': keyOf('key-2') });
  expect([first.status, second.body.id]).toEqual([201, first.body.id]);
  expect(upstream.calls).toHaveLength(before + 1);
});

test('follows no redirect; this test sees every outgoing request of the worker', async () => {
  const before = upstream.calls.length;
  const { status, body } = await prime('key-redirected', 'order-redirected');
  expect([status, body.code]).toEqual([502, 'service-answer-invalid']);
  expect(upstream.calls.slice(before).map(({ path }) => path)).toEqual(['/v1/checkout/prime']);
});

test.each([
  ['another origin', 403, { origin: 'https://evil.example' }, {}],
  ['no public key', 401, { authorization: '' }, {}],
  ['the private key', 400, {}, { note: btoa(`x${PRIVATE_KEY}`) }],
  ['no API version', 400, { 'financing-checkout-version': '' }, {}],
  ['a body of another type', 415, { 'content-type': 'text/plain' }, {}],
] as const)('refuses %s with %i', async (_, status, headers, body) => {
  const more = { 'idempotency-key': keyOf('key-3'), ...headers };
  expect((await ask('/checkout/prime', body, more)).status).toBe(status);
});

test('refuses a body that is too large with 413', async () => {
  const more = { 'idempotency-key': keyOf('key-3') };
  const { status } = await ask('/checkout/none/cancellation', { note: 'x'.repeat(70_000) }, more);
  expect(status).toBe(413);
});

test('control: building a worker that imports Node fails', async () => {
  const file = join(folder, 'node.js');
  writeFileSync(file, "import { readFileSync } from 'node:fs'; export default readFileSync;");
  const built = build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'neutral',
    logLevel: 'silent',
  });
  await expect(built).rejects.toThrow(/node:fs/);
});
