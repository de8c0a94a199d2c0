import { describe, expect, test } from 'vitest';
import { fundingsSchema } from '@financing-checkout/contract/back-office';
import { type OrderedItem, orderedItemSchema } from '@financing-checkout/contract/storefront';
import { createCompanion as createApis } from '../companion.ts';
import { BACK_OFFICE_TOKEN, createCompanion } from '../companion.fixture.ts';
import { charged, networkError } from '../scripted-service.fixture.ts';

const REPORT = 'GET /v2/post-sale/fundings/report';

const record = (status: string, more: object = {}) => ({
  status,
  fundedAt: '2026-11-20',
  updatedAt: '2026-11-20T10:00:00Z',
  lenderName: 'Harbour Bank',
  transactionType: 'Settle',
  transactionAmount: 274.99,
  discountAmount: 8.25,
  netAmount: 266.74,
  firstName: 'Ada',
  lastName: 'Quill',
  email: 'ada.quill@example.com',
  aFieldOfTomorrow: 1,
  ...more,
});
const page = (...records: object[]) => ({ status: 200, body: { records } });
const statuses = (body: unknown) => fundingsSchema.parse(body).records.map(({ status }) => status);

describe('fundings', () => {
  const all = page(
    record('RECONCILED'),
    record('MISSING'),
    record('ORIGINAL_TRANSACTION_MISSING'),
    record('A_STATUS_OF_TOMORROW'),
  );

  test.each(['', '?showMissing=false', '?showMissing=0'])(
    'specification 4 rule 1: hides missing transactions without showMissing ("%s"), even if the service sends them',
    async (query) => {
      const companion = await createCompanion();
      companion.service.on(REPORT, all, page());
      const { body } = await companion.office(`/fundings/report${query}`);
      expect(statuses(body)).toEqual(['RECONCILED', 'A_STATUS_OF_TOMORROW']);
      expect(companion.service.calls[0]?.query.get('showMissing')).toBe('false');
    },
  );

  test('specification 4 rule 2: returns missing transactions with showMissing', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, all, page());
    const { body } = await companion.office('/fundings/report?showMissing=true');
    expect(statuses(body)).toHaveLength(4);
    expect(companion.service.calls[0]?.query.get('showMissing')).toBe('true');
  });

  test('specification 4 rule 3: passes on mismatches of the report and UNRECONCILED records', async () => {
    const companion = await createCompanion();
    companion.service
      .on(REPORT, page(record('TYPE_MISMATCH'), record('AMOUNT_MISMATCH')), page())
      .on('GET /v1/post-sale/fundings/records', page(record('UNRECONCILED')), page())
      .on('GET /v2/post-sale/fundings/records', page(record('UNRECONCILED')), page());
    const report = await companion.office('/fundings/report');
    expect(statuses(report.body)).toEqual(['TYPE_MISMATCH', 'AMOUNT_MISMATCH']);
    for (const version of ['1', '2']) {
      const { body } = await companion.office(`/fundings/records?version=${version}`);
      expect(statuses(body)).toEqual(['UNRECONCILED']);
    }
  });

  test('states money in exact minor units and contains no name or e-mail address', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, page(record('RECONCILED')), page());
    const { body } = await companion.office('/fundings/report');
    expect(fundingsSchema.parse(body).records[0]).toMatchObject({
      transactionAmount: { value: 27_499, currency: 'USD' },
      discountAmount: { value: 825, currency: 'USD' },
      netAmount: { value: 26_674, currency: 'USD' },
    });
    expect(JSON.stringify(body)).not.toMatch(/ada|quill/i);
  });

  test('uses the currency of a known order', async () => {
    const companion = await createCompanion();
    await companion.open('key-1', { currency: 'JPY' });
    const yen = { transactionAmount: 274, discountAmount: 8, netAmount: 266 };
    companion.service.on(
      REPORT,
      page(record('RECONCILED', { ...yen, merchantOrderId: ' order-1001 ' })),
      page(),
    );
    const { body } = await companion.office('/fundings/report');
    const [funding] = fundingsSchema.parse(body).records;
    expect(funding?.transactionAmount).toEqual({ value: 274, currency: 'JPY' });
    expect(funding).not.toHaveProperty('currencyAssumed');
  });

  test('uses the default currency for an unknown order and marks it as assumed', async () => {
    const companion = await createCompanion({ defaultCurrency: 'JPY' });
    const yen = { transactionAmount: 274, discountAmount: 8, netAmount: 266 };
    companion.service.on(REPORT, page(record('RECONCILED', yen)), page());
    const { body } = await companion.office('/fundings/report');
    const [funding] = fundingsSchema.parse(body).records;
    expect(funding?.transactionAmount).toEqual({ value: 274, currency: 'JPY' });
    expect(funding?.currencyAssumed).toBe(true);
  });

  test('never rounds an amount with too many decimals, and still returns the other records', async () => {
    const companion = await createCompanion();
    const odd = record('RECONCILED', { netAmount: 266.745, merchantOrderId: 'A-7' });
    companion.service.on(REPORT, page(odd, record('RECONCILED')), page());
    const { status, body } = await companion.office('/fundings/report');
    expect([status, statuses(body)]).toEqual([200, ['RECONCILED']]);
    const reason = 'netAmount cannot be represented in USD (amount-too-precise)';
    expect(fundingsSchema.parse(body)).toMatchObject({
      unreadable: [{ at: 0, merchantOrderId: 'A-7', reason }],
      unreadableCount: 1,
    });
  });

  test('names an unreadable record and its invalid fields', async () => {
    const companion = await createCompanion();
    const odd = record('RECONCILED', { updatedAt: undefined });
    companion.service.on(REPORT, page(record('RECONCILED'), odd), page());
    const { body } = await companion.office('/fundings/report');
    const reason = 'updatedAt is missing or invalid';
    expect(fundingsSchema.parse(body)).toMatchObject({
      records: [{ status: 'RECONCILED' }],
      unreadable: [{ at: 1, reason }],
    });
    expect(JSON.stringify(body)).not.toMatch(/\bada|quill/i);
  });

  test('lists at most one hundred unreadable records', async () => {
    const companion = await createCompanion();
    const odd = Array.from({ length: 250 }, () => record('RECONCILED', { netAmount: 1.001 }));
    companion.service.on(REPORT, page(...odd), page());
    const { body } = await companion.office('/fundings/report');
    const { records, unreadable, unreadableCount } = fundingsSchema.parse(body);
    expect([records.length, unreadable?.length, unreadableCount]).toEqual([0, 100, 250]);
  });

  test('reads all pages of the period, even if a page is shorter than its limit', async () => {
    const companion = await createCompanion();
    const ids = Array.from({ length: 1_501 }, (_, index) => `transaction-${index}`);
    companion.service.on(REPORT, ({ query }) => {
      const offset = Number(query.get('offset'));
      const records = ids.slice(offset, offset + Math.min(600, Number(query.get('limit'))));
      return page(...records.map((transactionId) => record('RECONCILED', { transactionId })));
    });
    const { body } = await companion.office('/fundings/report?from=2026-11-01&to=2026-11-30');
    const found = fundingsSchema.parse(body).records.map(({ transactionId }) => transactionId);
    expect(found).toEqual(ids);
    expect(companion.service.calls[0]?.query.get('fromDate')).toBe('2026-11-01');
    expect(companion.service.calls[0]?.query.get('toDate')).toBe('2026-11-30');
  });

  test('includes both ends of the period, so that start and end may be equal', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, page());
    const moment = '2026-11-01T00:00:00Z';
    const { status } = await companion.office(`/fundings/report?from=${moment}&to=${moment}`);
    expect(status).toBe(200);
  });

  test('stops if the service ignores the offset, and returns no record twice', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, page(record('RECONCILED')));
    expect(statuses((await companion.office('/fundings/report')).body)).toHaveLength(1);
  });

  test('aborts the response after a failure, so that it does not look complete', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, page(record('RECONCILED')), { status: 403, text: '' });
    const response = await companion.backOffice.request('/fundings/report', {
      headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}` },
    });
    await expect(response.text()).rejects.toThrow();
    expect(companion.log.map(({ event }) => event)).toContain('fundings-cut-off');
  });

  test('retries a GET as long as a retry can succeed', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, { status: 503, text: '' }, page(record('RECONCILED')), page());
    const pending = companion.office('/fundings/report');
    await expect.poll(() => (companion.clock.advance(1), companion.service.calls.length)).toBe(3);
    expect((await pending).status).toBe(200);
  });

  test('refuses a period that ends before it starts', async () => {
    const companion = await createCompanion();
    const path = '/fundings/records?from=2026-11-02&to=2026-11-01';
    expect((await companion.office(path)).status).toBe(400);
    expect(companion.service.calls).toHaveLength(0);
  });
});

test('lists the checkouts of an order without a charge, newest first', async () => {
  const companion = await createCompanion();
  const first = await companion.open('key-1');
  companion.clock.advance(1);
  const second = await companion.open('key-2');
  const { body } = await companion.office('/checkouts?merchantOrderId=order-1001');
  const { checkouts } = body as { checkouts: { checkoutId: string }[] };
  expect(checkouts.map(({ checkoutId }) => checkoutId)).toEqual([second, first]);
  expect(JSON.stringify(body)).not.toMatch(/session|token/);
});

test('lists a checkout with the items of its order', async () => {
  const companion = await createCompanion();
  await companion.open('key-1');
  const { body } = await companion.office('/checkouts?merchantOrderId=order-1001');
  const { checkouts } = body as { checkouts: { items?: OrderedItem[] }[] };
  const items = checkouts[0]?.items ?? [];
  expect(items.length).toBeGreaterThan(0);
  for (const item of items) {
    expect(Object.keys(item)).toEqual(['name', 'sku', 'price', 'quantity']);
    expect(orderedItemSchema.safeParse(item).success).toBe(true);
  }
});

test('lists the checkouts of an application', async () => {
  const companion = await createCompanion();
  const id = await companion.open('key-1');
  const { body, headers } = await companion.office('/checkouts?applicationId=application-1');
  const { checkouts } = body as { checkouts: { checkoutId: string }[] };
  expect(checkouts.map(({ checkoutId }) => checkoutId)).toEqual([id]);
  expect(headers.get('financing-environment')).toBe('sandbox');
  expect((await companion.office('/checkouts?applicationId=application')).body).toEqual({
    checkouts: [],
  });
  for (const query of ['', '?merchantOrderId=1&applicationId=2', '?applicationId=']) {
    expect((await companion.office(`/checkouts${query}`)).status).toBe(400);
  }
});

test('lists checkouts with a charge before the others', async () => {
  const companion = await createCompanion({ orderBudgets: { openCheckouts: 0, primes: 0 } });
  companion.service.on('POST /v2/post-sale/charges', charged);
  const list = async (query = '') => {
    const path = `/checkouts?merchantOrderId=order-1001${query}`;
    const { body } = await companion.office(path);
    return body as { checkouts: { checkoutId: string; status: string }[]; next?: string };
  };
  const paid = await companion.open('key-0');
  for (let index = 1; index <= 103; index++) {
    companion.clock.advance(index % 3);
    await companion.open(`key-${index}`);
  }
  await companion.confirm(paid);
  const first = await list();
  expect(first.checkouts[0]).toMatchObject({ checkoutId: paid, status: 'approved' });
  expect(first.checkouts).toHaveLength(100);
  const last = await list(`&after=${first.next}`);
  expect(last.checkouts).toHaveLength(4);
  expect(last.next).toBeUndefined();
  const ids = [...first.checkouts, ...last.checkouts].map(({ checkoutId }) => checkoutId);
  expect(new Set(ids).size).toBe(104);
  expect(await list('&after=chk_unknown')).toEqual({ checkouts: [] });
  expect((await companion.office('/checkouts?merchantOrderId=1&after=x')).status).toBe(400);
});

test('refuses an invalid default currency at creation', async () => {
  const { options } = await createCompanion();
  expect(() => createApis({ ...options, defaultCurrency: 'EURO' }).backOffice).toThrow(/ISO 4217/);
});

test('answers 503 with a reason while the service is down', async () => {
  const companion = await createCompanion();
  companion.service.on(REPORT, networkError('ENOTFOUND'));
  const pending = companion.office('/fundings/report');
  await expect.poll(() => (companion.clock.advance(1), companion.service.calls.length)).toBe(3);
  expect((await pending).body.code).toBe('service-unavailable');
});
