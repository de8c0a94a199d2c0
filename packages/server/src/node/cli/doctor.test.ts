import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { webhookSchema } from '@financing-checkout/contract/back-office';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { PRIVATE_KEY, PUBLIC_KEY, WEBHOOK_SECRET } from '../../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { createDatabase } from '../../postgres.fixture.ts';
import { countExposed } from '../../secrecy.fixture.ts';
import { runHere, serve } from '../command.fixture.ts';
import { checkStore } from '../doctor/files.ts';
import { createStore } from '../store.ts';

const reportSchema = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.object({
      subject: z.string(),
      status: z.enum(['ok', 'warning', 'failed']),
      message: z.string(),
      advice: z.string().optional(),
    }),
  ),
});

/** Starts a service that accepts some keys and records its requests. */
async function setUp(taken: string[], head: Record<string, string> = {}) {
  const asked: string[] = [];
  const installation = await serve((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const status = taken.includes(`${request.url?.startsWith('/uat/') ? 'uat:' : ''}${key}`)
      ? 200
      : 401;
    response.writeHead(status, head).end('{"records":[]}');
  });
  chmodSync(installation.keyFile, 0o600);
  const reported = (code: unknown, text: string) => {
    expect(countExposed([text])).toBe(0);
    const report = reportSchema.parse(JSON.parse(text));
    const of = (subject: string) =>
      report.findings.filter((finding) => finding.subject === subject);
    return { code, report, of };
  };
  const words = ['doctor', '--json'];
  const examine = async (more: Record<string, string> = {}) => {
    const { code, text } = await runHere(words, { ...installation.variables, ...more });
    return reported(code, text);
  };
  return { ...installation, asked, examine };
}

