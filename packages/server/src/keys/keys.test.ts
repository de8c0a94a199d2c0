import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as library from '../index.ts';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { countExposed, written } from '../secrecy.fixture.ts';
import { digestUnder, PrivateKey } from './private-key.ts';
import { createTripWire } from './key-ring.ts';

test('a private key prints as "[redacted]" in every form', () => {
  const secret = new PrivateKey(PRIVATE_KEY);
  const forms = [
    String(secret),
    `${String(secret)}!`,
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    inspect({ deep: [secret] }, { depth: 9 }),
    JSON.stringify(Object.entries(secret)),
    new Error(String(secret)).message,
  ];
  expect(countExposed(forms)).toBe(0);
  expect(forms[0]).toBe('[redacted]');
});

test('refuses an invalid key without repeating it', () => {
  const quoted = [`"${PRIVATE_KEY}"`, `'${PRIVATE_KEY}'`];
  for (const bad of ['short', `${PRIVATE_KEY}\n${PRIVATE_KEY}`, `${PRIVATE_KEY} `, ...quoted]) {
    expect(() => new PrivateKey(bad)).toThrow(/^A private key is 16 to 512/);
  }
});

test('a digest depends on the key, the purpose and the text, and reveals none of them', async () => {
  const key = new PrivateKey(PRIVATE_KEY);
  const digest = await digestUnder(key, 'recipients', 'text');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await digestUnder(new PrivateKey(PRIVATE_KEY), 'recipients', 'text')).toBe(digest);
  const others = [
    await digestUnder(new PrivateKey(`${PRIVATE_KEY}1`), 'recipients', 'text'),
    await digestUnder(key, 'others', 'text'),
    await digestUnder(key, 'recipients', 'texts'),
  ];
  expect(new Set([digest, ...others]).size).toBe(4);
  expect(key.isIn(digest)).toBe(false);
});

test('only the service client turns a private key into a header', () => {
  const root = join(import.meta.dirname, '..');
  const users = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('authorizationOf'));
  expect(users.sort()).toEqual(['keys/private-key.ts', 'service/exchange.ts']);
  expect(Object.keys(library)).not.toContain('authorizationOf');
});

test('the core imports nothing from Node', () => {
  const root = join(import.meta.dirname, '..');
  const users = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
    .filter((file) =>
      /from '(node:|pino|undici|@hono\/node-server|commander|\.\.?\/(?:.*\/)?node\/)/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    );
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((file) => !file.startsWith('node/'))).toEqual([]);
});

test('control: the check after each test finds a key in a log or a response', async () => {
  const companion = await createCompanion();
  const [record] = written;
  expect(record?.log).toBe(companion.log);
  expect(countExposed([JSON.stringify({ event: 'x', reason: PRIVATE_KEY })])).toBe(1);
  expect(countExposed([`header ${btoa(`user:${PRIVATE_KEY}`)}`])).toBe(1);
});

describe('a wrong guess takes the same number of steps at any position of its first difference', () => {
  /** Counts the characters that are read. */
  function steps(compare: () => boolean): number {
    const spy = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      expect(compare()).toBe(false);
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  }
  const first = `X${PRIVATE_KEY.slice(1)}`;
  const last = `${PRIVATE_KEY.slice(0, -1)}X`;
  test.each<[string, (guess: string) => boolean]>([
    ['a private key', (guess) => new PrivateKey(PRIVATE_KEY).equals(guess)],
    ['two private keys', (guess) => new PrivateKey(PRIVATE_KEY).sameAs(new PrivateKey(guess))],
  ])('%s', (_, isEqual) => {
    expect(steps(() => isEqual(first))).toBeGreaterThanOrEqual(2 * PRIVATE_KEY.length);
    expect(steps(() => isEqual(first))).toBe(steps(() => isEqual(last)));
  });

  test('the storefront compares keys and tokens in constant time only', () => {
    const root = join(import.meta.dirname, '..');
    const comparing = ['storefront/guards.ts', 'storefront/start.ts'];
    for (const file of [...comparing, 'storefront/notifications.ts', 'checkout/checkout.ts']) {
      const source = readFileSync(join(root, file), 'utf8');
      expect(source).toMatch(/equalInConstantTime\(|\.equals\(/);
      expect(source).not.toMatch(
        /[=!]==\s*(?:options\.)?(?:publicKey|token|authorization|signature)\b/,
      );
      expect(source).not.toContain('.reveal()');
    }
  });
});

test('finds a key at any offset in a base64 text', () => {
  const key = new PrivateKey(PRIVATE_KEY);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 9 }),
      fc.uint8Array({ maxLength: 9 }),
      (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(PRIVATE_KEY), after]);
        expect(key.isIn(bytes.toString('base64'))).toBe(true);
        expect(key.isIn(bytes.toString('base64url'))).toBe(true);
      },
    ),
  );
});

test('finds a key under layers of escapes and next to invalid escapes', () => {
  const key = new PrivateKey(PRIVATE_KEY);
  const layers: ((text: string) => string)[] = [
    (text) => Array.from(text, (char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
    (text) => Array.from(text, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(''),
    (text) => text.replaceAll('/', '\\/'),
    encodeURIComponent,
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...layers), { minLength: 1, maxLength: 4 }),
      fc.string(),
      (chosen, noise) => {
        const encoded = chosen.reduce((text, layer) => layer(text), PRIVATE_KEY);
        // A preceding backslash changes the text, and so does half an escape.
        const before = noise.replace(/[\\%][^ ]{0,5}$/, '');
        expect(key.isIn(`${before} ${encoded}`)).toBe(true);
        expect(key.isIn(`${noise} ${encoded.slice(0, -2)}`)).toBe(false);
      },
    ),
  );
});

test('the trip-wire is fast for any input', () => {
  const tripWire = createTripWire([new PrivateKey(PRIVATE_KEY), new PrivateKey(`${PRIVATE_KEY}2`)]);
  for (const text of ['%2525'.repeat(13_000), '\\u0025'.repeat(10_900), '%41'.repeat(21_800)]) {
    // Time of the processor: a busy machine may stall.
    const started = process.threadCpuUsage();
    for (let count = 0; count < 10; count++) expect(tripWire(text)).toBe(false);
    // The largest body takes a few milliseconds; the bound detects quadratic time.
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1_000);
  }
});
