import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  discard,
  records,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const all = '/v2/post-sale/fundings/report?showMissing=true';
const legacy = '/v1/post-sale/fundings/records?showMissing=true';
const advance = (duration: string) => test.control('POST', '/clock', { advance: duration });
const fault = (body: object) => test.control('POST', '/funding-faults', body);
const settled = (options: object = {}) => charge(test, { settle: true, ...options });
const stateOf = async (id: string) =>
  (await test.call('GET', `/v2/post-sale/charges/${id}`)).body.state;
const refund = (id: string, amount: number) =>
  test.call('POST', `/v2/post-sale/charges/${id}/refunds`, { body: { amount } });
const column = (rows: Record<string, unknown>[], ...names: string[]) =>
  rows.map((row) => names.map((name) => row[name]));

describe('chargebacks and reversals', () => {
  it('are lender transactions, funded like any other', async () => {
    const chargeId = await settled();
    const taken = await test.control('POST', '/chargebacks', { chargeId });
    expect(taken).toMatchObject({
      status: 201,
      body: { chargeState: 'ChargedBack', type: 'Chargeback', amount: 1015.11 },
    });
    const given = await test.control('POST', '/reversals', { merchantOrderId: 'ORD-1' });
    expect(given.body).toMatchObject({ chargeState: 'Settled', type: 'Reversal' });
    await advance('1d');
    for (const path of [all, legacy]) {
      const rows = await records(test, path);
      expect(column(rows, 'transactionType', 'status', 'transactionAmount')).toEqual([
        ['Reversal', 'RECONCILED', 1015.11],
        ['Chargeback', 'RECONCILED', 1015.11],
        ['Settle', 'RECONCILED', 1015.11],
      ]);
      // The lender returns the discount with a chargeback, and keeps it with a reversal.
      expect(new Set(rows.map((row) => row.discountAmount))).toEqual(new Set([29.44]));
    }
  });

  it('may be partial: the state stays unchanged, because no state value exists for this', async () => {
    const chargeId = await settled();
    await test.control('POST', '/chargebacks', { chargeId, amount: 15.11 });
    expect(await stateOf(chargeId)).toBe('SETTLED');
    await refund(chargeId, 500);
    await test.control('POST', '/chargebacks', { chargeId });
    expect(await stateOf(chargeId)).toBe('CHARGEDBACK');
    expect((await refund(chargeId, 1)).status).toBe(400);
    await test.control('POST', '/reversals', { chargeId, amount: 100 });
    expect(await stateOf(chargeId)).toBe('SETTLED_PARTIALLY_REFUNDED');
  });

  it('are unknown refunds if the service was not notified', async () => {
    const chargeId = await settled();
    const body = { chargeId, amount: 10, announced: false };
    expect((await test.control('POST', '/chargebacks', body)).status).toBe(201);
    expect(await stateOf(chargeId)).toBe('SETTLED');
    expect(column(await records(test, legacy), 'status', 'transactionType')).toEqual([
      ['CHARGEBACK', 'Refund'],
    ]);
    expect(column(await records(test, all), 'status')).toEqual([['ORIGINAL_TRANSACTION_MISSING']]);
  });

  it.each([
    ['/chargebacks', { merchantOrderId: 'nobody' }, 404],
    ['/chargebacks', {}, 400],
    ['/chargebacks', { merchantOrderId: 'ORD-1', chargeId: 'x' }, 400],
    ['/chargebacks', { merchantOrderId: 'ORD-1', amount: 1015.12 }, 409],
    ['/chargebacks', { merchantOrderId: 'ORD-1', amount: 0.001 }, 400],
    ['/chargebacks', { merchantOrderId: 'ORD-1', amount: -1 }, 400],
    ['/reversals', { merchantOrderId: 'ORD-1' }, 409],
  ])('%s refuses %j with %d', async (path, body, status) => {
    await settled();
    const answer = await test.control('POST', path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toEqual(expect.stringMatching(/.{10}/));
  });
});

describe('mistakes of a lender', () => {
  /** Adds one fault and funds a settle of 1015.11 with a discount of 29.44. */
  const fundedWith = async (planted: object | string) => {
    const merchantOrderId = 'ORD-1';
    expect((await fault({ merchantOrderId, fault: planted })).status).toBe(201);
    await settled();
    await advance('1d');
  };
  const shown = (path: string) =>
    records(test, path).then((rows) =>
      column(rows, 'status', 'transactionType', 'transactionAmount', 'discountAmount', 'netAmount'),
    );

  it.each([
    [
      { kind: 'wrong-amount', by: -111 },
      ['AMOUNT_MISMATCH', 'UNRECONCILED'],
      ['Settle', 1014, 29.44, 984.56],
    ],
    ['wrong-type', ['TYPE_MISMATCH', 'UNRECONCILED'], ['Refund', 1015.11, 29.44, 985.67]],
    [
      { kind: 'wrong-type', as: 'Chargeback' },
      ['TYPE_MISMATCH', 'UNRECONCILED'],
      ['Chargeback', 1015.11, 29.44, 985.67],
    ],
    ['unknown-transaction', ['MISSING', 'MISSING'], ['Settle', 1015.11, 29.44, 985.67]],
    [
      { kind: 'unknown-transaction', names: 'order' },
      ['ORIGINAL_TRANSACTION_MISSING', 'MISSING'],
      ['Settle', 1015.11, 29.44, 985.67],
    ],
    [
      { kind: 'wrong-discount', basisPoints: 1000 },
      ['RECONCILED', 'RECONCILED'],
      ['Settle', 1015.11, 101.51, 913.6],
    ],
    [
      { kind: 'net-mismatch', by: 1 },
      ['RECONCILED', 'RECONCILED'],
      ['Settle', 1015.11, 29.44, 985.68],
    ],
  ])('%j', async (planted, [status, legacyStatus], values) => {
    await fundedWith(planted);
    expect(await shown(all)).toEqual([[status, ...values]]);
    expect(await shown(legacy)).toEqual([[legacyStatus, ...values]]);
    const hidden = legacyStatus === 'MISSING';
    for (const path of [all, legacy]) {
      expect(await records(test, path.replace('true', 'false'))).toHaveLength(hidden ? 0 : 1);
    }
  });

  it('split: parts that add up to the whole, each an AMOUNT_MISMATCH', async () => {
    await fundedWith({ kind: 'split', parts: 3 });
    expect(await shown(all)).toEqual([
      ['AMOUNT_MISMATCH', 'Settle', 338.37, 9.82, 328.55],
      ['AMOUNT_MISMATCH', 'Settle', 338.37, 9.81, 328.56],
      ['AMOUNT_MISMATCH', 'Settle', 338.37, 9.81, 328.56],
    ]);
    expect(new Set(column(await records(test, all), 'lenderReferenceId').flat()).size).toBe(3);
  });

  it('duplicate: the same funding again, under new references', async () => {
    await fundedWith('duplicate');
    const rows = await records(test, all);
    expect(column(rows, 'status', 'transactionAmount')).toEqual(
      Array(2).fill(['RECONCILED', 1015.11]),
    );
    expect(new Set(column(rows, 'transactionId').flat()).size).toBe(1);
    expect(new Set(column(rows, 'lenderReferenceId').flat()).size).toBe(2);
  });

  it('never-funded: no funding, ever', async () => {
    await fundedWith('never-funded');
    await advance('30d');
    expect(await records(test, all)).toEqual([]);
  });

  it('refund-not-taken and discount-kept apply to a refund', async () => {
    await fault({ fault: 'refund-not-taken' });
    await fault({ fault: 'discount-kept' });
    const id = await settled();
    await refund(id, 100);
    await refund(id, 50);
    await advance('1d');
    expect(await shown(all)).toEqual([
      ['RECONCILED', 'Refund', 50, 0, 50],
      ['RECONCILED', 'Settle', 1015.11, 29.44, 985.67],
    ]);
  });

  it('wrong-amount: reports at least one minor unit', async () => {
    await fault({ fault: { kind: 'wrong-amount', by: -1_000_000 } });
    await settled();
    await advance('1d');
    expect(column(await records(test, all), 'status', 'transactionAmount')).toEqual([
      ['AMOUNT_MISMATCH', 0.01],
    ]);
  });

  it('split: pays two cents in at most two parts', async () => {
    await fault({ fault: { kind: 'split', parts: 5 } });
    await settled({ body: sessionBody(0.02) });
    await advance('1d');
    expect(column(await records(test, all), 'transactionAmount')).toEqual([[0.01], [0.01]]);
  });

  it('applies to the named charge, and funds the others at midnight', async () => {
    await settled();
    const chargeId = await settled();
    await fault({ chargeId, fault: 'never-funded', count: 2 });
    const third = await settled();
    await test.control('POST', '/clock', { now: '2026-03-07T00:00:00Z', frozen: true });
    const funded = column(await records(test, all), 'chargeId').flat();
    expect(funded).toHaveLength(2);
    expect(funded).toContain(third);
    expect(funded).not.toContain(chargeId);
  });

  it('late-change: changes updatedAt, date and name of an old record', async () => {
    const later = { kind: 'late-change', afterDays: 5, redateDays: 2, lenderName: 'Quillmoor plc' };
    await fundedWith(later);
    expect(column(await records(test, all), 'fundedAt', 'updatedAt', 'lenderName')).toEqual([
      ['2026-03-07T00:00:00.000Z', '2026-03-07T00:00:00.000Z', 'Quillmoor Finance'],
    ]);
    await advance('5d');
    for (const path of [all, legacy]) {
      expect(column(await records(test, path), 'fundedAt', 'updatedAt', 'lenderName')).toEqual([
        ['2026-03-09T00:00:00.000Z', '2026-03-12T00:00:00.000Z', 'Quillmoor plc'],
      ]);
    }
  });

  it('late-match: MISSING becomes RECONCILED, the same record', async () => {
    await fundedWith({ kind: 'late-match', afterDays: 3 });
    const [before] = await records(test, all);
    expect(before).toMatchObject({ status: 'MISSING' });
    expect(before).not.toHaveProperty('merchantOrderId');
    // The result is the same for one clock jump or many.
    await advance('30d');
    const [after, ...more] = await records(test, all.replace('true', 'false'));
    expect(more).toEqual([]);
    expect(after).toMatchObject({
      status: 'RECONCILED',
      lenderReferenceId: before?.lenderReferenceId,
      fundedAt: before?.fundedAt,
      updatedAt: '2026-03-10T00:00:00.000Z',
      merchantOrderId: 'ORD-1',
    });
  });

  it('applies the specified number of times, to the specified target, in one environment', async () => {
    await fault({ count: 2, transactionType: 'Settle', fault: 'wrong-amount' });
    await fault({ environment: 'uat', fault: 'never-funded' });
    await fault({ merchantOrderId: 'another', fault: 'never-funded' });
    const id = await settled();
    await refund(id, 10);
    await settled({ body: sessionBody(20, 'ORD-2') });
    await settled({ body: sessionBody(30, 'ORD-3') });
    await advance('1d');
    expect(column(await records(test, all), 'merchantOrderId', 'status')).toEqual([
      ['ORD-3', 'RECONCILED'],
      ['ORD-2', 'AMOUNT_MISMATCH'],
      ['ORD-1', 'RECONCILED'],
      ['ORD-1', 'AMOUNT_MISMATCH'],
    ]);
    const { body } = await test.control('GET', '/funding-faults');
    expect(body.faults).toMatchObject([
      { remaining: 0, applied: 2 },
      { remaining: 1, applied: 0 },
      { remaining: 1, applied: 0 },
    ]);
    expect((await test.control('DELETE', '/funding-faults/1')).body).toEqual({ cleared: 1 });
    expect((await test.control('DELETE', '/funding-faults/1')).status).toBe(404);
    expect((await test.control('DELETE', '/funding-faults')).body).toEqual({ cleared: 2 });
  });

  it('is rejected when it cannot apply', async () => {
    const id = await settled({ merchantTransactionId: 'mt-1' });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=mt-1';
    const { id: transactionId } = (await test.call('GET', lookup)).body;
    expect((await fault({ transactionId, fault: 'duplicate' })).status).toBe(201);
    await advance('1d');
    expect(await records(test, all)).toHaveLength(2);
    expect((await fault({ chargeId: id, fault: 'duplicate' })).status).toBe(201);
    for (const [body, status] of [
      [{ transactionId, fault: 'duplicate' }, 409],
      [{ transactionId: 'x', fault: 'duplicate' }, 404],
      [{ chargeId: 'x', fault: 'duplicate' }, 404],
      [{ fault: 'nonsense' }, 400],
      [{ fault: 'wrong-discount' }, 400],
      [{ fault: { kind: 'wrong-amount', by: 0 } }, 400],
      [{ fault: { kind: 'split', parts: 1 } }, 400],
      [{ fault: { kind: 'duplicate', parts: 2 } }, 400],
      [{ count: 0, fault: 'duplicate' }, 400],
      [{}, 400],
    ] as const) {
      expect([body, (await fault(body)).status]).toEqual([body, status]);
    }
  });
});

describe('a change of a posted funding', () => {
  const change = (body: object) => test.control('POST', '/funding-changes', body);

  it('is stored, and the funding is matched again', async () => {
    await settled();
    await advance('1d');
    const merchantOrderId = 'ORD-1';
    const answer = await change({
      merchantOrderId,
      change: { transactionAmount: 1000, netAmount: 1, fundedAt: '2026-03-01T00:00:00Z' },
    });
    expect(answer.body).toEqual({ changed: 1 });
    expect(await records(test, all)).toMatchObject([
      {
        status: 'AMOUNT_MISMATCH',
        transactionAmount: 1000,
        netAmount: 1,
        fundedAt: '2026-03-01T00:00:00.000Z',
        updatedAt: expect.stringMatching(/^2026-03-07T15/) as unknown,
      },
    ]);
    await change({ merchantOrderId, change: { transactionAmount: 1015.11, netAmount: null } });
    expect(await records(test, all)).toMatchObject([{ status: 'RECONCILED', netAmount: 985.67 }]);
    expect((await change({ merchantOrderId, remove: true })).body).toEqual({ changed: 1 });
    expect(await records(test, all)).toEqual([]);
  });

  it('matches a MISSING funding', async () => {
    await settled({ merchantTransactionId: 'mt-1' });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=mt-1';
    const { id: transactionId } = (await test.call('GET', lookup)).body;
    await test.control('POST', '/fundings', { amount: 1015.11 });
    const [missing] = await records(test, all);
    const lenderReferenceId = missing?.lenderReferenceId;
    await change({ lenderReferenceId, change: { transactionId } });
    expect(await records(test, all)).toMatchObject([{ status: 'RECONCILED', lenderReferenceId }]);
  });

  it('posts an undocumented type, but not arbitrary text', async () => {
    await settled();
    const posting = { merchantOrderId: 'ORD-1', amount: 12.5, transactionType: 'Adjustment' };
    const refused = { ...posting, transactionType: 'no "type"' };
    expect((await test.control('POST', '/fundings', refused)).status).toBe(400);
    expect((await test.control('POST', '/fundings', posting)).status).toBe(201);
    const posted = await records(test, all);
    expect(column(posted, 'transactionType', 'transactionAmount')).toContainEqual([
      'Adjustment',
      12.5,
    ]);
  });

  it('has the currency of the named funding, unless it specifies another', async () => {
    await settled({ body: sessionBody(1500, 'ORD-Y', 'JPY'), merchantTransactionId: 'mt-y' });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=mt-y';
    const { id: transactionId } = (await test.call('GET', lookup)).body;
    await test.control('POST', '/fundings', { transactionId, amount: 1500 });
    const named = { transactionId: 'unheard-of', merchantOrderId: 'ORD-Y', amount: 1.5 };
    expect((await test.control('POST', '/fundings', named)).status).toBe(400);
    const inDollars = { ...named, currency: 'USD' };
    expect((await test.control('POST', '/fundings', inDollars)).status).toBe(201);
    expect(column(await records(test, all), 'status', 'transactionAmount')).toEqual([
      ['ORIGINAL_TRANSACTION_MISSING', 1.5],
      ['RECONCILED', 1500],
    ]);
  });

  it('removes a funding with a pending change', async () => {
    await fault({ fault: { kind: 'late-change', afterDays: 2 } });
    await settled();
    await advance('1d');
    expect((await change({ merchantOrderId: 'ORD-1', remove: true })).body).toEqual({ changed: 1 });
    await advance('5d');
    expect(await records(test, all)).toEqual([]);
  });

  it('leaves one funding per reference when another replaces it', async () => {
    await test.control('POST', '/clock', { frozen: true });
    for (const amount of [1, 2]) await test.control('POST', '/fundings', { amount });
    const [, first] = await records(test, all);
    await change({ lenderReferenceId: first?.lenderReferenceId, remove: true });
    await test.control('POST', '/fundings', { amount: 3 });
    const rows = await records(test, all);
    expect(column(rows, 'transactionAmount')).toEqual([[3], [2]]);
    expect(new Set(column(rows, 'lenderReferenceId').flat()).size).toBe(2);
  });

  it.each([
    [{ merchantOrderId: 'nobody', remove: true }, 404],
    [{ merchantOrderId: 'ORD-1' }, 400],
    [{ remove: true }, 400],
    [{ merchantOrderId: 'ORD-1', remove: true, change: {} }, 400],
    [{ merchantOrderId: 'ORD-1', change: {} }, 400],
    [{ merchantOrderId: 'ORD-1', change: { transactionAmount: 0.001 } }, 400],
    [{ merchantOrderId: 'ORD-1', change: { status: 'RECONCILED' } }, 400],
  ])('refuses %j with %d', async (body, status) => {
    await settled();
    await advance('1d');
    expect((await change(body)).status).toBe(status);
  });
});

it('shifts the pages when an old record is re-dated between two pages', async () => {
  for (const [order, amount] of [
    ['ORD-1', 1],
    ['ORD-2', 2],
    ['ORD-3', 3],
  ] as const) {
    await settled({ body: sessionBody(amount, order) });
    await advance('1d');
  }
  const page = (offset: number) => records(test, `${all}&limit=1&offset=${offset}`);
  expect(column(await page(0), 'merchantOrderId')).toEqual([['ORD-3']]);
  const redated = { fundedAt: '2026-04-01T00:00:00Z' };
  await test.control('POST', '/funding-changes', { merchantOrderId: 'ORD-1', change: redated });
  expect(column(await page(1), 'merchantOrderId')).toEqual([['ORD-3']]);
});

describe('the terms of a lender', () => {
  const terms = (body: object) => test.control('POST', '/lenders', body);

  it('apply to later objects: the rate of charges, the lag and name of fundings', async () => {
    const before = await settled();
    const answer = await terms({
      lenderId: 'quillmoor',
      name: 'Quillmoor Pay',
      discountBasisPoints: 1_000,
      fundingLagDays: 3,
    });
    expect(answer.body).toEqual({
      id: 'quillmoor',
      name: 'Quillmoor Pay',
      discountBasisPoints: 1_000,
      fundingLagDays: 3,
      taxLeftOut: 'none',
    });
    const after = await settled();
    await advance('1d');
    // The earlier charge keeps the old terms, and its funding has the lender's name at that time.
    expect(column(await records(test, all), 'chargeId', 'lenderName', 'discountAmount')).toEqual([
      [before, 'Quillmoor Pay', 29.44],
    ]);
    await advance('2d');
    const rows = await records(test, all);
    const discounts = new Map(
      rows.map(({ chargeId, discountAmount }) => [chargeId, discountAmount]),
    );
    expect(discounts).toEqual(
      new Map([
        [before, 29.44],
        [after, 101.51],
      ]),
    );
  });

  it('return the discount of a refund at the rate of its charge', async () => {
    const chargeId = await settled();
    await terms({ lenderId: 'quillmoor', discountBasisPoints: 0 });
    await refund(chargeId, 1015.11);
    await advance('1d');
    expect(column(await records(test, all), 'transactionType', 'discountAmount').sort()).toEqual([
      ['Refund', 29.44],
      ['Settle', 29.44],
    ]);
  });

  it('are rejected when out of range, and can be reset', async () => {
    for (const body of [
      { lenderId: 'nobody', fundingLagDays: 1 },
      { lenderId: 'quillmoor', discountBasisPoints: 10_001 },
      { lenderId: 'quillmoor', fundingLagDays: -1 },
      { lenderId: 'quillmoor', name: '' },
      { lenderId: 'quillmoor', color: 'red' },
      { lenderId: 'pennowick', taxLeftOut: 'all' },
    ]) {
      expect((await terms(body)).status).toBe(400);
    }
    await terms({ lenderId: 'quillmoor', fundingLagDays: 9 });
    const { body } = await test.control('DELETE', '/lenders');
    expect(body.lenders).toContainEqual({
      id: 'quillmoor',
      name: 'Quillmoor Finance',
      discountBasisPoints: 290,
      fundingLagDays: 1,
      taxLeftOut: 'none',
    });
  });
});
