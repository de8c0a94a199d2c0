import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { fundingStatuses } from '@financing-checkout/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyedHash } from '../node/fundings/digest.ts';
import { ZonedTime } from '../reconciliation/ledger/zoned-time.ts';
import { minorUnits } from './amounts.ts';
import { isSuspicious } from './apply-slice.ts';
import { addDays, Calendar, daysBetween } from './calendar.ts';
import { digest, wireRecord } from './history.fixture.ts';
import { parsePage } from './page.ts';
import { holdRecord, readElement, readRecord, RecordError, type WireFunding } from './record.ts';
import { fileRecords, recordsOfDay } from './slice.ts';

const utc = new Calendar('UTC');
const at = '2026-03-01T00:00:00.000Z';
const context = { calendar: utc, digest, personal: {} };

function held(record: unknown, currency = 'USD') {
  const [filed] = fileRecords('2026-03-01', [readElement(record, '2026-03-01', context)]);
  if (!filed) throw new Error('nothing was filed');
  return holdRecord(filed, currency, utc);
}

describe('what a record is known by', () => {
  const read = (change: Record<string, unknown>) =>
    readRecord({ ...wireRecord(1, at), ...change }, '2026-03-01', context);

  test('is the lender’s reference and the type, whichever characters are in it', () => {
    for (const lenderReferenceId of ['LR-1', 'L R 1']) {
      const settle = read({ lenderReferenceId });
      expect(read({ lenderReferenceId, transactionId: 'other' }).identity).toBe(settle.identity);
      const refund = read({ lenderReferenceId, transactionType: 'Refund' });
      expect(refund.identity).not.toBe(settle.identity);
    }
  });

  test('is another content with a field that nobody told us of, wherever that stands', () => {
    const plain = read({});
    const [one, other] = [
      { storeRegion: 'north', batch: 7 },
      { batch: 7, storeRegion: 'north' },
    ];
    expect(read(one).hash).not.toBe(plain.hash);
    expect(read(one).hash).toBe(read(other).hash);
    expect(read({ ...one, batch: 8 }).hash).not.toBe(read(one).hash);
  });

  test('of those with the same is the content, and not how they came', () => {
    const alike = [read({ transactionAmount: 1 }), read({ transactionAmount: 2 })];
    const filed = (records: typeof alike) =>
      fileRecords('2026-03-01', records).map(({ id, hash }) => [id, hash]);
    expect(filed(alike.toReversed())).toEqual(filed(alike));
    expect(new Set(filed(alike).map(([id]) => id)).size).toBe(2);
  });

  test('a record that two windows have is there as often as in the one that has it more often', () => {
    const record = read({});
    expect(recordsOfDay([[record, record], [record]])).toHaveLength(2);
    expect(recordsOfDay([[record], [record, record]])).toHaveLength(2);
  });
});

test('what goes away is suspicious when it is much, and more than its share', () => {
  expect(isSuspicious(5, 5, 0.2)).toBe(false);
  expect(isSuspicious(11, 11, 0.2)).toBe(true);
  expect(isSuspicious(55, 11, 0.2)).toBe(false);
  expect(isSuspicious(54, 11, 0.2)).toBe(true);
});

describe('amounts', () => {
  test('property: a number is read as its decimal text, to the cent, or refused alike', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 }).map((v) => v / 100),
          fc.double({ noNaN: true }),
          fc.integer({ min: 0, max: 100_000_000 }).map((v) => v * 0.01),
        ),
        fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'),
        (amount, currency) => {
          const attempt = (work: () => number) => {
            try {
              return work();
            } catch (error) {
              if (error instanceof MoneyError) return error.code;
              throw error;
            }
          };
          expect(attempt(() => minorUnits(amount, currency))).toBe(
            attempt(() => fromMajorUnits(amount, currency).value),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [0.1 + 0.2, 'amount-too-precise'],
    [NaN, 'amount-invalid'],
    [Infinity, 'amount-invalid'],
    [null, 'amount-invalid'],
    [{}, 'amount-invalid'],
    ['12,50', 'amount-invalid'],
    [1e15, 'amount-too-large'],
  ])('%j is not held as something else: %s', (amount, code) => {
    expect(() => minorUnits(amount, 'USD')).toThrow(expect.objectContaining({ code }) as Error);
  });

  test('digits that a double would lose are read from the text', () => {
    const text = (amount: string) =>
      new TextEncoder().encode(`{"records":[{"transactionAmount":${amount},"netAmount":1.50}]}`);
    const recordOf = (amount: string) => parsePage(text(amount))?.[0] as WireFunding | undefined;
    const record = recordOf('12.3400000000000000001');
    expect(record?.transactionAmount).toBe('12.3400000000000000001');
    expect(() => minorUnits(record?.transactionAmount, 'USD')).toThrow('more decimals');
    const long = recordOf('12.34000000000000000000');
    expect(minorUnits(long?.transactionAmount, 'USD')).toBe(1_234);
    expect(minorUnits(long?.netAmount, 'USD')).toBe(150);
  });
});

