import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Agent, get } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Problem } from '@financing-checkout/contract/storefront';
import { order, TICKET_SECRET } from '../companion.fixture.ts';
import { countExposed } from '../secrecy.fixture.ts';
import { signOrderTicket } from '@financing-checkout/ticket';
import { bareEnvironment, prime, run, runHere, serve } from './command.fixture.ts';

test('exits with 1 on an unknown command and prints a hint', async () => {
  const { code, text } = await runHere(['sevre']);
  expect(code).toBe(1);
  expect(text).toContain('unknown command');
  expect(text).toContain('Run "financing-companion --help" for help.');
});

test('refers to the help of the command whose option was misspelled', async () => {
  for (const [words, command] of [
    [['webhooks', 'lst'], 'webhooks'],
    [['charges', 'refund', 'charge-1', '--kye', 'k'], 'charges refund'],
  ] as const) {
    const { text } = await runHere([...words]);
    expect(text).toContain(`Run "financing-companion ${command} --help" for help.`);
  }
});

test('exits with 0 when the reader closes the pipe', async () => {
  const { child, exit, output } = run(['--help']);
  child.stdout?.destroy();
  expect(await exit).toBe(0);
  expect(output.text).toBe('');
});

test('exits with 1 without a stack when the result cannot be written', () => {
  const unwritable = openSync('/dev/null', 'r');
  onTestFinished(() => closeSync(unwritable));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), '--help'],
    { env: bareEnvironment(), stdio: ['ignore', unwritable, 'pipe'], encoding: 'utf8' },
  );
  expect(stderr).toMatch(/^The result could not be written: .*\n$/);
  expect(status).toBe(1);
});

test('keeps its exit code when stderr cannot be written', () => {
  const unwritable = openSync('/dev/null', 'r');
  onTestFinished(() => closeSync(unwritable));
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), 'serve'], {
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', unwritable],
  });
  expect(status).toBe(78);
});

test('exits with 78 on an invalid configuration and names every variable without its value', async () => {
  const { code, text } = await runHere(['serve'], {
    FINANCING_BASE_URL: 'http://plain.example',
    FINANCING_PRIVATE_API_KEY: 'too-short',
  });
  expect(code).toBe(78);
  expect(text).toContain('FINANCING_BASE_URL must be an https address');
  expect(text).toContain('FINANCING_ENVIRONMENT is required');
  expect(text).not.toMatch(/plain\.example|too-short/);
});

test('logs at each start that the back office uses plain HTTP on a network', async () => {
  const { startHere } = await serve((_, response) => response.end());
  const { log } = await startHere({
    COMPANION_BACK_OFFICE_TOKENS: 'shop read token-of-the-shop-0123456789',
    COMPANION_BACK_OFFICE_INSECURE: 'true',
  });
  const line = log.find((line) => line.includes('back-office-insecure')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ security: true, reason: 'plain-http' });
  expect(log.join('')).not.toContain('token-of-the-shop');
});

test.each([
  ['production', 1],
  ['sandbox', 0],
] as const)(
  'logs at each start a script without integrity in %s: %i line',
  async (environment, count) => {
    const { startHere } = await serve((_, response) => response.end());
    const { log } = await startHere({
      FINANCING_ENVIRONMENT: environment,
      FINANCING_SDK_URL: 'https://cdn.example/sdk.js',
    });
    const lines = log.filter((one) => one.includes('sdk-integrity-missing'));
    expect(lines).toHaveLength(count);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ security: true, reason: 'script-unpinned' });
    }
  },
);

