import { afterAll, describe, expect, test } from 'vitest';
import { closeSharedStores, databaseKinds } from './databases.fixture.ts';
import type { BeginPrime, CheckoutRow, JoinLink, LinkMessage, NewLink, Store } from './store.ts';

afterAll(closeSharedStores);

const START = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;
const order = { environment: 'sandbox', merchantOrderId: 'order-1' } as const;

const begin = (key: string, change: Partial<BeginPrime> = {}): BeginPrime => ({
  key,
  fingerprint: 'f'.repeat(64),
  attempt: {
    id: `att_${key}`,
    kind: 'prime',
    checkoutId: undefined,
    merchantTransactionId: undefined,
  },
  order,
  link: { until: START + 30_000 },
  now: START,
  leaseUntil: START + 30_000,
  ...change,
});

const checkout = (key: string, change: Partial<CheckoutRow> = {}): CheckoutRow => ({
  id: `chk_${key}`,
  ...order,
  amount: { value: 27_499, currency: 'USD' },
  status: 'open',
  retrySafe: undefined,
  revision: 1,
  sessionToken: `link-${key}`,
  secretHash: 'f'.repeat(64),
  applicationId: undefined,
  origin: '',
  returnUrl: undefined,
  locale: undefined,
  confirmationHash: undefined,
  orderHash: 'e'.repeat(64),
  ticketHash: undefined,
  orderChanged: false,
  chargeId: undefined,
  chargeState: undefined,
  refundedAmount: undefined,
  taxAmount: 0,
  shippingTaxAmount: 0,
  charged: undefined,
  createdAt: START,
  updatedAt: START,
  expiresAt: START + DAY,
  attentionAt: START + DAY,
  attentionTries: 0,
  shown: undefined,
  via: 'link',
  items: [],
  ...change,
});

const linkOf = (key: string, change: Partial<NewLink> = {}): NewLink => ({
  checkoutId: `chk_${key}`,
  ...order,
  linkId: `link-${key}`,
  correlationId: `corr-${key}`,
  url: `https://links.example/${key}`,
  qrCode: 'iVBORw0KGgo=',
  delivery: 'sms',
  createdAt: START,
  expiresAt: START + DAY,
  attentionAt: START + 2_000,
  ...change,
});

/** Creates a link as a prime does. */
async function make(store: Store, key: string, change: Partial<NewLink> = {}): Promise<void> {
  expect(await store.beginPrime(begin(key))).toEqual({ kind: 'begun' });
  await store.finishPrime({
    key,
    attempt: { id: `att_${key}`, state: 'accepted' },
    now: START,
    end: { checkout: checkout(key), link: linkOf(key, change) },
    linkOf: order,
  });
}

const join = (key: string, change: Partial<JoinLink> = {}): JoinLink => {
  const { attempt, fingerprint, now } = begin(key);
  return { key, fingerprint, attempt, order, checkoutId: 'chk_a', now, ...change };
};

