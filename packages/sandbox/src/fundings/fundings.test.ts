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

const report = '/v2/post-sale/fundings/report';
const all = `${report}?showMissing=true`;
const v1 = '/v1/post-sale/fundings/records';
const v2 = '/v2/post-sale/fundings/records';
const advance = (duration: string) => test.control('POST', '/clock', { advance: duration });
const statuses = async (path: string) => (await records(test, path)).map(({ status }) => status);

describe('funding', () => {
  it('arrives when the clock passes the next day, not before', async () => {
    await charge(test, { settle: true });
    await advance('8h');
    expect(await records(test)).toEqual([]);
    await advance('1h');
    expect(await records(test)).toHaveLength(1);
  });

  it('is reconciled with every documented field; net is amount minus discount', async () => {
    const chargeId = await charge(test, { settle: true, merchantTransactionId: 'mt-7' });
    await advance('1d');
    const [record] = await records(test);
    expect(record).toMatchObject({
      status: 'RECONCILED',
      fundedAt: '2026-03-07T00:00:00.000Z',
      lenderName: 'Quillmoor Finance',
      transactionType: 'Settle',
      transactionAmount: 1015.11,
      // 2.9% of 1015.11 is 29.43819.
      discountAmount: 29.44,
      netAmount: 985.67,
      merchantTransactionId: 'mt-7',
      merchantOrderId: 'ORD-1',
      chargeId,
      productType: 'Installments',
      firstName: 'Ada',
      lastName: 'Quayle',
      email: 'ada@example.com',
    });
    for (const path of [v1, v2]) {
      const [legacy = {}] = await records(test, path);
      const { productType, lenderReferenceId, merchantTransactionId, ...shared } = record ?? {};
      expect([productType, lenderReferenceId, merchantTransactionId]).not.toContain(undefined);
      expect(legacy).toEqual(shared);
    }
  });

  it('of a refund returns the discount: all parts add up to zero', async () => {
    const id = await charge(test, { settle: true });
    for (const amount of [333.33, 333.33, 348.45]) {
      await test.call('POST', `/v2/post-sale/charges/${id}/refunds`, { body: { amount } });
    }
    await advance('1d');
    const parts = await records(test);
    expect(parts).toHaveLength(4);
    const cents = parts.reduce((sum, { transactionType, discountAmount }) => {
      const discount = Math.round(Number(discountAmount) * 100);
      return transactionType === 'Settle' ? sum + discount : sum - discount;
    }, 0);
    expect(cents).toBe(0);
  });

  it('arrives automatically as time passes', async () => {
    await charge(test, { settle: true });
    await test.control('POST', '/clock', { now: '2026-03-06T23:59:59.980Z' });
    expect(await records(test)).toEqual([]);
    // Each read advances the machine clock of these tests by one millisecond.
    for (let looks = 0; looks < 20; looks++) await records(test);
    expect(await records(test)).toHaveLength(1);
  });

  it('has the promotion of its checkout only in the report', async () => {
    const session = sessionBody();
    const checkoutDetails = { ...session.checkoutDetails, promoCode: 'SPRING' };
    await charge(test, { body: { ...session, checkoutDetails }, settle: true });
    await advance('1d');
    expect(await records(test)).toMatchObject([{ promoCode: 'SPRING' }]);
    for (const path of [v1, v2]) {
      expect((await records(test, path))[0]).not.toHaveProperty('promoCode');
    }
  });

  it('happens once, for any number of clock moves and reports', async () => {
    await charge(test, { settle: true });
    await advance('1d');
    const first = await records(test);
    await advance('3d');
    expect(await records(test)).toEqual(first);
  });
});

