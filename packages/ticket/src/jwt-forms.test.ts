import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { order, TICKET_SECRET } from './order.fixture.ts';
import { createTicketVerifier, TicketError } from './verify.ts';

const NOW = Date.UTC(2026, 10, 20, 12) + 250;
const seconds = Math.floor(NOW / 1000);
const AUDIENCE = 'financing-companion';
const ids = { aud: AUDIENCE, jti: 'ticket-1', env: 'sandbox' };
const claims = { ...ids, iat: seconds, exp: seconds + 600, order };
const verify = createTicketVerifier({ secrets: [TICKET_SECRET] });

/** Signs raw JSON, because JSON can represent a value in several ways. */
function signTexts(payload: string, header: string): string {
  const input = [header, payload].map((text) => Buffer.from(text).toString('base64url')).join('.');
  const signature = createHmac('sha256', TICKET_SECRET).update(input).digest('base64url');
  return `${input}.${signature}`;
}

const sign = (change: object, header: object = { alg: 'HS256', typ: 'JWT' }) =>
  signTexts(JSON.stringify({ ...claims, ...change }), JSON.stringify(header));

/** Signs the claims, with one claim replaced by raw JSON. */
function signWritten(name: keyof typeof claims, text: string): string {
  const payload = JSON.stringify({ ...claims, [name]: '@' }).replace('"@"', text);
  return signTexts(payload, '{"alg":"HS256"}');
}

describe('accepts a ticket in the forms that RFC 7519 allows', () => {
  test.each<[string, string]>([
    ['the audience as the one entry of a list (4.1.3)', sign({ aud: [AUDIENCE] })],
    ['the audience in a list of several (4.1.3)', sign({ aud: ['shop', AUDIENCE, 'urn:x'] })],
    ['a fraction in iat (section 2, NumericDate)', sign({ iat: seconds - 0.75 })],
    ['a fraction in exp', sign({ exp: seconds + 600.123_456 })],
    ['a fraction in nbf', sign({ nbf: seconds + 0.5 })],
    [
      'fractions and a list together',
      sign({ aud: [AUDIENCE], iat: seconds - 0.1, exp: seconds + 0.9 }),
    ],
    ['exp with an exponent', signWritten('exp', `${(seconds + 600) / 1e9}e9`)],
    ['exp with an exponent and a sign', signWritten('exp', `${(seconds + 600) / 1e9}E+9`)],
    ['iat with a negative exponent', signWritten('iat', `${seconds}00e-2`)],
    ['iat with a fraction of zero', signWritten('iat', `${seconds}.0`)],
    ['an nbf of the past with an exponent', sign({ nbf: 1e9 })],
    ['a type in lower case (5.1)', sign({}, { alg: 'HS256', typ: 'jwt' })],
    [
      'a type as a whole media type (RFC 7515 4.1.9)',
      sign({}, { alg: 'HS256', typ: 'application/jwt' }),
    ],
    ['no type', sign({}, { alg: 'HS256' })],
    [
      'header parameters that it does not know',
      sign({}, { kid: 'k1', typ: 'JWT', x: [1], alg: 'HS256' }),
    ],
    [
      'claims that it does not know',
      sign({ iss: 'https://shop.example', sub: '1', data: { a: null } }),
    ],
    [
      'white space in the JSON',
      signTexts(JSON.stringify(claims, null, 2), '{ "alg" : "HS256" }\n'),
    ],
    [
      'names of claims with escapes',
      signTexts(JSON.stringify(claims).replace('"aud"', String.raw`"\u0061ud"`), '{"alg":"HS256"}'),
    ],
  ])('%s', async (_, ticket) => {
    expect(await verify(ticket, NOW)).toMatchObject({ jti: 'ticket-1', order });
  });

  test('a lifetime of one day in fractional seconds', async () => {
    // The next representable double: adding a day to the shop's clock may round to it.
    const iat = seconds - 0.3;
    const ticket = sign({ iat, exp: iat + 86_400 + 2 ** -21 });
    expect(await verify(ticket, NOW)).toMatchObject({ order });
  });
});

describe('refuses a ticket with', () => {
  test.each<[string, string, string]>([
    ['a list without the audience', sign({ aud: ['shop', 'other'] }), 'audience must be'],
    ['a list without an entry', sign({ aud: [] }), 'audience must be'],
    ['an audience in other letters', sign({ aud: [AUDIENCE.toUpperCase()] }), 'audience must be'],
    ['an audience inside another text', sign({ aud: [`${AUDIENCE} `] }), 'audience must be'],
    ['an entry that is not text', sign({ aud: [AUDIENCE, 5] }), 'invalid: '],
    ['a list in the list', sign({ aud: [[AUDIENCE]] }), 'audience must be'],
    ['an exp that is text', sign({ exp: String(seconds + 600) }), '"exp"'],
    ['an exp that no number reaches', signWritten('exp', '1e400'), 'invalid: '],
    ['an exp that is past by a fraction', sign({ exp: seconds - 30.5 }), 'expired'],
    ['an nbf that is ahead by a fraction', sign({ nbf: seconds + 60.5 }), '"nbf"'],
    ['an nbf that is text', sign({ nbf: '1' }), '"nbf"'],
    [
      'a life that is longer than a day by a second',
      sign({ exp: seconds + 86_401.5 }),
      'longer than',
    ],
    [
      'a critical extension (RFC 7515 4.1.11)',
      sign({}, { alg: 'HS256', crit: ['x'], x: 1 }),
      'not a compact JWS',
    ],
    [
      'a payload that is not encoded (RFC 7797 7)',
      sign({}, { alg: 'HS256', crit: ['b64'], b64: false }),
      'not a compact JWS',
    ],
  ])('%s', async (_, ticket, expected) => {
    const error: unknown = await verify(ticket, NOW).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TicketError);
    const { code, message } = error as TicketError;
    expect(`${code}: ${message}`).toContain(expected);
  });
});
