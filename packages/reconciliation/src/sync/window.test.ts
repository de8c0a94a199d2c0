import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { sha256 } from '../platform/digest.ts';
import { DayContents } from './day-content.ts';
import {
  historyService,
  seeded,
  wireHistory,
  wireRecord,
  type WireRecord,
} from './history.fixture.ts';
import type { FundingSource, PageQuery } from './source.ts';
import type { Stage } from './stage.ts';
import { WindowError } from './window.ts';
import { openStage, readWindow, referencesIn, referencesOf } from './window.fixture.ts';

const day = '2026-03-02';
const midnight = `${day}T00:00:00.000Z`;
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => wireRecord(index, midnight));

let open: Awaited<ReturnType<typeof openStage>>;
let stage: Stage;

beforeAll(async () => {
  open = await openStage();
  stage = open.stage;
});
afterAll(() => open.close());

const read = (
  service: { fetchPage: FundingSource['page'] },
  change: Parameters<typeof readWindow>[3] = {},
  of = day,
) => readWindow(stage, service, of, change);
const references = (window: Awaited<ReturnType<typeof read>>) => referencesOf(stage, window);

describe('reads a window to its end', () => {
  test.each([0, 1, 3, 9, 10, 11, 17, 18, 100])('with %i records', async (count) => {
    const window = await read(historyService(many(count)));
    expect(await references(window)).toHaveLength(count);
    expect(window).toMatchObject({ passes: 2, count });
    // A page file exists only until its records are staged.
    expect(readdirSync(join(open.folder, 'pages'))).toEqual([]);
  });

  test('from a service that returns fewer than requested', async () => {
    expect(await references(await read(historyService(many(57), { cap: 4 })))).toHaveLength(57);
  });

  test('in any sort order of the service', async () => {
    const random = seeded(3);
    const rank = new Map<unknown, number>();
    const rankOf = (record: WireRecord) => {
      if (!rank.has(record.lenderReferenceId)) rank.set(record.lenderReferenceId, random());
      return rank.get(record.lenderReferenceId) ?? 0;
    };
    const order = (one: WireRecord, other: WireRecord) => rankOf(one) - rankOf(other);
    expect(await references(await read(historyService(many(57), { order })))).toHaveLength(57);
  });
});

test('with one fewer request in a second pass with equal bytes', async () => {
  const service = historyService(many(15));
  const window = await read(service);
  // Two pages with records and one that proves the end; then the two again.
  expect(service.calls).toBe(5);
  expect(window.overlaps).toBe(3 + 3);
});