/** Creates a folder that every user of the machine can search; the temporary folder of a user may be private. */
function openFolder(): string {
  const folder = mkdtempSync('/tmp/doctor-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  return folder;
}

test('exits with 0 when everything is fine, and sends only small reads to the service', async () => {
  const { examine, asked } = await setUp([PRIVATE_KEY]);
  const { code, report, of } = await examine();
  expect([code, report.ok]).toEqual([0, true]);
  expect(of('keys').map(({ message }) => message)).toEqual([
    'FINANCING_PRIVATE_API_KEY is a private key of "sandbox"',
    'FINANCING_PUBLIC_API_KEY is not a private key',
  ]);
  expect(of('clock')[0]?.status).toBe('ok');
  expect(of('store')[0]?.message).toContain('is created at the first start');
  // The test certificate is valid for an hour.
  expect(of('service')[0]).toMatchObject({ status: 'warning' });
  expect(of('service')[0]?.message).toMatch(/^TLSv1\.3, .*expires in 0 days \(localhost\)$/);
  expect(asked).toHaveLength(2);
  for (const line of asked) {
    expect(line).toMatch(/^GET \/v2\/post-sale\/fundings\/report\?.*limit=1/);
  }
});

describe('key checks', () => {
  test('recognize swapped keys', async () => {
    const { examine } = await setUp([PUBLIC_KEY]);
    const { code, of } = await examine();
    expect(code).toBe(1);
    expect(of('keys')[0]?.advice).toContain('are swapped');
    expect(of('keys')[1]).toMatchObject({ status: 'failed' });
    expect(of('keys')[1]?.message).toContain('every page has it');
  });

  test('recognize a key of another configured environment', async () => {
    const { examine, variables } = await setUp([`uat:${PRIVATE_KEY}`]);
    const base = variables.FINANCING_BASE_URL;
    const { of } = await examine({
      FINANCING_KNOWN_BASE_URLS: `uat=${base}/uat,sandbox=${base}`,
    });
    expect(of('keys')[0]?.message).toContain('it is a private key of "uat"');
  });

  test('send a production key to production only', async () => {
    const { examine, variables, asked } = await setUp([]);
    const base = variables.FINANCING_BASE_URL;
    const { code } = await examine({
      FINANCING_ENVIRONMENT: 'production',
      FINANCING_KNOWN_BASE_URLS: `uat=${base}/uat,production=${base}`,
    });
    expect(code).toBe(1);
    expect(asked.filter((line) => line.includes('/uat/'))).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

test.each([
  [{}, 'ok', /^120 requests a minute of each client, as X-Forwarded-For .* share 6000$/],
  [{ COMPANION_FORWARDED_HEADER: 'forwarded' }, 'ok', /as Forwarded of a trusted proxy/],
  [{ COMPANION_TRUSTED_PROXIES: 'none' }, 'warning', /^all requests come from this machine/],
  [
    { COMPANION_TRUSTED_PROXIES: 'none', COMPANION_HOST: '0.0.0.0' },
    'warning',
    /^120 requests a minute of each address that connects: .* share them/,
  ],
  [{ COMPANION_RATE_LIMIT_PER_ADDRESS: '0' }, 'warning', /^no client is limited/],
])('states which clients are rate limited: %j', async (change, status, message) => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const { of } = await examine(change);
  expect(of('limits')).toMatchObject([
    { status, message: expect.stringMatching(message) as string },
  ]);
});

test('states what goes through the proxy, and checks the proxy in place of what is behind it', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const none = await examine();
  expect(none.of('proxy')).toMatchObject([
    { status: 'ok', message: 'none (HTTPS_PROXY is not set): all addresses are reached directly' },
  ]);
  const variables = {
    HTTPS_PROXY: 'http://user:planted@127.0.0.1:9',
    COMPANION_WEBHOOK_URL: 'https://hooks.shop.invalid/results',
    COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`,
  };
  const all = await examine(variables);
  expect(all.of('proxy')).toMatchObject([
    {
      status: 'ok',
      message: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:9 \(HTTPS_PROXY\) for service \(localhost:\d+\), webhook \(hooks\.shop\.invalid\)$/,
      ) as string,
    },
    { status: 'failed', message: '127.0.0.1 cannot be reached (ECONNREFUSED)' },
  ]);
  expect([all.of('service'), all.of('webhook')]).toEqual([[], []]);
  expect(JSON.stringify(all.report)).not.toContain('planted');
  const some = await examine({ ...variables, NO_PROXY: 'localhost' });
  expect(some.of('service')[0]?.message).toMatch(/^TLSv1\.3, /);
  expect(some.of('keys')).toHaveLength(2);
});

test('warns about a wrong clock', async () => {
  const { examine } = await setUp([PRIVATE_KEY], {
    date: new Date(Date.now() + 3_600_000).toUTCString(),
  });
  const { code, of } = await examine();
  expect(code).toBe(0);
  expect(of('clock')[0]?.message).toMatch(/^3[56]\d\d s behind/);
});

describe('files that other users can open', () => {
  /** Writes two secrets that are readable for all into a folder, which is in one that every user can search. */
  async function openFiles() {
    const { examine } = await setUp([PRIVATE_KEY]);
    const above = openFolder();
    const folder = join(above, 'secrets');
    mkdirSync(folder, { mode: 0o755 });
    const secrets = {
      ORDER_TICKET_SECRET_FILE: join(folder, 'ticket'),
      NOTIFICATION_AUTHORIZATION_FILE: join(folder, 'authorization'),
    };
    for (const path of Object.values(secrets)) writeFileSync(path, 'x'.repeat(32), { mode: 0o644 });
    const files = async () => {
      const { code, of } = await examine({ ORDER_TICKET_SECRET: '', ...secrets });
      expect(code).toBe(0);
      return of('files');
    };
    return { above, folder, files };
  }

  test('are named in one warning', async () => {
    const { files } = await openFiles();
    expect(await files()).toMatchObject([
      {
        status: 'warning',
        message:
          'ORDER_TICKET_SECRET_FILE, NOTIFICATION_AUTHORIZATION_FILE can be opened by every user of this machine',
      },
    ]);
  });

  test.each(['their own folder', 'a folder above it'])(
    'are closed by the mode of %s',
    async (which) => {
      const { above, files, folder } = await openFiles();
      chmodSync(which === 'their own folder' ? folder : above, 0o700);
      expect(await files()).toMatchObject([
        { status: 'ok', message: '3 of 3 secret files are closed to others' },
      ]);
    },
  );

  test('are open behind a link in a private folder', async () => {
    const { above, files, folder } = await openFiles();
    chmodSync(folder, 0o700);
    renameSync(join(folder, 'ticket'), join(above, 'ticket'));
    symlinkSync(join(above, 'ticket'), join(folder, 'ticket'));
    expect((await files()).map(({ message }) => message)).toEqual([
      'ORDER_TICKET_SECRET_FILE can be opened by every user of this machine',
    ]);
  });
});

describe('the webhook of the shop', () => {
  const secret = `whsec_${btoa('x'.repeat(24))}`;

  /**
   * Starts a shop with a route for messages.
   * @param answer returns the status; `isSigned` is whether the signature is valid
   */
  async function withShop(answer: (isSigned: boolean) => number) {
    const messages: unknown[] = [];
    const shop = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        let isSigned = true;
        try {
          messages.push(
            new Webhook(secret).verify(body, request.headers as Record<string, string>),
          );
        } catch {
          isSigned = false;
          messages.push('wrong signature');
        }
        const status = answer(isSigned);
        response.writeHead(status, status < 400 ? { location: '/elsewhere' } : {}).end();
      });
    });
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    onTestFinished(() => void shop.close());
    const installation = await setUp([PRIVATE_KEY]);
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const webhook = async () => {
      const { code, report, of } = await installation.examine({
        COMPANION_WEBHOOK_URL: `http://${host}/webhooks/financing`,
        COMPANION_WEBHOOK_SECRET: secret,
      });
      expect(JSON.stringify(report)).not.toContain(secret.slice('whsec_'.length));
      return { code, webhook: of('webhook') };
    };
    return { ...installation, shop, host, messages, webhook };
  }

  test('gets a signed message of an order that does not exist, and one with a wrong signature', async () => {
    const { messages, webhook, host } = await withShop((isSigned) => (isSigned ? 404 : 401));
    expect(await webhook()).toMatchObject({
      code: 0,
      webhook: [
        { status: 'ok', message: `${host} reads signed messages and refuses a wrong signature` },
      ],
    });
    expect(messages).toEqual([expect.anything(), 'wrong signature']);
    const { data } = webhookSchema.parse(messages[0]);
    expect(data).toMatchObject({
      environment: 'sandbox',
      merchantOrderId: 'financing-companion-doctor',
      status: 'cancelled',
    });
  });

  test.each<[what: string, answer: (isSigned: boolean) => number, message: string]>([
    ['another program', () => 404, 'answers 404 to a signed message and 404 to a wrong signature'],
    ['another secret', () => 401, 'answers 401 to a signed message and 401 to a wrong signature'],
    [
      'an address that redirects',
      () => 308,
      'answers 308 to a signed message and 308 to a wrong signature',
    ],
  ])('is a problem: %s', async (_, answer, message) => {
    const { webhook, host } = await withShop(answer);
    expect(await webhook()).toMatchObject({
      code: 1,
      webhook: [{ status: 'failed', message: `${host} ${message}` }],
    });
  });

  test.each<[what: string, answer: (isSigned: boolean) => number, message: string]>([
    ['it accepts a wrong signature', () => 204, 'accepts a message with a wrong signature'],
    [
      'it fails with a signed message',
      (isSigned) => (isSigned ? 500 : 401),
      'answers 500 to a signed message of an unknown order',
    ],
  ])('is warned of: %s', async (_, answer, message) => {
    const { webhook, host } = await withShop(answer);
    expect(await webhook()).toMatchObject({
      code: 0,
      webhook: [{ status: 'warning', message: `${host} ${message}` }],
    });
  });

  test('is a problem when it ends the connection without an answer', async () => {
    const { webhook, host, shop } = await withShop(() => 204);
    shop.removeAllListeners('request');
    shop.on('request', ({ socket }) => socket.destroy());
    expect(await webhook()).toMatchObject({
      code: 1,
      webhook: [
        { status: 'failed', message: `${host} does not answer a message (UND_ERR_SOCKET)` },
      ],
    });
  });

  test('may be down before the first start, and not afterwards', async () => {
    const { webhook, host, shop, variables } = await withShop(() => 204);
    shop.close();
    await once(shop, 'close');
    const message = `nothing listens at ${host}`;
    expect(await webhook()).toMatchObject({ code: 0, webhook: [{ status: 'warning', message }] });
    await runHere(['migrate'], { COMPANION_STORE: variables.COMPANION_STORE });
    expect(await webhook()).toMatchObject({ code: 1, webhook: [{ status: 'failed', message }] });
  });
});

