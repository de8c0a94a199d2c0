import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BACK_OFFICE_TOKEN, createCompanion, ORIGIN } from '../../companion.fixture.ts';

const SMALL = 65_536;
/** The maximum ticket length (2,500,000 characters) plus the limit for any other body. */
const WITH_TICKET = 2_565_536;

/** A route of each limit and listener, with the headers of a permitted request. */
const places: [string, number, 'storefront' | 'backOffice', string, Record<string, string>][] = [
  ['a prime', WITH_TICKET, 'storefront', '/checkout/prime', {}],
  ['an unknown path', SMALL, 'storefront', '/nothing', {}],
  [
    'a settle',
    SMALL,
    'backOffice',
    '/charges/charge-1/settles',
    { authorization: `Bearer ${BACK_OFFICE_TOKEN}`, 'idempotency-key': 'key-1' },
  ],
];

describe.each(places)('refuses a body over the limit: %s', (_, limit, listener, path, headers) => {
  async function send(
    body: string | ReadableStream<Uint8Array>,
    more: Record<string, string> = {},
  ) {
    const companion = await createCompanion();
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { ...companion.headers(), origin: ORIGIN, ...headers, ...more },
      body,
      duplex: 'half',
    };
    const { status } = await companion[listener].request(path, init);
    expect(companion.service.calls).toEqual([]);
    return status;
  }
  /** Returns a chunked body and the number of chunks that were read. */
  function pieces(count: number, bytes: number) {
    let taken = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (taken === count) controller.close();
          else controller.enqueue(new Uint8Array(bytes).fill(32));
          taken++;
        },
      },
      { highWaterMark: 0 },
    );
    return { body, taken: () => taken };
  }

  test('by its Content-Length', async () => {
    const body = ' '.repeat(limit + 1);
    expect(await send(body, { 'content-length': String(limit + 1) })).toBe(413);
  });

  test('in chunks with a correct Content-Length, without reading any', async () => {
    const { body, taken } = pieces(10_000, 1_024);
    expect(await send(body, { 'content-length': '10240000' })).toBe(413);
    expect(taken()).toBeLessThan(2);
  });

  test('in chunks without a Content-Length, without reading past the limit', async () => {
    const { body, taken } = pieces(10_000, 1_024);
    expect(await send(body)).toBe(413);
    expect(taken()).toBeLessThan(limit / 1_024 + 16);
  });

  test('in chunks with a false Content-Length (RFC 9112 6.3: the chunks count)', async () => {
    const { body, taken } = pieces(10_000, 1_024);
    const lie = { 'content-length': '2', 'transfer-encoding': 'chunked' };
    expect(await send(body, lie)).toBe(413);
    expect(taken()).toBeLessThan(limit / 1_024 + 16);
  });

  test.each(['-1', '1e9', '0x10', 'NaN', '9'.repeat(16), ' '])(
    'a Content-Length of "%s"',
    async (length) => {
      expect([400, 413]).toContain(await send(' '.repeat(limit + 1), { 'content-length': length }));
    },
  );

  test('in multi-byte characters with a false Content-Length', async () => {
    expect(await send('€'.repeat(limit / 2), { 'content-length': '2' })).toBe(413);
  });

  test('and does not log an aborted body as an error of the companion', async () => {
    const leaving = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new Error('aborted')),
      });
    expect(await send(leaving())).toBe(400);
    expect(await send(leaving(), { 'content-length': '100' })).toBe(400);
  });

  test('control: accepts one byte less', async () => {
    const body = ' '.repeat(limit);
    expect(await send(body, { 'content-length': String(limit) })).not.toBe(413);
  });
});

test('the installed Hono has no known flaw in its body limit', () => {
  const root = join(import.meta.dirname, '../../..');
  const { version: installed } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'node_modules/hono/package.json'), 'utf8')));
  const workspace = readFileSync(join(root, '../../pnpm-workspace.yaml'), 'utf8');
  const range = /^ {2}hono: \^?(\S+)$/m.exec(workspace)?.[1] ?? '';
  // GHSA-9vqf-7f2p-gf9v (chunked bodies) and CVE-2026-54288 (a false Content-Length) bypassed
  // Hono's body limit before 4.12.25. A merchant's installation may resolve to any version in the
  // range.
  for (const version of [installed, range]) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(version.localeCompare('4.12.25', 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  }
});
