import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { expect, test, vi } from 'vitest';
import { createPlainCheck } from './plain.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const secrets = [
  'current-secret-of-at-least-32-bytes!',
  'previous-secret-of-at-least-32-bytes',
].map((text) => new TextEncoder().encode(text));
const plain = createPlainCheck(secrets, 'financing-companion');
const seconds = NOW / 1000;
const claims = { aud: 'financing-companion', iat: seconds, exp: seconds + 600, jti: 'ticket-1' };

function sign(payload: object, header: object = { alg: 'HS256', typ: 'JWT' }, secret = secrets[0]) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(payload)}`;
  const signature = createHmac('sha256', secret ?? '')
    .update(input)
    .digest('base64url');
  return `${input}.${signature}`;
}

test('accepts a plain ticket with either secret', () => {
  expect(plain(sign(claims), NOW)).toEqual(claims);
  expect(plain(sign(claims, { alg: 'HS256' }, secrets[1]), NOW)).toEqual(claims);
});

test.each<[string, string]>([
  ['another secret', sign(claims, undefined, new TextEncoder().encode('x'.repeat(32)))],
  ['no algorithm', sign(claims, { alg: 'none' })],
  ['another algorithm', sign(claims, { alg: 'HS512' })],
  ['a critical extension', sign(claims, { alg: 'HS256', crit: ['b64'], b64: false })],
  ['another type', sign(claims, { alg: 'HS256', typ: 'at+jwt' })],
  ['another audience', sign({ ...claims, aud: 'other' })],
  ['several audiences', sign({ ...claims, aud: ['financing-companion', 'other'] })],
  ['a time it begins', sign({ ...claims, nbf: seconds - 60 })],
  ['a time that is over', sign({ ...claims, exp: seconds })],
  ['a time that is text', sign({ ...claims, exp: String(seconds + 600) })],
  ['no time of issue', sign({ ...claims, iat: undefined })],
  ['a padded signature', `${sign(claims)}=`],
  ['a signature with more behind it', `${sign(claims)}!`],
  ['no signature', sign(claims).replace(/[^.]+$/, '')],
  ['a fourth part', `${sign(claims)}.${sign(claims)}`],
  ['nothing', ''],
])('leaves the decision to jose: %s', (_, ticket) => {
  expect(plain(ticket, NOW)).toBeUndefined();
});

test('compares a signature with that of each secret in constant time', () => {
  const compare = vi.spyOn(process.getBuiltinModule('node:crypto'), 'timingSafeEqual');
  try {
    const check = createPlainCheck(secrets, 'financing-companion');
    expect(check(sign(claims, undefined, new TextEncoder().encode('x'.repeat(32))), NOW)).toBe(
      undefined,
    );
    expect(compare).toHaveBeenCalledTimes(2);
  } finally {
    compare.mockRestore();
  }
});

test('accepts no modified ticket that jose rejects', async () => {
  const good = sign(claims);
  const change = fc.record({
    at: fc.nat({ max: good.length - 1 }),
    by: fc.constantFrom('A', 'Q', 'g', 'w', '-', '_', '.', '=', 'x', '0'),
    cut: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, by, cut }) => {
      const ticket = good.slice(0, at) + by + good.slice(cut ? at + 1 : at);
      if (plain(ticket, NOW) === undefined) return;
      const options = { audience: 'financing-companion', currentDate: new Date(NOW) };
      const { payload } = await jwtVerify(ticket, secrets[0] ?? new Uint8Array(), options);
      expect(payload).toEqual(claims);
    }),
    { numRuns: 200 },
  );
});