test('compares its clock with that of the receiver of webhooks', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const asked: (string | undefined)[] = [];
  const receiver = createServer(({ method }, response) => {
    asked.push(method);
    const date = new Date(Date.now() + 600_000).toUTCString();
    response.writeHead(405, { date }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const { of } = await examine({
    COMPANION_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks`,
    COMPANION_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  expect(asked).toEqual(['POST', 'POST']);
  expect(of('clock')).toMatchObject([
    { status: 'ok' },
    {
      status: 'warning',
      message: expect.stringMatching(/^(?:59\d|60\d) s behind the webhook receiver’s$/) as string,
      advice: expect.stringContaining('NTP') as string,
    },
  ]);
});

test('warns when the companion has no page to show to shoppers', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const neither = await examine();
  expect(neither.code).toBe(0);
  expect(neither.of('presentation')[0]).toMatchObject({
    status: 'warning',
    advice: expect.stringContaining('FINANCING_HOSTED_URL') as string,
  });
  const hosted = await examine({
    FINANCING_HOSTED_URL: 'https://hosted.example/?session={sessionToken}',
  });
  expect(hosted.of('presentation')).toEqual([]);
  const sdk = await examine({ FINANCING_SDK_URL: 'https://cdn.example/sdk.js' });
  expect(sdk.of('presentation')).toEqual([]);
});

test('warns in production of a script without integrity and states what its host could do', async () => {
  const { examine, variables } = await setUp([PRIVATE_KEY]);
  const production = {
    FINANCING_ENVIRONMENT: 'production',
    FINANCING_KNOWN_BASE_URLS: `production=${variables.FINANCING_BASE_URL}`,
    FINANCING_SDK_URL: 'https://cdn.example/sdk.js',
  };
  const unpinned = await examine(production);
  expect(unpinned.code).toBe(0);
  expect(unpinned.of('presentation')).toMatchObject([
    {
      status: 'warning',
      message:
        'cdn.example can run any script in the shop’s page: FINANCING_SDK_INTEGRITY is not set',
      advice: expect.stringContaining('script-src') as string,
    },
  ]);
  const integrity = `sha384-${'A'.repeat(64)}`;
  const pinned = await examine({ ...production, FINANCING_SDK_INTEGRITY: integrity });
  expect(pinned.of('presentation')).toEqual([]);
});

test('warns of tickets that may state no environment', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  expect((await examine({ ORDER_TICKET_ENV_OPTIONAL: 'true' })).of('order tickets')).toMatchObject([
    { status: 'warning', advice: expect.stringContaining('claim "env"') as string },
  ]);
  expect((await examine({})).of('order tickets')).toEqual([]);
});

test('reports a missing store folder as startup does, and does not create it', async () => {
  const { examine, keyFile } = await setUp([PRIVATE_KEY]);
  const folder = join(dirname(keyFile), 'misspelled');
  const store = { COMPANION_STORE: `sqlite:${join(folder, 'companion.db')}` };
  const { code, of } = await examine(store);
  expect(code).toBe(1);
  expect(of('store')).toMatchObject([
    { status: 'failed', message: `the folder ${folder} does not exist` },
  ]);
  const migrated = await runHere(['migrate'], store);
  expect(migrated.code).toBe(69);
  expect(migrated.text).toContain(`The folder of the store, ${folder}, is not there`);
  expect(existsSync(folder)).toBe(false);
});

test('reports a store path below a file as a failure, as startup does', async () => {
  const { examine, keyFile } = await setUp([PRIVATE_KEY]);
  const { code, of } = await examine({ COMPANION_STORE: `sqlite:${keyFile}/data/companion.db` });
  expect(of('store')).toMatchObject([{ status: 'failed', message: `${keyFile} is not a folder` }]);
  expect(code).toBe(1);
});

test('reports pending migrations as a failure when startup does not apply them', async () => {
  const { examine, variables } = await setUp([PRIVATE_KEY]);
  const never = { COMPANION_MIGRATE: 'never' };
  const missing = await examine(never);
  const file = variables.COMPANION_STORE.slice('sqlite:'.length);
  writeFileSync(file, '', { mode: 0o600 });
  const behind = await examine(never);
  for (const { code, of } of [missing, behind]) {
    expect(code).toBe(1);
    expect(of('store')[0]).toMatchObject({ status: 'failed' });
    expect(of('store')[0]?.advice).toContain('financing-companion migrate');
  }
  expect((await examine()).of('store')[0]?.status).toBe('warning');
});

test('names what the store has lost after a promotion', async () => {
  const url = await createDatabase(inject('postgresUrl'));
  const location = { kind: 'postgres', url: new Secret(url), name: 'the database' } as const;
  const store = await createStore(location);
  onTestFinished(() => store.close());
  await store.migrate();
  const found = async () => {
    const findings = await checkStore(location, { environment: 'sandbox', migrate: 'on-start' });
    return findings.filter(({ subject }) => subject === 'losses');
  };
  expect(await found()).toMatchObject([{ status: 'ok' }]);
  const order = { environment: 'sandbox', merchantOrderId: 'order-7', chargeId: 'ch-7' } as const;
  await store.putLostRecord({ ...order, kind: 'charge' }, Date.now());
  expect(await found()).toMatchObject([
    {
      status: 'warning',
      message: 'the service has what the store has lost: charge ch-7 of order order-7',
    },
  ]);
});

test('warns about a store that other users can open', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const file = join(openFolder(), 'companion.db');
  writeFileSync(file, 'this is no database, however long it is', { mode: 0o644 });
  const { code, of } = await examine({ COMPANION_STORE: `sqlite:${file}` });
  expect(code).toBe(1);
  expect(of('store').map(({ status }) => status)).toEqual(['warning', 'failed']);
  expect(of('store')[1]?.message).toContain('file is not a database');
});

test('warns about an in-memory store, and refuses it in production', async () => {
  const { examine } = await setUp([PRIVATE_KEY]);
  const memory = { COMPANION_STORE: 'sqlite::memory:' };
  const sandbox = await examine(memory);
  expect(sandbox.code).toBe(0);
  expect(sandbox.of('store')).toMatchObject([{ status: 'warning' }]);
  expect(sandbox.of('store')[0]?.message).toContain('is in memory');
  const production = await examine({ ...memory, FINANCING_ENVIRONMENT: 'production' });
  expect(production.code).toBe(78);
  expect(production.of('configuration')).toMatchObject([{ status: 'failed' }]);
  expect(production.of('configuration')[0]?.message).toMatch(/^COMPANION_STORE is in memory/);
});

test('warns about an in-memory file system in production', async () => {
  const tmpfs = () => 0x01021994;
  const location = { kind: 'sqlite', file: join(tmpdir(), 'never-made-companion.db') } as const;
  const messagesOf = async (environment: 'sandbox' | 'production', type: () => number) => {
    const findings = await checkStore(location, { environment, migrate: 'on-start' }, type);
    return findings.map(({ status, message }) => `${status} ${message}`);
  };
  const made = `ok ${location.file} is created at the first start`;
  expect(await messagesOf('production', tmpfs)).toEqual([
    expect.stringMatching(/^warning .* is on a file system in memory/),
    made,
  ]);
  expect(await messagesOf('production', () => 0xef53)).toEqual([made]);
  expect(await messagesOf('sandbox', tmpfs)).toEqual([made]);
});

test('reports an unknown certificate authority and an unreachable address', async () => {
  const { examine, upstream, variables } = await setUp([PRIVATE_KEY]);
  const unknown = await examine({ FINANCING_CA_FILE: '' });
  expect(unknown.code).toBe(1);
  expect(unknown.of('service')[0]?.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(unknown.of('keys')).toEqual([]);
  await upstream.close();
  const unreachable = await examine();
  expect(unreachable.of('service')[0]?.message).toContain('ECONNREFUSED');
  writeFileSync(variables.FINANCING_CA_FILE, 'not a certificate');
  const garbled = await examine();
  expect(garbled.code).toBe(78);
  expect(garbled.of('configuration')[0]?.message).toMatch(/^FINANCING_CA_FILE .*certificate/);
});

test('exits with 78 on an incomplete configuration, with one finding per problem', async () => {
  const { code, text } = await runHere(['doctor', '--json']);
  expect(code).toBe(78);
  const { findings } = reportSchema.parse(JSON.parse(text));
  expect(findings.length).toBeGreaterThan(4);
});

test('reports keys in quotation marks without calling the service', async () => {
  const { examine, keyFile, asked } = await setUp([PRIVATE_KEY]);
  writeFileSync(keyFile, `"${PRIVATE_KEY}"\n`);
  const { code, of } = await examine({ FINANCING_PUBLIC_API_KEY: `'${PUBLIC_KEY}'` });
  expect(code).toBe(78);
  expect(of('configuration').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^FINANCING_PUBLIC_API_KEY is in quotation marks/),
    expect.stringMatching(/^FINANCING_PRIVATE_API_KEY_FILE points to a text in quotation marks/),
  ]);
  expect(asked).toEqual([]);
});

test('prints each finding as text with advice below it', async () => {
  const { variables } = await setUp([PRIVATE_KEY]);
  const { code, text } = await runHere(['doctor'], { ...variables, COMPANION_PRT: '1' });
  expect(code).toBe(0);
  expect(text).toMatch(/^warning +configuration +COMPANION_PRT .*\n +Is it spelled right\?$/m);
});
