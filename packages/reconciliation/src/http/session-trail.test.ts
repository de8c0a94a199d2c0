import { actionsSchema } from '@financing-checkout/contract';
import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { configure, run, startShop } from '../program.fixture.ts';
import { ofPage, signIn, TOKENS } from './session.fixture.ts';
import { addressBlock, NOT_SIGNED_IN } from './session-trail.ts';

/** A program, and a browser that signs in from a given address. */
async function setUp() {
  let later = 0;
  const clock = { ...systemClock, now: () => Date.now() + later };
  const config = configure(await startShop(0), { RECONCILIATION_TOKENS: TOKENS });
  const { app, engine } = await run(config, { clock });
  const trail = async () => {
    const headers = { authorization: 'Bearer reader-token-000001' };
    const answer = await app.request('/actions?limit=1000', { headers });
    return actionsSchema.parse(await answer.json()).actions;
  };
  const fail = (remoteAddress: string) => {
    const body = JSON.stringify({ token: 'mistyped-token-0001' });
    const init = { method: 'POST', headers: ofPage, body };
    return app.request('/console/session', init, { incoming: { socket: { remoteAddress } } });
  };
  const events = async () => (await engine.facts.actionChain()).seq;
  return { app, trail, fail, events, nextHour: () => void (later += 3_600_000) };
}

test('records sign-ins and sign-outs with the name of the token', async () => {
  const { app, trail } = await setUp();
  const { cookie } = await signIn(app, 'worker');
  await app.request('/console/session', { method: 'DELETE', headers: { ...ofPage, cookie } });
  expect(await trail()).toMatchObject([
    { kind: 'sign-out', actor: 'worker', subject: 'worker', outcome: 'done' },
    { kind: 'sign-in', actor: 'worker', subject: 'worker', outcome: 'done' },
  ]);
});

test('records failed sign-ins by address block, without what was presented', async () => {
  const { trail, fail, nextHour } = await setUp();
  for (let count = 0; count < 12; count++) {
    expect((await fail(`203.0.113.${count}`)).status).toBe(401);
  }
  await fail('2001:db8:1:2::3');
  nextHour();
  await fail('203.0.113.9');
  const failed = { kind: 'sign-in', actor: NOT_SIGNED_IN, outcome: 'token-invalid' };
  const actions = await trail();
  expect(actions).toMatchObject([
    { ...failed, subject: '203.0.113.0/24', detail: { attempts: 1 } },
    { ...failed, subject: '2001:db8:1::/48', detail: { attempts: 1 } },
    { ...failed, subject: '203.0.113.0/24', detail: { attempts: 10 } },
  ]);
  expect(JSON.stringify(actions)).not.toContain('mistyped');
});

test('adds few events during a flood of failed sign-ins from many addresses', async () => {
  const { trail, fail, events } = await setUp();
  for (let index = 0; index < 600; index++) await fail(`10.0.${index % 200}.1`);
  expect(await events()).toBeLessThan(60);
  expect(new Set((await trail()).map(({ subject }) => subject)).size).toBe(51);
});

test('records each export before it is made, with its filters', async () => {
  const { app, trail } = await setUp();
  const headers = { authorization: 'Bearer reader-token-000001' };
  const answer = await app.request('/exports/orders?format=ndjson&currency=USD', { headers });
  expect(answer.status).toBe(200);
  expect((await app.request('/exports/orders?format=xls', { headers })).status).toBe(400);
  expect(await trail()).toMatchObject([
    {
      kind: 'export',
      actor: 'reader',
      subject: 'orders',
      outcome: 'done',
      detail: { format: 'ndjson', currency: 'USD' },
    },
  ]);
});

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::6', '2001:db8:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  [undefined, 'unknown'],
  ['a text', 'unknown'],
])('reduces the address %s to its block', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