describe.each(databaseKinds)('links on $name', (kind) => {
  const opened = async () => (await kind.migrated()).open();

  test('reads back a link with all fields, and one whose response was lost', async () => {
    const store = await opened();
    await make(store, 'a');
    const { attentionAt, ...made } = linkOf('a');
    const kept = { ...made, attentionAt, state: 'waiting', progress: '', changedAt: START };
    expect(await store.findLink('chk_a')).toEqual({ ...kept, attentionTries: 0 });
    expect((await store.findCheckout('chk_a'))?.via).toBe('link');
    expect(await store.findLinksOfOrder(order)).toHaveLength(1);

    const other = { ...order, merchantOrderId: 'order-2' };
    await store.beginPrime(begin('b', { order: other }));
    const lost = { linkId: undefined, url: undefined, qrCode: undefined, delivery: undefined };
    await store.finishPrime({
      key: 'b',
      attempt: { id: 'att_b', state: 'unknown' },
      now: START,
      end: {
        problem: { code: 'outcome-unknown' },
        lost: { checkout: checkout('b', other), link: linkOf('b', { ...other, ...lost }) },
      },
      linkOf: other,
    });
    expect(await store.findLink('chk_b')).toMatchObject(lost);
    expect(await store.findIdempotency('b')).toMatchObject({
      problem: { code: 'outcome-unknown' },
      checkoutId: undefined,
    });
    await store.hurryLink('chk_b', START + 1, 'link-found');
    expect(await store.findLink('chk_b')).toMatchObject({
      linkId: 'link-found',
      attentionAt: START + 1,
    });
  });

  test("lets one of many concurrent requests create an order's link", async () => {
    const place = await kind.migrated();
    const one = place.open();
    const two = place.open();
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? one : two).beginPrime(begin(`k${index}`)),
      ),
    );
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'link-taken')).toHaveLength(9);
    // The key of a refused request stays unused.
    const index = begun.findIndex(({ kind }) => kind === 'link-taken');
    expect(await one.findIdempotency(`k${index}`)).toBeUndefined();
  });

  test('holds an order only while its link is active or its lender is deciding', async () => {
    const store = await opened();
    await make(store, 'a');
    const at = (key: string, now: number) => store.beginPrime(begin(key, { now }));
    expect(await at('b', START + DAY - 1)).toEqual({ kind: 'link-taken' });
    const set = { status: 'pending' } as const;
    await store.changeCheckout({ id: 'chk_a', revision: 1, now: START, set });
    expect(await at('c', START + 2 * DAY)).toEqual({ kind: 'link-taken' });
    const ended = { status: 'declined' } as const;
    await store.changeCheckout({ id: 'chk_a', revision: 2, now: START, set: ended });
    expect(await at('d', START + 1)).toEqual({ kind: 'begun' });
  });

  test.each(['released', 'refused'] as const)(
    'releases an order whose link was %s',
    async (how) => {
      const store = await opened();
      await store.beginPrime(begin('a'));
      await store.finishPrime({
        key: 'a',
        attempt: { id: 'att_a', state: how === 'released' ? 'not-sent' : 'rejected' },
        now: START,
        end: how === 'released' ? how : { problem: { code: 'service-rejected' } },
        linkOf: order,
      });
      expect(await store.beginPrime(begin('b'))).toEqual({ kind: 'begun' });
    },
  );

  test('releases an order whose companion died once its claim has expired', async () => {
    const store = await opened();
    await store.beginPrime(begin('a'));
    expect(await store.beginPrime(begin('b', { now: START + 29_999 }))).toEqual({
      kind: 'link-taken',
    });
    expect(await store.beginPrime(begin('b', { now: START + 30_000 }))).toEqual({ kind: 'begun' });
    // The first companion responds late: the second one's claim stays.
    await store.finishPrime({
      key: 'a',
      attempt: { id: 'att_a', state: 'rejected' },
      now: START,
      end: { problem: { code: 'service-rejected' } },
      linkOf: order,
    });
    expect(await store.findLinkClaim(order)).toMatchObject({ attemptId: 'att_b' });
  });

  test('joins a key once, and never a key with its own response', async () => {
    const store = await opened();
    await make(store, 'a');
    expect(await store.joinLink(join('b'))).toBe('joined');
    expect(await store.joinLink(join('b'))).toBe('known');
    expect(await store.joinLink(join('a'))).toBe('known');
    expect(await store.findIdempotency('b')).toMatchObject({
      checkoutId: 'chk_a',
      attemptId: 'joined',
      state: 'finished',
    });
  });

  test('joins of all companions stay within the budget of the order, and leave no row above it', async () => {
    const place = await kind.migrated();
    const stores = [place.open(), place.open()] as const;
    await make(stores[0], 'a');
    const budget = { openCheckouts: 1, primes: 5, since: START - 600_000 };
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].joinLink(join(`b${index}`, { budget })),
      ),
    );
    // The prime that created the link is one of the five.
    expect(ends.filter((end) => end === 'joined')).toHaveLength(4);
    expect(ends.filter((end) => end === 'above-budget')).toHaveLength(8);
    for (const [index, end] of ends.entries()) {
      const row = await stores[0].findIdempotency(`b${index}`);
      expect(row?.checkoutId).toBe(end === 'joined' ? 'chk_a' : undefined);
    }
    const prime = begin('c', { link: undefined, budget: { ...budget, openCheckouts: 0 } });
    expect(await stores[1].beginPrime(prime)).toMatchObject({ kind: 'above-budget' });
  });

  describe('messages', () => {
    const message = (change: Partial<LinkMessage['budget']> = {}, more: object = {}) => ({
      recipients: ['digest-1'],
      sender: 'sandbox till',
      budget: {
        recipient: { limit: 5, since: START - DAY },
        token: { limit: 0, since: START - 3_600_000 },
        ...change,
      },
      ...more,
    });
    const send = (store: Store, name: string, of: LinkMessage, now = START) =>
      store.beginPrime(
        begin(name, { order: { ...order, merchantOrderId: name }, message: of, now }),
      );

    test.each([
      ['recipient', message()],
      [
        'token',
        message({
          recipient: { limit: 0, since: START - DAY },
          token: { limit: 5, since: START - 3_600_000 },
        }),
      ],
    ])('from all companions stay within the budget of a %s', async (of, each) => {
      const place = await kind.migrated();
      const stores = [place.open(), place.open()] as const;
      const ends = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          send(stores[index % 2 === 0 ? 0 : 1], `order-${index}`, each),
        ),
      );
      expect(ends.filter((end) => end.kind === 'begun')).toHaveLength(5);
      const freeAt = START + (of === 'recipient' ? DAY : 3_600_000);
      const refused = ends.filter((end) => end.kind !== 'begun');
      expect(refused).toEqual(Array(7).fill({ kind: 'messages-spent', of, freeAt }));
      for (const [index, end] of ends.entries()) {
        const row = await stores[0].findIdempotency(`order-${index}`);
        expect(row === undefined).toBe(end.kind !== 'begun');
      }
    });

    test('are found under the digest of any key, and do not count after the window', async () => {
      const store = await opened();
      const one = { recipient: { limit: 1, since: START - DAY } };
      expect((await send(store, 'a', message(one))).kind).toBe('begun');
      const rotated = message(one, { recipients: ['digest-2', 'digest-1'] });
      expect((await send(store, 'b', rotated)).kind).toBe('messages-spent');
      const later = message({ recipient: { limit: 1, since: START } });
      expect((await send(store, 'c', later, START + DAY)).kind).toBe('begun');
    });

    test('are removed once they no longer count', async () => {
      const store = await opened();
      const one = message({ recipient: { limit: 1, since: START - DAY } });
      await send(store, 'a', one);
      const cutoffs = { keys: 0, refusals: 0, messages: 0, checkouts: 0, attempts: 0 };
      expect(await store.prune({ ...cutoffs, linkMessages: START }, 10)).toBe(0);
      expect((await send(store, 'b', one)).kind).toBe('messages-spent');
      expect(await store.prune({ ...cutoffs, linkMessages: START + 1 }, 10)).toBe(1);
      expect((await send(store, 'b', one)).kind).toBe('begun');
    });
  });

  test('is found by its id and by its correlation id, only in its environment', async () => {
    const store = await opened();
    await make(store, 'a');
    const find = (
      linkId?: string,
      correlationId?: string,
      environment: 'sandbox' | 'uat' = 'sandbox',
    ) => store.findLinkOf(environment, { linkId, correlationId });
    for (const found of [
      await find('link-a'),
      await find(undefined, 'link-a'),
      await find(undefined, 'corr-a'),
      await find('unknown', 'corr-a'),
    ]) {
      expect(found?.checkoutId).toBe('chk_a');
    }
    expect(await find('link-a', 'corr-a', 'uat')).toBeUndefined();
    expect(await find('corr-a')).toBeUndefined();
    expect(await find()).toBeUndefined();
  });

  test('is read by one companion at a time, and keeps a read that was rescheduled to an earlier time', async () => {
    const place = await kind.migrated();
    const [one, two] = [place.open(), place.open()];
    await make(one, 'a');
    expect(await one.dueLinks('sandbox', START + 1_999, 10)).toEqual([]);
    expect(await one.dueLinks('uat', START + 2_000, 10)).toEqual([]);
    expect(await two.dueLinks('sandbox', START + 2_000, 10)).toEqual(['chk_a']);
    const claims = await Promise.all(
      [one, two].map((store) => store.claimLinkAttention('chk_a', START + 2_000, START + 9_000)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    await two.hurryLink('chk_a', START + 3_000);
    const seen = { progress: 'Accessed', changedAt: START + 1, attentionTries: 0 };
    const set = { ...seen, state: 'opened' as const, attentionAt: START + 99_000 };
    await one.updateLink('chk_a', START + 9_000, set);
    expect(await one.findLink('chk_a')).toMatchObject({ ...seen, attentionAt: START + 3_000 });
    await one.updateLink('chk_a', START + 3_000, { ...set, attentionAt: undefined });
    expect((await one.findLink('chk_a'))?.attentionAt).toBeUndefined();
  });

  test('stores each second confirmation once', async () => {
    const store = await opened();
    const put = (applicationId: string, seenAt: number) =>
      store.putSecondConfirmation('chk_a', { applicationId, seenAt });
    expect(await put('application-2', START)).toBe(true);
    expect(await put('application-2', START + 1)).toBe(false);
    expect(await put('application-3', START + 2)).toBe(true);
    expect(await store.findSecondConfirmations('chk_a')).toEqual([
      { applicationId: 'application-2', seenAt: START },
      { applicationId: 'application-3', seenAt: START + 2 },
    ]);
  });

  test('is deleted after its checkout, and its claim before the checkout', async () => {
    const store = await opened();
    await make(store, 'a');
    const before = {
      keys: 0,
      refusals: 0,
      linkMessages: 0,
      messages: 0,
      checkouts: 0,
      attempts: 0,
    };
    const late = START + 100 * DAY;
    await store.prune({ ...before, checkouts: late }, 100);
    expect(await store.findLink('chk_a')).toBeDefined();
    const set = { status: 'expired', attentionAt: undefined } as const;
    await store.changeCheckout({ id: 'chk_a', revision: 1, now: START, set });
    await store.prune({ ...before, keys: late }, 100);
    expect(await store.findLinkClaim(order)).toBeUndefined();
    for (const message of await store.claimDeliveries('sandbox', START, START + 1, 10)) {
      await store.finishDelivery(message.id, message.tries, { kind: 'delivered' }, START);
    }
    await store.prune({ ...before, checkouts: late }, 100);
    await store.prune({ ...before, checkouts: late }, 100);
    expect(await store.findLink('chk_a')).toBeUndefined();
  });

  test('is part of the trace of its checkout', async () => {
    const store = await opened();
    await make(store, 'a');
    await store.putSecondConfirmation('chk_a', { applicationId: 'application-2', seenAt: START });
    expect(await store.trace('chk_a')).toMatchObject({
      link: { linkId: 'link-a', state: 'waiting' },
      secondConfirmations: [{ applicationId: 'application-2' }],
    });
  });
});