describe('missing and mismatched fundings', () => {
  it('specification 4.1: excludes MISSING without showMissing or with false', async () => {
    await test.control('POST', '/fundings', { amount: 12.5 });
    for (const path of [report, v1, v2]) {
      expect(await statuses(path)).toEqual([]);
      expect(await statuses(`${path}?showMissing=false`)).toEqual([]);
    }
  });

  it('specification 4.2: includes MISSING with showMissing=true', async () => {
    await charge(test, { settle: true });
    await advance('1d');
    await test.control('POST', '/fundings', { amount: 12.5 });
    for (const path of [report, v1, v2]) {
      expect(await statuses(`${path}?showMissing=true`)).toEqual(['MISSING', 'RECONCILED']);
    }
  });

  it.each([
    ['TRUE', 1],
    ['True', 1],
    ['False', 0],
  ])('accepts showMissing=%s', async (showMissing, count) => {
    await test.control('POST', '/fundings', { amount: 12.5 });
    expect(await records(test, `${report}?showMissing=${showMissing}`)).toHaveLength(count);
  });

  it('specification 4.3, 9: TYPE_MISMATCH and AMOUNT_MISMATCH are UNRECONCILED in the records', async () => {
    await charge(test, { settle: true, merchantTransactionId: 'mt-1' });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=mt-1';
    const { id: transactionId } = (await test.call('GET', lookup)).body;
    await test.control('POST', '/fundings', { transactionId, amount: 1015.1 });
    await advance('1s');
    await test.control('POST', '/fundings', {
      transactionId,
      amount: 1015.11,
      transactionType: 'Refund',
    });
    expect(await statuses(report)).toEqual(['TYPE_MISMATCH', 'AMOUNT_MISMATCH']);
    expect(await statuses(v1)).toEqual(['UNRECONCILED', 'UNRECONCILED']);
    expect(await statuses(v2)).toEqual(['UNRECONCILED', 'UNRECONCILED']);
  });

  it('specification 5.5: a transaction of another environment is unknown', async () => {
    await charge(test, { settle: true, merchantTransactionId: 'mt-1' });
    const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=mt-1';
    const { id: transactionId } = (await test.call('GET', lookup)).body;
    const { baseUrl, privateKey } = test.environment('uat');
    const wanted = { environment: 'uat', transactionId, amount: 1015.11 };
    await test.control('POST', '/fundings', wanted);
    const authorization = `Bearer ${privateKey}`;
    const { body } = await test.call('GET', all, { baseUrl, authorization });
    expect(body.records).toMatchObject([{ status: 'MISSING', transactionDate: null }]);
    expect(JSON.stringify(body)).not.toContain('ORD-1');
  });

  it('an unexpected refund is CHARGEBACK in the records', async () => {
    await charge(test, { settle: true });
    await test.control('POST', '/fundings', {
      merchantOrderId: 'ORD-1',
      amount: 1015.11,
      transactionType: 'Refund',
    });
    expect(await statuses(v1)).toEqual(['CHARGEBACK']);
    expect(await statuses(report)).toEqual(['ORIGINAL_TRANSACTION_MISSING']);
  });
});

describe('paging', () => {
  it.each([
    ['each at its own time', false],
    ['all at midnight', true],
  ])(
    'shows each record once when pages are read in sequence, reread or skipped, newest first: %s',
    async (_, frozen) => {
      await test.control('POST', '/clock', { now: '2026-03-07T00:00:00Z', frozen });
      for (let index = 0; index < 7; index++) {
        await test.control('POST', '/fundings', { amount: index + 1 });
        if (!frozen) await advance('1h');
      }
      const whole = await records(test, all);
      expect(whole.map(({ transactionAmount }) => transactionAmount)).toEqual([
        7, 6, 5, 4, 3, 2, 1,
      ]);
      for (const offsets of [
        [0, 3, 6],
        [6, 3, 0],
        // Overlaps the previous page, as a careful client would.
        [0, 2, 4, 1],
      ]) {
        for (const offset of offsets) {
          const page = `${report}?showMissing=true&limit=3&offset=${offset}`;
          expect(await records(test, page)).toEqual(whole.slice(offset, offset + 3));
        }
      }
      expect(await records(test, `${report}?showMissing=true&offset=7`)).toEqual([]);
    },
  );

  it('shifts when a record arrives between two pages', async () => {
    for (const amount of [1, 2]) {
      await test.control('POST', '/fundings', { amount });
      await advance('1h');
    }
    const page = (offset: number) =>
      records(test, `${report}?showMissing=true&limit=1&offset=${offset}`);
    const [first] = await page(0);
    await test.control('POST', '/fundings', { amount: 3 });
    expect(await page(1)).toEqual([first]);
  });

  it('limits the funding date with inclusive bounds; a date without a time means the whole day', async () => {
    await test.control('POST', '/clock', { now: '2026-03-06T23:59:59Z', frozen: true });
    await test.control('POST', '/fundings', { amount: 1 });
    await test.control('POST', '/clock', { now: '2026-03-07T00:00:00Z' });
    await test.control('POST', '/fundings', { amount: 2 });
    const amounts = async (bounds: string) =>
      (await records(test, `${report}?showMissing=true&${bounds}`)).map(
        ({ transactionAmount }) => transactionAmount,
      );
    expect(await amounts('toDate=2026-03-06')).toEqual([1]);
    expect(await amounts('fromDate=2026-03-07')).toEqual([2]);
    expect(await amounts('fromDate=2026-03-06&toDate=2026-03-07')).toEqual([2, 1]);
    expect(await amounts('toDate=2026-03-07T01:00:00%2B01:00')).toEqual([2, 1]);
  });

  it('has no maximum for limit', async () => {
    await test.control('POST', '/fundings', { amount: 1 });
    for (const limit of [10_001, 2_147_483_647]) {
      expect(await records(test, `${report}?showMissing=true&limit=${limit}`)).toHaveLength(1);
    }
  });

  it.each([
    'offset=-1',
    'offset=1.5',
    'limit=0',
    'limit=abc',
    'limit=2147483648',
    'showMissing=yes',
    'fromDate=yesterday',
    'toDate=2026-02-30',
    'toDate=2026-99-99',
    'toDate=0',
  ])('returns 400 for %s', async (query) => {
    const answer = await test.call('GET', `${report}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      requestId: expect.any(String) as unknown,
      message: expect.stringContaining(query.split('=')[0] ?? '') as unknown,
    });
  });
});
