import { SignJWT } from 'jose';
import { expect, test, vi } from 'vitest';
import { order, TICKET_SECRET } from './order.fixture.ts';
import { signOrderTicket } from './sign.ts';
import { createTicketVerifier, TicketError } from './verify.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const seconds = NOW / 1000;
const claims = {
  aud: 'financing-companion',
  iat: seconds,
  exp: seconds + 600,
  jti: 'ticket-1',
  env: 'sandbox',
  order,
};
const verify = createTicketVerifier({ secrets: [TICKET_SECRET] });
const signing = { secret: TICKET_SECRET, environment: 'sandbox', issuedAt: new Date(NOW) };

const sign = (payload: object, secret = TICKET_SECRET, alg = 'HS256') =>
  new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));

/** Returns the code and the message of a refused ticket. */
async function refusal(ticket: string, now = NOW) {
  const error: unknown = await verify(ticket, now).catch((reason: unknown) => reason);
  if (!(error instanceof TicketError)) throw new Error('It is not refused.', { cause: error });
  return `${error.code}: ${error.message}`;
}

test('accepts a ticket for 30 seconds after its end and no longer', async () => {
  const ticket = await sign(claims);
  expect(await verify(ticket, NOW + 629_000)).toEqual(claims);
  expect(await refusal(ticket, NOW + 630_000)).toMatch(/^expired: .*render the page again/);
  const withBegin = await sign({ ...claims, nbf: seconds });
  expect(await verify(withBegin, NOW + 629_000)).toMatchObject({ order });
  expect(await refusal(withBegin, NOW + 630_000)).toMatch(/^expired: .*render the page again/);
});

test('tolerates the same skew in nbf as in iat', async () => {
  const early = (ahead: number) => sign({ ...claims, nbf: seconds + ahead });
  expect(await verify(await early(60), NOW)).toMatchObject({ order });
  expect(await refusal(await early(61))).toMatch(
    /^invalid: .*"nbf", 2026-11-20T12:01:01.000Z, and the companion's clock says 2026-11-20T12:00:00.000Z/,
  );
});

test('states the times of an expired ticket, so that a shop sees that its clock is behind', async () => {
  expect(await refusal(await sign(claims), NOW + 900_000)).toContain(
    "issued at 2026-11-20T12:00:00.000Z and expired at 2026-11-20T12:10:00.000Z, and the companion's clock says 2026-11-20T12:15:00.000Z. If the page was just rendered, the shop's clock is behind",
  );
});

test('refuses a ticket that is issued more than a minute in the future', async () => {
  const early = (ahead: number) =>
    sign({ ...claims, iat: seconds + ahead, exp: seconds + ahead + 600 });
  expect(await verify(await early(60), NOW)).toMatchObject({ order });
  expect(await refusal(await early(61))).toMatch(/^invalid: .*issued in the future/);
  // In a year, with a header that the plain check leaves to jose.
  const nextYear = await new SignJWT({
    ...claims,
    iat: seconds + 31_536_000,
    exp: seconds + 31_536_600,
  })
    .setProtectedHeader({ alg: 'HS256', kid: 'of-the-shop' })
    .sign(new TextEncoder().encode(TICKET_SECRET));
  expect(await refusal(nextYear)).toMatch(/^invalid: .*issued in the future/);
});

test('refuses a ticket that lives longer than a day, or than the configured maximum', async () => {
  const living = (life: number) => sign({ ...claims, exp: seconds + life });
  expect(await verify(await living(86_400), NOW)).toMatchObject({ order });
  expect(await refusal(await living(86_401))).toMatch(/^invalid: .*longer than 86400 seconds/);
  expect(await refusal(await living(9 * 31_536_000))).toMatch(/^invalid: .*longer than/);
  const strict = createTicketVerifier({ secrets: [TICKET_SECRET], maxLifetimeSeconds: 600 });
  expect(await strict(await living(600), NOW)).toMatchObject({ order });
  await expect(strict(await living(601), NOW)).rejects.toThrow('longer than 600 seconds');
});

test.each(['exp', 'iat', 'jti', 'order'])(
  'refuses a ticket without %s and names it',
  async (name) => {
    const ticket = await sign({ ...claims, [name]: undefined });
    expect(await refusal(ticket)).toMatch(`invalid: The ticket's claim "${name}" is missing`);
  },
);

test('says what the developer of the shop has to change', async () => {
  const other = 'another-secret-of-32-bytes-or-more!!!';
  expect(await refusal(await sign(claims, other))).toContain('must share ORDER_TICKET_SECRET');
  const long = TICKET_SECRET.repeat(2);
  expect(await refusal(await sign(claims, long, 'HS512'))).toContain('signed with HS256');
  expect(await refusal(await sign({ ...claims, aud: 'other' }))).toContain(
    'audience must be "financing-companion"',
  );
  expect(await refusal('order-1001')).toContain('not a compact JWS');
});

test('accepts only the configured audience', async () => {
  const options = { ...signing, audience: 'our-shop' };
  const ticket = await signOrderTicket(order, options);
  const ours = createTicketVerifier({ secrets: [TICKET_SECRET], audience: 'our-shop' });
  expect(await ours(ticket, NOW)).toMatchObject({ aud: 'our-shop', order });
  expect(await refusal(ticket)).toContain('audience');
});

test('each ticket has a unique id and is valid for 30 minutes', async () => {
  const one = await verify(await signOrderTicket(order, signing), NOW);
  const other = await verify(await signOrderTicket(order, signing), NOW);
  expect(one.jti).not.toBe(other.jti);
  expect([one.iat, one.exp]).toEqual([seconds, seconds + 1_800]);
});

test('reads the environment, and refuses a ticket with an unknown environment or without one', async () => {
  const ticket = await signOrderTicket(order, { ...signing, environment: 'production' });
  expect(await verify(ticket, NOW)).toMatchObject({ env: 'production', order });
  expect(await refusal(await sign({ ...claims, env: 'staging' }))).toMatch(/^invalid: /);
  // Both ways to verify: the plain check, and jose.
  const without = { ...claims, env: undefined };
  for (const none of [await sign(without), await sign({ ...without, aud: [claims.aud] })]) {
    const error: unknown = await verify(none, NOW).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'invalid',
      errors: [{ path: 'env', message: 'is missing: state the environment of the order' }],
    });
    const lenient = createTicketVerifier({ secrets: [TICKET_SECRET], environmentOptional: true });
    expect(await lenient(none, NOW)).toMatchObject({ order });
    expect(await lenient(none, NOW)).not.toHaveProperty('env');
  }
});

test('refuses to create a verifier without a secret or with a secret that is too short', () => {
  expect(() => createTicketVerifier({ secrets: ['x'.repeat(31)] })).toThrow(RangeError);
  expect(() => createTicketVerifier({ secrets: [] })).toThrow(RangeError);
});

test('refuses a text of many dots without splitting it', async () => {
  const dots = '.'.repeat(2_500_000);
  const split = vi.spyOn(String.prototype, 'split');
  expect(await refusal(dots)).toMatch(/^invalid: .*not a compact JWS/);
  expect(split.mock.results.map(({ value }) => (value as string[]).length)).toEqual([4]);
  split.mockRestore();
});