test('transfers a page a second time only if it has changed', async () => {
  const service = historyService(many(15));
  const known: (string | undefined)[] = [];
  let isChanged = false;
  const fetchPage: FundingSource['page'] = async (query) => {
    known.push(query.known);
    if (known.length === 5) isChanged = true;
    if (isChanged) service.records = many(16);
    const answer = await service.fetchPage(query);
    const isSame = answer.kind === 'page' && sha256(answer.bytes) === query.known;
    return isSame ? { kind: 'same' } : answer;
  };
  const window = await read({ fetchPage });
  expect(await references(window)).toEqual(referencesIn(many(16)));
  expect(known.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  expect(known[3]).toMatch(/^[0-9a-f]{64}$/);
  // The second pass is invalid, because a row moved between its pages.
  expect(window.passes).toBe(4);
});

test('requests smaller pages once the service refuses a large one', async () => {
  const service = historyService(many(2_500));
  const limits: number[] = [];
  const fetchPage: FundingSource['page'] = (query) => {
    limits.push(query.limit);
    return query.limit > 1_200
      ? Promise.resolve({ kind: 'refused', reason: 'service-rejected' })
      : service.fetchPage(query);
  };
  const window = await read({ fetchPage }, { pageSize: 5_000 });
  expect(await references(window)).toHaveLength(2_500);
  expect(limits.slice(0, 4)).toEqual([5_000, 2_500, 1_250, 1_000]);
  expect(limits.slice(4).every((limit) => limit === 1_000)).toBe(true);
});

test('fails with the reason when the service refuses pages of the usual size', async () => {
  const fetchPage = () => Promise.resolve({ kind: 'refused', reason: 'service-rejected' } as const);
  await expect(read({ fetchPage }, { pageSize: 1_500 })).rejects.toMatchObject({
    state: 'failed',
    reason: 'service-rejected',
  });
});

test.each([
  ['that is empty', 0, 1],
  ['whose last page is full', 10, 2],
])('requests a complete window %s twice', async (_, count, pages) => {
  const service = historyService(many(count));
  expect(await references(await read(service))).toHaveLength(count);
  expect(service.calls).toBe(2 * pages);
});

test('requests the end again after different pages', async () => {
  const order = (one: WireRecord, other: WireRecord) =>
    String(one.lenderReferenceId).localeCompare(String(other.lenderReferenceId));
  const service = historyService(many(6), { cap: 4, order });
  service.before = (call) => {
    // In the second pass, the second page is full, and more follow.
    if (call === 4) service.records = many(10);
    return undefined;
  };
  const window = await read(service, { overlap: 1 });
  expect(await references(window)).toEqual(referencesIn(service.records));
});

test('does not reuse a page of an invalid pass as the end of the next pass', async () => {
  const service = historyService(many(30), { cap: 6 });
  service.before = (call) => {
    // A row appears and disappears: the earlier pages have equal bytes.
    if (call === 3) service.records = [...many(30), wireRecord(99, midnight)];
    if (call === 4) service.records = many(30);
    return undefined;
  };
  expect(await references(await read(service))).toEqual(referencesIn(service.records));
});

test('invalidates a pass with a page that contradicts the previous one', async () => {
  const service = historyService(many(30));
  service.before = (call) => {
    // Newest first: a new row shifts the others between two pages.
    if (call === 2) service.records = [...service.records, wireRecord(99, midnight)];
    return undefined;
  };
  const window = await read(service);
  expect(await references(window)).toEqual(referencesIn(service.records));
  expect(window.passes).toBeGreaterThan(2);
});

test('misses no row when a row disappears from a service that sorts oldest first', async () => {
  const service = historyService(many(60), {
    order: (one, other) =>
      String(one.lenderReferenceId).localeCompare(String(other.lenderReferenceId)),
  });
  service.before = (call) => {
    if (call === 3) service.records = service.records.slice(4);
    return undefined;
  };
  expect(await references(await read(service))).toEqual(referencesIn(service.records));
});

test('accepts the same records in another order as proof, but not changed content', async () => {
  const service = historyService(many(5));
  service.before = (call) => {
    // From the second pass on.
    if (call === 3) service.records = [...many(4), wireRecord(9, midnight)];
    return undefined;
  };
  const window = await read(service);
  expect(window.passes).toBe(3);
  expect(await references(window)).toEqual(referencesIn(service.records));
  let turned = 1;
  const order = (one: WireRecord, other: WireRecord) =>
    turned * String(one.transactionId).localeCompare(String(other.transactionId));
  const restless = historyService(many(5), { order });
  restless.before = (call) => {
    turned = call <= 2 ? 1 : -1;
    return undefined;
  };
  const turnedOver = await read(restless);
  expect(turnedOver.passes).toBe(2);
  expect(await references(turnedOver)).toEqual(referencesIn(restless.records));
});

test('reports rows that keep moving as unproven', async () => {
  const service = historyService(many(5));
  service.before = (call) => {
    service.records = [...service.records, wireRecord(100 + call, midnight)];
    return undefined;
  };
  await expect(read(service)).rejects.toMatchObject({ state: 'unproven' });
});

test('terminates with a service that ignores the offset', async () => {
  const service = historyService(many(10));
  const deaf = { fetchPage: (query: PageQuery) => service.fetchPage({ ...query, offset: 0 }) };
  await expect(read(deaf)).rejects.toMatchObject({ state: 'unproven' });
});

test('fails with the reason of a failed response', async () => {
  const service = historyService(many(10));
  service.before = () => ({ kind: 'failed', reason: 'timeout' });
  await expect(read(service)).rejects.toEqual(new WindowError('failed', 'timeout'));
});

test.each([
  ['text', new TextEncoder().encode('not json')],
  ['another shape', new TextEncoder().encode('[]')],
  ['records that are no list', new TextEncoder().encode('{"records":{}}')],
  ['a number that JSON does not have', new TextEncoder().encode('{"records":[{"netAmount":NaN}]}')],
  ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe)],
])('fails after several attempts when the response is %s instead of a page', async (_, bytes) => {
  const service = historyService([]);
  service.before = () => ({ kind: 'page', bytes });
  await expect(read(service)).rejects.toMatchObject({ state: 'failed', reason: 'unreadable' });
  expect(service.calls).toBe(3);
});

describe('finds a day of a service with different day boundaries', () => {
  const records = [
    ...wireHistory(400, '2026-02-27', 7),
    wireRecord(901, '2026-03-01T23:59:59.999Z'),
    wireRecord(902, '2026-03-02T23:59:59.999Z'),
    wireRecord(903, '2026-03-02T23:59:58.000Z'),
    // Two identical records count as two.
    wireRecord(904, '2026-03-02T00:00:00.000Z'),
    wireRecord(904, '2026-03-02T00:00:00.000Z'),
  ];
  const mine = records.filter(({ fundedAt }) => fundedAt.startsWith(day));

  /** Combines the three windows that may contain parts of the day. */
  async function together(fetchPage: FundingSource['page']): Promise<string[]> {
    const [before, own, after] = await Promise.all(
      ['2026-03-01', day, '2026-03-03'].map((near) => read({ fetchPage }, { pageSize: 50 }, near)),
    );
    if (!before || !own || !after) throw new Error('A window is missing.');
    const contents = new DayContents(stage, new Calendar('UTC'));
    return contents.join(day, own, [before, after], async ({ rows }) => {
      const found = await stage.rows(`select lender_reference_id from ${rows} order by 1`);
      return found.map(([reference]) => String(reference));
    });
  }

  test.each([-14, -5, -1, 0, 1, 5.5, 14])('%d hours off', async (hours) => {
    const { fetchPage } = historyService(records, { shift: hours * 3_600_000 });
    expect(await together(fetchPage)).toEqual(referencesIn(mine));
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
    expect(found).toEqual(referencesIn(mine));
  });

  test('from a service that compares only dates', async () => {
    const { fetchPage } = historyService(records);
    const found = await together((query) =>
      fetchPage({
        ...query,
        from: `${query.from.slice(0, 10)}T00:00:00.000Z`,
        to: `${query.to.slice(0, 10)}T00:00:00.000Z`,
      }),
    );
    expect(found).toEqual(referencesIn(mine));
  });
});

test('property: two equal passes contain a snapshot of the records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.record({ call: fc.integer({ min: 1, max: 12 }), add: fc.boolean() }), {
        maxLength: 4,
      }),
      async (count, changes) => {
        const service = historyService(many(count));
        const states: string[][] = [];
        const note = () => states.push(referencesIn(service.records));
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
        expect(states).toContainEqual(await references(await read(service, { maxPasses: 8 })));
      },
    ),
    { numRuns: 60 },
  );
});
