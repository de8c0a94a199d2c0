import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { fundingStatuses } from '@financing-checkout/contract/plain';
import { wireRecord } from './history.fixture.ts';
import { contentNames } from '../analytics/content.ts';
import { readPage } from './page.ts';
import { stagePages } from './record-sql.ts';
import { openStage } from './window.fixture.ts';

const at = '2026-03-01T00:00:00.000Z';
let open: Awaited<ReturnType<typeof openStage>>;

beforeAll(async () => {
  open = await openStage();
});
afterAll(() => open.close());

interface Staged {
  record: Record<string, string | number | null>;
  text: string;
}

/** Loads a page and returns its records in order. */
async function stagedText(page: string, zone = 'UTC'): Promise<Staged[]> {
  const read = readPage(new TextEncoder().encode(page), {
    calendar: new Calendar(zone),
  });
  if (!read) throw new Error('It is no page.');
  const { stage } = open;
  const table = await stage.table();
  await stage.files.with([{ name: 'page', content: read.content }], async ([path = '']) => {
    await stage.rows(stagePages(table, [{ id: 1, path, longest: read.longest, common: 0 }]));
  });
  const names = contentNames.filter((name) => name !== 'ordinal').join(', ');
  const rows = await stage.rows(
    `select to_json(r)::varchar from (select ${names} from ${table} order by place) r`,
  );
  await stage.drop(table);
  return rows.map(([text]) => ({
    record: JSON.parse(String(text)) as Staged['record'],
    text: String(text),
  }));
}

const staged = (records: unknown[], zone?: string) => stagedText(JSON.stringify({ records }), zone);

async function one(change: Record<string, unknown>): Promise<Staged> {
  const [record] = await staged([wireRecord(1, at, change)]);
  if (!record) throw new Error('There is no record.');
  return record;
}

describe('identifies a record', () => {
  test('by the lender’s reference and the type, with any characters', async () => {
    for (const lenderReferenceId of ['LR-1', 'L R 1']) {
      const settle = await one({ lenderReferenceId });
      const other = await one({ lenderReferenceId, transactionId: 'other' });
      expect(other.record.identity).toBe(settle.record.identity);
      const refund = await one({ lenderReferenceId, transactionType: 'Refund' });
      expect(refund.record.identity).not.toBe(settle.record.identity);
    }
  });

  test('as changed when an undocumented field changes, regardless of field order', async () => {
    const plain = await one({});
    const [north, turned] = [
      { storeRegion: 'north', batch: 7 },
      { batch: 7, storeRegion: 'north' },
    ];
    const first = (await one(north)).record.hash;
    expect(first).not.toBe(plain.record.hash);
    expect((await one(turned)).record.hash).toBe(first);
    expect((await one({ ...north, batch: 8 })).record.hash).not.toBe(first);
  });

  test('as unchanged next to records in an undocumented form', async () => {
    const alone = await one({});
    const others = [
      7,
      wireRecord(2, '2026-03-01'),
      wireRecord(3, at, { status: 5 }),
      wireRecord(4, at, { more: 1 }),
    ];
    const [beside] = await staged([wireRecord(1, at), ...others]);
    expect(beside?.text).toBe(alone.text);
  });

  test('as unchanged with whitespace around an id, a numeric id, or three representations of absence', async () => {
    const plain = await one({ transactionId: '17' });
    expect((await one({ transactionId: '\u00a017\t' })).text).toBe(plain.text);
    expect((await one({ transactionId: 17 })).text).toBe(plain.text);
    const [none, ...others] = await Promise.all(
      [undefined, null].map((promoCode) => one({ promoCode })),
    );
    expect(others.map(({ text }) => text)).toEqual([none?.text]);
    expect((await one({ merchantOrderId: ' ' })).record.merchant_order_id).toBeNull();
  });

  test.each([
    ['lender', {}, 'r.LR-1.Settle'],
    ['service', { lenderReferenceId: undefined }, 't.txn-1.Settle'],
    ['merchant', { lenderReferenceId: '', transactionId: null }, 'm.mtx-1.Settle'],
    [
      'content itself',
      { lenderReferenceId: undefined, transactionId: undefined, merchantTransactionId: undefined },
      expect.stringMatching(/^c\.[0-9a-f]{64}$/) as string,
    ],
  ])('by the ID of the %s, under any name of the lender', async (_, left, identity) => {
    const [before, after] = [
      await one({ ...left, lenderName: 'Quillmoor' }),
      await one({ ...left, lenderName: 'Quillmoor Finance' }),
    ];
    expect([before.record.identity, after.record.identity]).toEqual([
      identity,
      before.record.identity,
    ]);
    // The content changes regardless.
    expect(after.record.hash).not.toBe(before.record.hash);
  });

  test('separately from records with other IDs, whatever characters the IDs contain', async () => {
    const id = async (lenderReferenceId: string) =>
      (await one({ lenderReferenceId })).record.identity;
    expect(await id('a:b/ü')).not.toBe(await id('a:b/ö'));
    expect(await id('a b')).toMatch(/^rh\.[0-9a-f]{64}$/);
  });
});

