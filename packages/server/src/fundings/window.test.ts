import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  digest,
  historyService,
  seeded,
  wireHistory,
  wireRecord,
  type WireRecord,
} from './history.fixture.ts';
import { recordsOfDay } from './slice.ts';
import { createWindows, type FetchPage, WindowError, type WindowSettings } from './window.ts';

const settings: WindowSettings = { zone: 'UTC', pageSize: 10, overlap: 3, maxPasses: 4 };
const day = '2026-03-02';
const midnight = `${day}T00:00:00.000Z`;
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => wireRecord(index, midnight));

const read = (
  { fetchPage }: { fetchPage: FetchPage },
  change: Partial<WindowSettings> = {},
  of = day,
) => createWindows({ fetchPage, digest, settings: { ...settings, ...change } }).read(of);

function references(records: Iterable<{ raw: string }>): string[] {
  return truth(Array.from(records, ({ raw }) => JSON.parse(raw) as WireRecord));
}

function truth(records: readonly WireRecord[]): string[] {
  return records.map(({ lenderReferenceId }) => String(lenderReferenceId)).sort();
}

describe('a window is read to its end', () => {
  test.each([0, 1, 3, 9, 10, 11, 17, 18, 100])('with %i records', async (count) => {
    const window = await read(historyService(many(count)));
    expect(window.days.get(day) ?? []).toHaveLength(count);
    expect(window.passes).toBe(2);
  });

  test('of a service that gives fewer than asked for', async () => {
    const window = await read(historyService(many(57), { cap: 4 }));
    expect(window.days.get(day)).toHaveLength(57);
  });

  test('in whatever order the service has them', async () => {
    const random = seeded(3);
    const rank = new Map<unknown, number>();
    const rankOf = (record: WireRecord) => {
      if (!rank.has(record.lenderReferenceId)) rank.set(record.lenderReferenceId, random());
      return rank.get(record.lenderReferenceId) ?? 0;
    };
    const order = (one: WireRecord, other: WireRecord) => rankOf(one) - rankOf(other);
    const window = await read(historyService(many(57), { order }));
    expect(window.days.get(day)).toHaveLength(57);
  });
});

test('a second pass whose pages are the same to the byte asks once less', async () => {
  const service = historyService(many(15));
  const window = await read(service);
  // Two pages with records and one that proves the end; then the two again.
  expect(service.calls).toBe(5);
  expect(window.overlaps).toBe(3 + 3);
});

test.each([
  ['that is empty', 0, 1],
  ['whose last page is full', 10, 2],
])('a window %s is asked for as a whole twice', async (name, count, pages) => {
  const service = historyService(many(count));
  expect(name && (await read(service)).days.get(day)?.length).toBe(count || undefined);
  expect(service.calls).toBe(2 * pages);
});

test('where other pages came than before, the end is asked for again', async () => {
  const order = (one: WireRecord, other: WireRecord) =>
    String(one.lenderReferenceId).localeCompare(String(other.lenderReferenceId));
  const service = historyService(many(6), { cap: 4, order });
  service.before = (call) => {
    // Of the second pass: its second page is as full as a page gets, and there is more behind it.
    if (call === 4) service.records = many(10);
    return undefined;
  };
  const window = await read(service, { overlap: 1 });
  expect(references(window.days.get(day) ?? [])).toEqual(truth(service.records));
});

test('a page that voided a pass is not taken for the end of the next one', async () => {
  const service = historyService(many(30), { cap: 6 });
  service.before = (call) => {
    // One row more, and gone again: the pages before are the same to the byte.
    if (call === 3) service.records = [...many(30), wireRecord(99, midnight)];
    if (call === 4) service.records = many(30);
    return undefined;
  };
  const window = await read(service);
  expect(references(window.days.get(day) ?? [])).toEqual(truth(service.records));
});

test('a page that does not agree with the one before voids the pass', async () => {
  const service = historyService(many(30));
  service.before = (call) => {
    // Newest first: one more row pushes the others down between two pages.
    if (call === 2) service.records = [...service.records, wireRecord(99, midnight)];
    return undefined;
  };
  const window = await read(service);
  expect(references(window.days.get(day) ?? [])).toEqual(truth(service.records));
  expect(window.passes).toBeGreaterThan(2);
});

test('oldest first and a row that goes away: no old row is missed without a word', async () => {
  const service = historyService(many(60), {
    order: (one, other) =>
      String(one.lenderReferenceId).localeCompare(String(other.lenderReferenceId)),
  });
  service.before = (call) => {
    if (call === 3) service.records = service.records.slice(4);
    return undefined;
  };
  const window = await read(service);
  expect(references(window.days.get(day) ?? [])).toEqual(truth(service.records));
});

