import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLinkSubject, CREATE, link, LINK_URL, onLink } from '../../checkout/link.fixture.ts';
import { BACK_OFFICE_TOKEN, order } from '../../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { networkError } from '../../scripted-service.fixture.ts';
import { countExposed } from '../../secrecy.fixture.ts';
import { commandsTo } from '../command.fixture.ts';
import { timelineOf } from './timeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'links-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
const orderFile = join(folder, 'order.json');
writeFileSync(orderFile, JSON.stringify(order));

const READ_TOKEN = 'read-token-0123456789';

/** @param token the token that the command sends to the companion */
async function setUp(token = BACK_OFFICE_TOKEN) {
  const subject = await createLinkSubject({
    backOfficeTokens: [
      { name: 'back-office', scopes: ['links'], secret: new Secret(BACK_OFFICE_TOKEN) },
      { name: 'reader', scopes: [], secret: new Secret(READ_TOKEN) },
    ],
  });
  const { companion } = subject;
  const { run } = commandsTo(companion.backOffice, token);
  return { ...subject, run: (...words: string[]) => run('links', ...words) };
}

test('create prints the URL, the amount, the state and the expiry of a link', async () => {
  const { run, service } = await setUp();
  const { code, out, err } = await run('create', '--order', orderFile, '--deliver', 'email');
  expect(code).toBe(0);
  expect(err).toMatch(/^Idempotency-Key [0-9a-f-]{36}$/);
  expect(out).toMatch(new RegExp(`^link +${LINK_URL}$`, 'm'));
  expect(out).toMatch(/^amount +274\.99 USD$/m);
  expect(out).toMatch(/^state +waiting$/m);
  expect(out).toMatch(/^sent by +email$/m);
  expect(out).toMatch(/^expires +2026-11-21T12:00:00.000Z$/m);
  expect(out).not.toContain('Quill');
  expect(service.callsTo(CREATE)[0]?.body).toMatchObject({
    linkOptions: { deliveryMethod: 'Email' },
  });
});

test('create prints the same link again, with --key and in another run', async () => {
  const { run, service } = await setUp();
  const first = await run('create', '--order', orderFile, '--key', 'key-1', '--json');
  const again = await run('create', '--order', orderFile, '--key', 'key-1', '--json');
  const other = await run('create', '--order', orderFile, '--json');
  expect(JSON.parse(first.out)).toMatchObject({ url: LINK_URL, status: 'open' });
  expect([again.out, other.out]).toEqual([first.out, first.out]);
  expect(service.callsTo(CREATE)).toHaveLength(1);
});

test('show finds a link by its checkout and by its order', async () => {
  const { create, run, show } = await setUp();
  const { body } = await create();
  const id = String(body.checkoutId);
  await show(link('Expired', onLink('Confirmed', 1), onLink('Confirmed', 2)));
  const { out } = await run('show', id);
  expect(out).toMatch(/^status +approved$/m);
  expect(out).toContain('application application-2 was confirmed too and not charged');
  expect((await run('show', 'order-1001')).out).toBe(out);
  expect(JSON.parse((await run('show', 'order-1001', '--json')).out)).toMatchObject({
    checkoutId: id,
  });
  const none = await run('show', 'another');
  expect([none.code, none.out, none.err]).toEqual([0, '', 'This order has no link.']);
  expect((await run('show', 'chk_none')).code).toBe(1);
});

test.each([
  ['of an ended checkout', BACK_OFFICE_TOKEN, 'its checkout is no longer open'],
  ['to a token without the scope', READ_TOKEN, 'not shown: the token lacks the scope "links".*'],
])('show says why it prints no URL %s', async (_, token, reason) => {
  const { create, run, show } = await setUp(token);
  await create();
  if (token === BACK_OFFICE_TOKEN) await show(link('Expired', onLink('Confirmed', 1)));
  const { out } = await run('show', 'order-1001');
  expect(out).toMatch(new RegExp(`^link +${reason}$`, 'm'));
  expect(out).not.toContain('https://');
});

test('show says that the URL of a link is lost', async () => {
  const { create, run, service } = await setUp();
  service.on(CREATE, networkError('ECONNRESET'));
  await create('key-1', { deliver: 'email' });
  const { out } = await run('show', 'order-1001');
  expect(out).toMatch(/^link +its address is lost; the service may have sent it$/m);
});

test('exits with the unknown-outcome code when the response is lost', async () => {
  const { run, service } = await setUp();
  service.on(CREATE, networkError('ECONNRESET'));
  const { code, err } = await run('create', '--order', orderFile, '--deliver', 'email');
  expect(code).toBe(75);
  expect(err).toContain('outcome-unknown');
});

test.each([
  ['a missing file', join(folder, 'missing.json'), /^The order cannot be read/],
  ['a file that is not JSON', join(folder, 'text.json'), /is not JSON/],
])('refuses %s as the order', async (_, file, message) => {
  writeFileSync(join(folder, 'text.json'), 'Ada Quill');
  const { run, service } = await setUp();
  const { code, err } = await run('create', '--order', file);
  expect(code).toBe(1);
  expect(err).toMatch(message);
  expect(err).not.toContain('Quill');
  expect(service.calls).toEqual([]);
});

test('explain shows the link and a second confirmation, but no URL and no token', async () => {
  const { companion, create, show } = await setUp();
  const { body } = await create();
  await show(link('Expired', onLink('Confirmed', 1), onLink('Confirmed', 2)));
  const timeline = timelineOf(await companion.store.trace(String(body.checkoutId)));
  expect(timeline.checkout).toMatchObject({ status: 'approved', link: { state: 'expired' } });
  expect(timeline.events).toContainEqual(
    expect.objectContaining({ what: 'second', id: 'application-2', outcome: 'not-charged' }),
  );
  expect(timeline.advice.join()).toContain('cancel it there');
  const text = JSON.stringify(timeline);
  expect(text).not.toMatch(/links\.example|token-\d|Quill/);
  expect(countExposed([text])).toBe(0);
});