describe('keeps amounts in their original form', () => {
  test.each([
    ['12.3400000000000000001', '12.3400000000000000001'],
    ['12.34000000000000000000', '12.34000000000000000000'],
    ['12345678901234567890.5e2', '12345678901234567890.5e2'],
    ['604.89', '604.89'],
    ['"604.89"', '604.89'],
    ['-1.5', '-1.5'],
    ['1e400', '1e400'],
    ['true', null],
    ['{"value":"Ada"}', null],
  ])('%s', async (written, expected) => {
    const { fundedAt, ...record } = wireRecord(1, at);
    const json = JSON.stringify({ ...record, fundedAt }).replace(
      /"transactionAmount":[^,]*/,
      `"transactionAmount":${written}`,
    );
    const [found] = await stagedText(`{"records":[${json}]}`);
    expect(found?.record.transaction_text).toBe(expected);
    expect(found?.record.net_text).toBe('98.51');
    expect(found?.text).not.toContain('Ada');
  });
});

test.each([...fundingStatuses, 'SOMETHING_NEW', ''])(
  'keeps the status %s (specification 4.3 and 9)',
  async (status) => {
    expect((await one({ status })).record).toMatchObject({ status, record_problem: null });
  },
);

describe('reads dates', () => {
  test.each([
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:11:12Z', '2026-03-01T10:11:12.000Z'],
    ['2026-03-01T10:11:12.123456Z', '2026-03-01T10:11:12.123Z'],
    ['2026-03-01', '2026-03-01T05:00:00.000Z'],
    ['2026-03-01 08:30', '2026-03-01T13:30:00.000Z'],
    ['2026-03-01T08:30:00+02:00', '2026-03-01T06:30:00.000Z'],
  ])('%s of New York as %s', async (text, expected) => {
    const [found] = await staged([wireRecord(1, text)], 'America/New_York');
    const time = Date.parse(expected);
    expect(found?.record).toMatchObject({
      funded_at: time,
      updated_at: time,
      transaction_date: time,
      record_problem: null,
    });
  });
});

describe('names the field that puts a record into quarantine, without its value', () => {
  test.each([
    [{ status: 5 }, 'status is missing'],
    [{ transactionType: null }, 'transactionType is missing'],
    [
      { transactionId: 'x'.repeat(2_000) },
      'transactionId is too long, or contains a NUL or a lone surrogate',
    ],
    [{ lenderName: 'a\u0000b' }, 'lenderName is too long, or contains a NUL or a lone surrogate'],
    [{ transactionDate: 'never' }, 'transactionDate is not a date'],
    [{ transactionDate: 'infinity' }, 'transactionDate is not a date'],
    [{ updatedAt: '2026-02-30T00:00:00.000Z' }, 'updatedAt is not a date'],
    [{ updatedAt: undefined }, 'updatedAt is missing'],
    // In UTC, the date is in the year 10000, which clients would not accept as a date.
    [{ updatedAt: '9999-12-31T23:59:59-05:00' }, 'updatedAt is not a date'],
    [{ fundedAt: null }, 'fundedAt is not a date between the years 2000 and 2999'],
    [
      { fundedAt: '1999-12-31T23:59:59.999Z' },
      'fundedAt is not a date between the years 2000 and 2999',
    ],
    [{ transactionDate: 7 }, null],
  ])('%j', async (change, problem) => {
    expect((await one(change)).record.record_problem).toBe(problem);
  });
});

describe('keeps no names and e-mail addresses', () => {
  const person = {
    firstName: 'Ada',
    lastName: 'Quill',
    email: 'Ada.Quill@example.com',
    consumerEmail: 'x@example.com',
    mobilePhoneNumber: '5550100',
    billingAddress: { line1: '1 Main' },
    extra: { note: 'kept', consumerName: 'Ada', deep: [{ email: 'x@example.com', n: 1 }] },
  };

  test('from undocumented fields at any depth, while other changes count as changes', async () => {
    const record = await one({ ...person, storeRegion: 'north' });
    expect(record.text).not.toMatch(/Ada|Quill|@|5550100|Main/);
    const { hash } = record.record;
    const { extra } = person;
    expect((await one({ ...person, storeRegion: 'south' })).record.hash).not.toBe(hash);
    expect(
      (await one({ ...person, storeRegion: 'north', extra: { ...extra, note: 'new' } })).record
        .hash,
    ).not.toBe(hash);
    const renamed = { ...person, lastName: 'Other', extra: { ...extra, consumerName: 'Bea' } };
    expect((await one({ ...renamed, storeRegion: 'north' })).record.hash).toBe(hash);
  });

  test.each([
    ...['borrowerName', 'applicantName', 'coApplicant_name', 'shopperName', 'buyerName'],
    ...['accountHolderName', 'contact_name', 'userName', 'borrower', 'applicant', 'shopper', 'dob'],
  ])('in the field %s, which a lender may use', async (name) => {
    const [first, other] = [await one({ [name]: 'Ada' }), await one({ [name]: 'Bea' })];
    expect(first.text).toBe(other.text);
  });
});