describe('specification 4.3 and 9: every status, of either vocabulary and of none', () => {
  test.each([...fundingStatuses, 'SOMETHING_NEW', ''])('%s', (status) => {
    expect(held(wireRecord(1, at, { status })).status).toBe(status);
  });
});

describe('dates', () => {
  const moments = fc.integer({ min: 0, max: 4_102_444_800_000 });
  const newYork = new Calendar('America/New_York');
  const plain = new ZonedTime('UTC');

  test('property: what is read fast is what is read slowly', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const text = new Date(moment).toISOString();
        expect(utc.read(text)).toBe(moment);
        expect(newYork.read(text)).toBe(moment);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    '2026-02-29T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2026-13-01T00:00:00.000Z',
    '2026-00-10T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-04-30T24:00:00.000Z',
    '2026-04-30T23:60:00.000Z',
    '2100-02-29T00:00:00.000Z',
    '2000-02-29T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-0a-01T00:00:00.000Z',
  ])('%s is a date, or none, the same way', (text) => {
    expect(utc.read(text)).toBe(plain.read(text));
  });

  test('a date without a zone is one of the declared zone', () => {
    expect(newYork.read('2026-03-01')).toBe(Date.UTC(2026, 2, 1, 5));
    expect(newYork.read('2026-07-01T12:00:00')).toBe(Date.UTC(2026, 6, 1, 16));
    expect(newYork.read('2026-07-01T12:00:00+02:00')).toBe(Date.UTC(2026, 6, 1, 10));
    expect(newYork.read('soon')).toBeUndefined();
  });

  test('days in which clocks are changed have 23 and 25 hours', () => {
    const hours = (day: string) =>
      (newYork.startOf(addDays(day, 1)) - newYork.startOf(day)) / 3_600_000;
    expect([hours('2026-03-08'), hours('2026-11-01'), hours('2026-03-09')]).toEqual([23, 25, 24]);
  });

  test.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'America/Havana'])(
    'property: each moment is in one day of %s, and days follow each other',
    (zone) => {
      const calendar = new Calendar(zone);
      fc.assert(
        fc.property(moments, (moment) => {
          const day = calendar.dayOf(moment);
          expect(calendar.startOf(day)).toBeLessThanOrEqual(moment);
          expect(calendar.startOf(addDays(day, 1))).toBeGreaterThan(moment);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('daysBetween has both ends', () => {
    expect(daysBetween('2024-02-28', '2024-03-01')).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ]);
  });
});

describe('names and e-mail addresses', () => {
  const person = {
    firstName: 'Ada',
    lastName: 'Quill',
    email: 'Ada.Quill@example.com',
    consumerEmail: 'x@example.com',
    mobilePhoneNumber: '5550100',
    billingAddress: { line1: '1 Main' },
    extra: { note: 'kept', consumerName: 'Ada', deep: [{ email: 'x@example.com', n: 1 }] },
  };

  test('are dropped, also from fields that are not documented; the rest is kept', () => {
    const record = { ...wireRecord(1, at), ...person, storeRegion: 'north' };
    const { raw } = readRecord(record, '2026-03-01', context);
    expect(raw).not.toMatch(/Ada|Quill|@|5550100|Main/);
    expect(JSON.parse(raw)).toMatchObject({
      extra: { note: 'kept', deep: [{ n: 1 }] },
      storeRegion: 'north',
      lenderName: 'Northway Credit',
    });
  });

  test.each([
    ...['borrowerName', 'applicantName', 'coApplicant_name', 'shopperName', 'buyerName'],
    ...['accountHolderName', 'contact_name', 'userName', 'borrower', 'applicant', 'shopper', 'dob'],
  ])('are dropped from %s, as a lender may call it', (name) => {
    const { raw } = readRecord(wireRecord(1, at, { [name]: 'Ada' }), '2026-03-01', context);
    expect(raw).not.toContain('Ada');
  });

  test('with a key they become one hash: the same for one person, and another with another key', () => {
    const hashOf = (key: string, change = {}) => {
      const record = readRecord({ ...wireRecord(1, at), ...change }, '2026-03-01', {
        ...context,
        personal: { keyedHash: keyedHash(key) },
      });
      return (JSON.parse(record.raw) as WireFunding).personHash;
    };
    expect(hashOf('k1')).toMatch(/^[\w-]{22}$/);
    expect(hashOf('k1', { email: ' ADA.QUILL@example.com' })).toBe(hashOf('k1'));
    expect(hashOf('k2')).not.toBe(hashOf('k1'));
    expect(hashOf('k1', { lastName: 'Other' })).not.toBe(hashOf('k1'));
  });

  test('a change of the name alone is no change of the funding', () => {
    const one = readRecord(wireRecord(1, at), '2026-03-01', context);
    const other = readRecord(wireRecord(1, at, { lastName: 'Other' }), '2026-03-01', context);
    expect(other.hash).toBe(one.hash);
  });
});

test.each([
  ['lender', {}],
  ['service', { lenderReferenceId: undefined }],
  ['merchant', { lenderReferenceId: undefined, transactionId: undefined }],
  [
    'nobody: its content',
    { lenderReferenceId: undefined, transactionId: undefined, merchantTransactionId: undefined },
  ],
])('a lender under another name: the funding, known by an id of the %s, is the same', (_, left) => {
  const named = (lenderName: string) =>
    readRecord(wireRecord(1, at, { ...left, lenderName }), '2026-03-01', context);
  const [before, after] = [named('Quillmoor'), named('Quillmoor Finance')];
  expect(after.identity).toBe(before.identity);
  // A change of it all the same.
  expect(after.hash).not.toBe(before.hash);
});

describe('what is not as it should be', () => {
  test.each([
    [{ status: 5 }, 'status is missing'],
    [
      { transactionId: 'x'.repeat(2_000) },
      'transactionId is too long, or holds a NUL or half a character',
    ],
    [{ lenderName: 'a\u0000b' }, 'lenderName is too long, or holds a NUL or half a character'],
    [{ transactionDate: 'never' }, 'transactionDate is not a date'],
    // In UTC it is of the year 10000, which nobody who reads an answer takes for a date.
    [{ updatedAt: '9999-12-31T23:59:59-05:00' }, 'updatedAt is not a date'],
  ])('%j is refused by the name of the field, and without its value', (change, reason) => {
    expect(() => held({ ...wireRecord(1, at), ...change })).toThrow(new RecordError(reason));
  });

  test('a record without a date keeps the day that was asked for, and says so', () => {
    const record = readRecord({ ...wireRecord(1, at), fundedAt: null }, '2026-02-03', context);
    expect(record).toMatchObject({
      day: '2026-02-03',
      unreadable: 'fundedAt is not a date, or not of the years 2000 to 2999',
    });
  });

  test('null, empty and left out ids are all no id', () => {
    for (const merchantOrderId of [null, '', undefined]) {
      const funding = held({ ...wireRecord(1, at), merchantOrderId });
      expect(funding).toMatchObject({ merchantOrderId: null, orderKey: 'funding:r.LR-1.Settle' });
    }
  });

  test('ids that hold anything are told apart all the same', () => {
    const id = (reference: string) => held(wireRecord(1, at, { lenderReferenceId: reference })).id;
    expect(id('a:b/ü')).not.toBe(id('a:b/ö'));
    expect(id('a b')).toMatch(/^2026-03-01:rh\.[\w-]{22}$/);
  });
});