test('as many records with another content are no proof, and the same in another order are', async () => {
  const service = historyService(many(5));
  service.before = (call) => {
    // From the second pass on.
    if (call === 3) service.records = [...many(4), wireRecord(9, midnight)];
    return undefined;
  };
  const window = await read(service);
  expect(window.passes).toBe(3);
  expect(references(window.days.get(day) ?? [])).toEqual(truth(service.records));
  let turned = 1;
  const order = (one: WireRecord, other: WireRecord) =>
    turned * String(one.transactionId).localeCompare(String(other.transactionId));
  const restless = historyService(many(5), { order });
  restless.before = (call) => {
    turned = call <= 2 ? 1 : -1;
    return undefined;
  };
  expect((await read(restless)).passes).toBe(2);
});

test('rows that never stand still prove nothing: that is said', async () => {
  const service = historyService(many(5));
  service.before = (call) => {
    service.records = [...service.records, wireRecord(100 + call, midnight)];
    return undefined;
  };
  await expect(read(service)).rejects.toMatchObject({ state: 'unproven' });
});

test('a service that does not know offset proves nothing, instead of being read for ever', async () => {
  const service = historyService(many(10));
  const { fetchPage } = service;
  const deaf = {
    fetchPage: (query: Parameters<typeof fetchPage>[0]) => fetchPage({ ...query, offset: 0 }),
  };
  await expect(read(deaf)).rejects.toMatchObject({ state: 'unproven' });
});

test('an answer that fails ends the window with its reason', async () => {
  const service = historyService(many(10));
  service.before = () => ({ kind: 'failed', reason: 'timeout' });
  await expect(read(service)).rejects.toEqual(new WindowError('failed', 'timeout'));
});

test.each([
  ['text', 'not json'],
  ['another shape', '[]'],
  ['records that are no list', '{"records":{}}'],
  ['bytes that are no UTF-8', '\u0000'],
])('%s in place of a page fails it after some tries', async (name, text) => {
  const bytes = name.startsWith('bytes')
    ? Uint8Array.of(0xff, 0xfe)
    : new TextEncoder().encode(text);
  const service = historyService([]);
  service.before = () => ({ kind: 'page', bytes });
  await expect(read(service)).rejects.toMatchObject({ state: 'failed', reason: 'unreadable' });
  expect(service.calls).toBe(3);
});

describe('days of the service that are not ours', () => {
  const records = [
    ...wireHistory(400, '2026-02-27', 7),
    wireRecord(901, '2026-03-01T23:59:59.999Z'),
    wireRecord(902, '2026-03-02T23:59:59.999Z'),
    wireRecord(903, '2026-03-02T23:59:58.000Z'),
  ];
  const mine = records.filter(({ fundedAt }) => fundedAt.startsWith(day));

  /** The three windows that may hold a part of the day, put together. */
  async function together(fetchPage: FetchPage) {
    const windows = [];
    for (const near of ['2026-03-01', day, '2026-03-03']) {
      windows.push(await read({ fetchPage }, { pageSize: 50 }, near));
    }
    return recordsOfDay(windows.map((window) => window.days.get(day) ?? []));
  }

  test.each([-14, -5, -1, 0, 1, 5.5, 14])('%d hours off', async (hours) => {
    const found = await together(historyService(records, { shift: hours * 3_600_000 }).fetchPage);
    expect(references(found)).toEqual(truth(mine));
  });

  test.each([
    ['ends that are not counted in', 1],
    ['ends that are counted in', 0],
  ])('%s', async (_, inward) => {
    const { fetchPage } = historyService(records);
    const found = await together((query) =>
      fetchPage({
        ...query,
        from: new Date(Date.parse(query.from) + inward).toISOString(),
        to: new Date(Date.parse(query.to) - inward).toISOString(),
      }),
    );
    expect(references(found)).toEqual(truth(mine));
  });

  test('a service that looks at the dates alone', async () => {
    const { fetchPage } = historyService(records);
    const found = await together((query) =>
      fetchPage({
        ...query,
        from: `${query.from.slice(0, 10)}T00:00:00.000Z`,
        to: `${query.to.slice(0, 10)}T00:00:00.000Z`,
      }),
    );
    expect(references(found)).toEqual(truth(mine));
  });
});

test('property: what two agreeing passes have is what was there at one moment of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.record({ call: fc.integer({ min: 1, max: 12 }), add: fc.boolean() }), {
        maxLength: 4,
      }),
      async (count, changes) => {
        const service = historyService(many(count));
        const states: string[][] = [];
        const note = () => states.push(truth(service.records));
        note();
        let next = 500;
        service.before = (call) => {
          for (const change of changes) {
            if (change.call !== call) continue;
            service.records = change.add
              ? [...service.records, wireRecord(next++, midnight)]
              : service.records.slice(1);
            note();
          }
          return undefined;
        };
        const window = await read(service, { maxPasses: 8 });
        expect(states).toContainEqual(references(window.days.get(day) ?? []));
      },
    ),
    { numRuns: 200 },
  );
});
