import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  details,
  discard,
  prime,
  startTestSandbox,
  statusOf,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

type Visit = Awaited<ReturnType<typeof prime>>['visit'];

const set = async (body: object) => {
  const answer = await test.control('POST', '/outcomes', body);
  expect(answer.body).not.toHaveProperty('error');
  return answer.body;
};
const state = async (applicationId: string) =>
  (await statusOf(test, applicationId)).applicationStatus;
const apply = (visit: Visit, lastName = details.lastName) =>
  test.form('/checkout/details', { ...visit, ...details, lastName });
const confirm = (visit: Visit) =>
  test.form('/checkout/confirm', { ...visit, offer: 'QUI-999-12', agree: 'yes' });
const resolve = (applicationId: string, decision: string) =>
  test.control('POST', '/outcomes/resolve', { applicationId, decision });

describe('an outcome of the control API', () => {
  it.each([
    ['approve', 'Prequalified'],
    ['decline', 'Declined'],
    ['more-information', 'PendingConsumer'],
    ['merchant-review', 'PendingMerchant'],
    ['expire', 'Expired'],
  ])('%s decides the next application only', async (outcome, expected) => {
    await set({ outcome });
    const first = await prime(test);
    await apply(first.visit);
    expect(await state(first.applicationId)).toBe(expected);
    const second = await prime(test);
    await apply(second.visit);
    expect(await state(second.applicationId)).toBe('Prequalified');
  });

  it('overrides the last name', async () => {
    await set({ outcome: 'approve' });
    const { visit, applicationId } = await prime(test);
    await apply(visit, 'Decline');
    expect(await state(applicationId)).toBe('Prequalified');
  });

  it('decides one application, and the latest outcome for it wins', async () => {
    const first = await prime(test);
    const second = await prime(test);
    await set({ outcome: 'expire', applicationId: second.applicationId });
    await set({ outcome: 'decline', applicationId: second.applicationId });
    await set({ outcome: 'more-information', next: 1 });
    await apply(second.visit);
    await apply(first.visit);
    expect(await state(second.applicationId)).toBe('Declined');
    expect(await state(first.applicationId)).toBe('PendingConsumer');
  });

  it('decides the next n applications, optionally of one environment', async () => {
    await set({ outcome: 'expire', environment: 'uat' });
    await set({ outcome: 'decline', next: 2 });
    const states = [];
    for (let count = 0; count < 3; count += 1) {
      const { visit, applicationId } = await prime(test);
      await apply(visit);
      states.push(await state(applicationId));
    }
    expect(states).toEqual(['Declined', 'Declined', 'Prequalified']);
    expect((await test.control('GET', '/outcomes')).body.outcomes).toMatchObject([
      { outcome: 'expire', environment: 'uat', next: 1 },
    ]);
  });

  it('can be cleared', async () => {
    await set({ outcome: 'decline', next: 5 });
    expect((await test.control('DELETE', '/outcomes')).body).toEqual({ cleared: 1 });
    const { visit, applicationId } = await prime(test);
    await apply(visit);
    expect(await state(applicationId)).toBe('Prequalified');
  });

  it.each([
    [{ outcome: 'maybe' }, 400, /outcome/],
    [{ outcome: 'decline', next: 0 }, 400, /next/],
    [{ outcome: 'decline', next: 1, applicationId: 'x' }, 400, /not both/],
    [{ outcome: 'decline', after: '1h' }, 400, /are for pending/],
    [{ outcome: 'pending-approve', after: 'later' }, 400, /duration/],
    [{ outcome: 'decline', applicationId: 'unknown' }, 404, /no application/],
  ])('%j is refused', async (body, status, message) => {
    const answer = await test.control('POST', '/outcomes', body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(message);
  });

  it('cannot be set for a decided application', async () => {
    const { visit, applicationId } = await prime(test);
    await apply(visit, 'Decline');
    const answer = await test.control('POST', '/outcomes', { outcome: 'approve', applicationId });
    expect([answer.status, answer.body.error]).toEqual([
      409,
      'the application is Declined: its outcome cannot be changed any more',
    ]);
  });
});

describe('pending after confirmation', () => {
  const pending = async (decision = 'pending-approve') => {
    await set({ outcome: decision, after: '10m' });
    const checkout = await prime(test);
    const offers = await apply(checkout.visit);
    expect(offers.html).toContain('name="offer"');
    const page = await confirm(checkout.visit);
    expect(page.outcome).toEqual({ type: 'ended', reason: 'pending' });
    expect(await state(checkout.applicationId)).toBe('PendingLender');
    return checkout;
  };

  it('is later approved, with a token for one charge', async () => {
    const { visit, applicationId } = await pending();
    await test.control('POST', '/clock', { advance: '9m' });
    expect(await state(applicationId)).toBe('PendingLender');
    await test.control('POST', '/clock', { advance: '2m' });
    expect(await state(applicationId)).toBe('Approved');
    const { outcome } = await test.hosted(visit);
    expect(outcome?.type).toBe('confirmed');
    const body = { confirmationToken: outcome?.confirmationToken };
    const made = await test.call('POST', '/v2/post-sale/charges', { body });
    expect(made).toMatchObject({ status: 201, body: { applicationId, totalAmount: 1015.11 } });
    expect((await test.call('POST', '/v2/post-sale/charges', { body })).status).toBe(400);
  });

  it('is later declined', async () => {
    const { visit, applicationId } = await pending('pending-decline');
    await test.control('POST', '/clock', { advance: '11m' });
    expect(await state(applicationId)).toBe('Declined');
    expect((await test.hosted(visit)).outcome).toEqual({ type: 'ended', reason: 'declined' });
  });

  it.each([
    ['approved', 'Approved'],
    ['declined', 'Declined'],
  ])('can be %s now, once', async (decision, expected) => {
    const { applicationId } = await pending();
    expect((await resolve(applicationId, decision)).body).toEqual({
      applicationId,
      status: expected,
    });
    expect(await state(applicationId)).toBe(expected);
    expect((await resolve(applicationId, decision)).status).toBe(409);
    // The due decision is not applied a second time.
    await test.control('POST', '/clock', { advance: '1h' });
    expect(await state(applicationId)).toBe(expected);
  });

  it.each([
    ['PendingConfirm', 'Approved'],
    ['PendingConfirmDecline', 'Declined'],
  ])('by the last name %s: %s an hour later', async (lastName, expected) => {
    const { visit, applicationId } = await prime(test);
    await apply(visit, lastName);
    expect((await confirm(visit)).outcome).toEqual({ type: 'ended', reason: 'pending' });
    await test.control('POST', '/clock', { advance: '61m' });
    expect(await state(applicationId)).toBe(expected);
  });

  it('survives a restart', async () => {
    const other = await startTestSandbox();
    await other.control('POST', '/outcomes', { outcome: 'pending-approve' });
    const { visit, applicationId } = await prime(other);
    await other.form('/checkout/details', { ...visit, ...details });
    await other.stop();
    const again = await startTestSandbox(other.dataDir);
    await again.form('/checkout/confirm', { ...visit, offer: 'TAM-0-6', agree: 'yes' });
    await again.control('POST', '/outcomes/resolve', { applicationId, decision: 'approved' });
    expect((await again.hosted(visit)).outcome?.type).toBe('confirmed');
    await discard(again);
  });
});

describe('pending before there are offers', () => {
  it('leads to the offers after approval, without a token', async () => {
    await set({ outcome: 'pending-approve', stage: 'application' });
    const { visit, applicationId } = await prime(test);
    expect((await apply(visit)).outcome).toEqual({ type: 'ended', reason: 'pending' });
    expect((await resolve(applicationId, 'approved')).body.status).toBe('Prequalified');
    expect((await test.hosted(visit)).html).toContain('name="offer"');
    expect((await confirm(visit)).outcome?.type).toBe('confirmed');
  });

  it.each(['MoreInformation', 'MerchantReview'])(
    '%s: resolves to an approval, and expires after a week',
    async (lastName) => {
      const [first, second] = [await prime(test), await prime(test)];
      await apply(first.visit, lastName);
      await apply(second.visit, lastName);
      expect((await resolve(first.applicationId, 'approved')).body.status).toBe('Prequalified');
      await test.control('POST', '/clock', { advance: '8d' });
      expect(await state(second.applicationId)).toBe('Expired');
    },
  );

  it.each([
    ['unknown', 404],
    ['', 400],
  ])('resolving %j returns %d', async (applicationId, status) => {
    expect((await resolve(applicationId, 'approved')).status).toBe(status);
  });
});