test('logs once that the clock of the service differs, and how to mend it', async () => {
  const date = new Date(Date.now() - 600_000).toUTCString();
  const { startHere } = await serve((_, response) => response.writeHead(400, { date }).end('{}'));
  const { log, storefront } = await startHere();
  for (const key of ['key-1', 'key-2']) await prime(storefront, key);
  const lines = log.filter((line) => line.includes('clock-skew'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    address: expect.stringContaining('localhost') as string,
    detail: expect.stringMatching(/behind this machine's: synchronize both \(NTP\)$/) as string,
  });
});

test('uses the back-office tokens of a changed file without a restart', async () => {
  const { keyFile, startHere } = await serve((_, response) => response.end());
  const file = join(dirname(keyFile), 'tokens');
  const [first, second] = ['first-token-0123456789', 'second-token-0123456789'];
  writeFileSync(file, `ledger read ${first}\n`);
  const { backOffice, log } = await startHere({ COMPANION_BACK_OFFICE_TOKENS_FILE: file });
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${backOffice}/ledger`, { headers })).status;
  };
  expect([await status(first), await status(second)]).toEqual([200, 401]);
  writeFileSync(file, `ledger read ${first}\nledger`);
  await expect.poll(() => log.join('')).toContain('back-office-tokens-refused');
  expect([await status(first), await status(second)]).toEqual([200, 401]);
  writeFileSync(file, `ledger read ${second}\n`);
  await expect.poll(() => log.join('')).toContain('back-office-tokens-replaced');
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  expect(log.join('')).not.toMatch(/(?:first|second)-token/);
});

test('uses the secrets of changed files without a restart, beside those that they replace', async () => {
  const { keyFile, startHere } = await serve((_, response) => response.writeHead(400).end('{}'));
  const fileWith = (name: string, text: string) => {
    const file = join(dirname(keyFile), name);
    writeFileSync(file, `${text}\n`);
    return file;
  };
  const tickets = ['first', 'second'].map((name) => `${name}-ticket-secret-`.padEnd(40, '0'));
  const agreed = ['first-agreed-0123456789', 'second-agreed-0123456789'];
  const [first = '', second = ''] = tickets;
  const { log, storefront } = await startHere({
    ORDER_TICKET_SECRET: '',
    ORDER_TICKET_SECRET_FILE: fileWith('ticket', first),
    NOTIFICATION_AUTHORIZATION_FILE: fileWith('authorization', agreed[0] ?? ''),
  });
  const isTicketValid = async (secret: string) => {
    const ticket = await signOrderTicket(order, { secret, environment: 'sandbox' });
    const { code } = (await (await prime(storefront, randomUUID(), ticket)).json()) as Problem;
    return code !== 'order-ticket-invalid';
  };
  const notified = async (authorization: string) => {
    const url = `${storefront}/notifications`;
    return (await fetch(url, { method: 'POST', headers: { authorization }, body: '{}' })).status;
  };
  const accepted = async () => [
    ...(await Promise.all(tickets.map(isTicketValid))),
    ...(await Promise.all(agreed.map(notified))),
  ];
  expect(await accepted()).toEqual([true, false, 202, 401]);

  const logged = (event: string) =>
    log
      .map((line) => JSON.parse(line) as { event: string; detail?: string })
      .filter((line) => line.event === event)
      .map(({ detail }) => detail);
  fileWith('ticket', 'half-a-secret');
  await expect
    .poll(() => logged('secret-refused'))
    .toEqual(['ORDER_TICKET_SECRET must have 32 bytes or more']);
  expect(await accepted()).toEqual([true, false, 202, 401]);
  fileWith('ticket', second);
  fileWith('authorization', agreed[1] ?? '');
  await expect
    .poll(() => logged('secret-replaced').sort())
    .toEqual(['NOTIFICATION_AUTHORIZATION', 'ORDER_TICKET_SECRET']);
  expect(await accepted()).toEqual([true, true, 202, 202]);
  expect(log.join('')).not.toMatch(/(?:first|second)-(?:ticket|agreed)/);
});

test('exits with 69 when its address is in use', async () => {
  const { variables } = await serve((_, response) => response.end());
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { exit, output } = run(['serve'], { ...variables, COMPANION_PORT: String(port) });
  expect(await exit).toBe(69);
  expect(output.text).toContain('EADDRINUSE');
  expect(output.text).toContain('set another one');
});

test('answers requests in flight on SIGTERM, closes idle connections and exits with 0', async () => {
  let held: ServerResponse | undefined;
  const { start } = await serve((_, response) => {
    held = response;
  });
  const companion = await start();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const [idle] = (await once(get(`${companion.backOffice}/livez`, { agent }), 'response')) as [
    IncomingMessage,
  ];
  const idleEnded = once(idle.socket, 'close');
  idle.resume();
  const pending = prime(companion.storefront, 'key-1');
  await expect.poll(() => held !== undefined).toBe(true);

  companion.child.kill('SIGTERM');
  await expect.poll(() => companion.output.text).toContain('stopping');
  await expect(fetch(`${companion.backOffice}/livez`)).rejects.toThrow();
  // The idle connection closes while the other request is still in flight.
  await idleEnded;
  held?.writeHead(201).end('{"id":"session"}');
  const answer = await pending;
  expect(answer.status).toBe(201);
  expect(answer.headers.get('connection')).toBe('close');
  expect(await companion.exit).toBe(0);
  expect(countExposed([companion.output.text])).toBe(0);
});

test('exits with 0 on SIGTERM during startup', async () => {
  const { variables } = await serve((_, response) => response.end());
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connection = once(silent, 'connection') as Promise<[Socket]>;
  const { port } = silent.address() as AddressInfo;
  const store = `postgres://nobody@127.0.0.1:${port}/none`;
  const { child, exit, output } = run(['serve'], { ...variables, COMPANION_STORE: store });
  const [socket] = await connection;
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
    silent.close();
  });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(output.text).toContain('"event":"stopping"');
});

test('keeps a key in flight after SIGKILL and a restart, and does not send it again', async () => {
  let received = 0;
  const { start, startHere, upstream } = await serve(() => {
    received++;
  });
  const ticket = await signOrderTicket(order, { secret: TICKET_SECRET, environment: 'sandbox' });
  const first = await start();
  const lost = prime(first.storefront, 'key-1', ticket);
  lost.catch(() => undefined);
  await expect.poll(() => received).toBe(1);
  first.child.kill('SIGKILL');
  await expect(lost).rejects.toThrow();
  const second = await startHere();
  const again = await prime(second.storefront, 'key-1', ticket);
  expect(again.status).toBe(409);
  expect(upstream.requests()).toBe(1);
});

test('both listeners wait 30 seconds for a request to arrive', async () => {
  const timeouts = new Map<string | undefined, number>();
  const note = (message: unknown) => {
    const { request, server } = message as { request: IncomingMessage; server: Server };
    timeouts.set(request.url, server.requestTimeout);
  };
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  const { startHere } = await serve((_, response) => response.end());
  const { storefront, backOffice } = await startHere();
  await fetch(`${storefront}/of-a-page`);
  await fetch(`${backOffice}/of-finance`);
  expect([timeouts.get('/of-a-page'), timeouts.get('/of-finance')]).toEqual([30_000, 30_000]);
});
