import { compareTexts } from '../compare-texts.ts';
import type {
  Fence,
  FundingBatch,
  FundingBooks,
  QuarantinedRecord,
  SliceRow,
  Tally,
} from './books.ts';
import { orderIdsOf } from './books.ts';
import type { Calendar } from './calendar.ts';
import {
  type Digest,
  type FiledRecord,
  type HeldFunding,
  holdRecord,
  type ReadRecord,
  RecordError,
} from './record.ts';
import {
  difference,
  fileRecords,
  type RecordOfDay,
  type SliceDifference,
  type StoredFunding,
} from './slice.ts';

export interface ApplyContext {
  books: FundingBooks;
  fence: Fence;
  calendar: Calendar;
  digest: Digest;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Currency of a funding whose order has none that is known; empty when there is none. */
  defaultCurrency: string;
  /** Rows of a transaction: the companion's own commits wait for one of them at most. */
  batchRows: number;
  /** Share of a day's fundings that may go away without another look. */
  goneLimit: number;
}

/** What is known of a day when it is about to be written. */
export interface ProvenDay {
  day: string;
  records: readonly ReadRecord[];
  passes: number;
  pages: number;
  overlaps: number;
  /** Records that came with the day and are dated neither to it nor to one beside it. */
  strays: number;
  /** Days that were read again because of this one: what is on both by now is there twice. */
  settled: ReadonlySet<string>;
}

/** What became of a day. */
export interface AppliedDay {
  day: string;
  /** Other days of which a funding is on this one now: read again, or it would count twice. */
  stale: ReadonlySet<string>;
  gone: readonly StoredFunding[];
}

/** What a run, or a share of it, counts, and writes with each of its days. */
export interface Account {
  runId: string;
  tally: Tally;
  /** @param applied what is about to be written as complete; without it, a day that is not */
  written: (applied?: AppliedDay) => Promise<Pick<FundingBatch, 'run' | 'share'>>;
}

/** Below this many a share says nothing. */
const FEW = 10;

/** Whether so much would go away that it has to be seen once more before it is believed. */
export function isSuspicious(stored: number, gone: number, limit: number): boolean {
  return gone > FEW && gone > stored * limit;
}

/** Files the records of a day, and compares them with what is held. */
export async function compareDay(ctx: ApplyContext, proven: ProvenDay) {
  const { books } = ctx;
  const filed = fileRecords(proven.day, proven.records);
  const stored = await books.stored(proven.day);
  const [slice] = await books.slices(proven.day, proven.day);
  const { changed, gone } = difference(filed, stored);
  return {
    filed,
    storedCount: stored.length,
    changed: [...changed, ...(await otherwisePriced(ctx, filed, stored))],
    gone,
    /** Whether writing it was begun before, and perhaps not ended. */
    isBegun: slice !== undefined && slice.state !== 'complete',
  };
}

/**
 * Records that are as they were and held in a currency that is not theirs: what is the default may be
 * another one since, and what holds for a new record holds for them.
 */
async function otherwisePriced(
  { books, batchRows, defaultCurrency }: ApplyContext,
  filed: readonly RecordOfDay[],
  stored: readonly StoredFunding[],
): Promise<{ record: RecordOfDay; stored: StoredFunding }[]> {
  const others = new Map(
    stored.flatMap((one) => (one.currency === defaultCurrency ? [] : [[one.id, one] as const])),
  );
  const same = filed.flatMap((record) => {
    const known = others.get(record.id);
    return known?.hash === record.hash ? [{ record, stored: known }] : [];
  });
  const found: typeof same = [];
  for (const part of inParts(same, batchRows)) {
    const currencies = await books.currencies(
      orderIdsOf(part.map(({ record }) => record.orderKey)),
    );
    for (const one of part) {
      const currency = currencies.get(one.record.merchantOrderId ?? '') ?? defaultCurrency;
      if (currency !== one.stored.currency) found.push(one);
    }
  }
  return found;
}

/**
 * Makes the day's active set what the service states, in short transactions. The last of them calls
 * the slice complete; until then it says `writing`, and who takes over reads the day again.
 * @throws {LeaseLostError}
 */
export async function applyDay(
  ctx: ApplyContext,
  proven: ProvenDay,
  compared: Awaited<ReturnType<typeof compareDay>>,
  unreadable: ReadonlyMap<string, string>,
  { runId, tally, written }: Account,
): Promise<AppliedDay> {
  const { books, fence, batchRows } = ctx;
  const { day } = proven;
  const { gone, filed } = compared;
  const slice: SliceRow = {
    day,
    state: 'writing',
    reason: proven.strays === 0 ? undefined : `${proven.strays} came that are of other days`,
    runId,
    passes: proven.passes,
    pages: proven.pages,
    overlaps: proven.overlaps,
    rows: filed.length,
    changed: 0,
    gone: gone.length,
    quarantined: 0,
    sums: {},
    hash: ctx.digest(filed.map(({ id, hash }) => `${id} ${hash}\n`).join('')),
    zone: ctx.calendar.zone,
    syncedAt: undefined,
  };
  const quarantined: QuarantinedRecord[] = [];
  const stale = new Set<string>();
  const lookElsewhere = async (
    fundings: readonly { id: string; orderKey: string }[],
    settled: ReadonlySet<string> = new Set(),
  ) => {
    for (const { id } of await books.elsewhere(fundings)) {
      const other = id.slice(0, 10);
      if (!settled.has(other)) stale.add(other);
    }
  };
  /** Said with the first batch, whichever it is. */
  let begin: Pick<FundingBatch, 'slice'> = { slice: { ...slice } };
  const write = async (batch: Omit<FundingBatch, 'now'>) => {
    await books.write(fence, { now: ctx.now(), ...begin, ...batch });
    begin = {};
  };

  for (const block of blocksOf(compared.changed)) {
    // Each in the order of its table: to write neighbours together spares most of the writing. So new
    // records, which are kept by id, go ahead of their fundings, which are kept by order.
    const added = block.filter(({ stored }) => stored === undefined);
    for (const part of inParts(added, batchRows)) {
      await write({ changed: [], gone: [], records: part.map(({ record }) => record) });
    }
    for (const part of inParts(byOrder(block), batchRows)) {
      const { held, refused } = await hold(ctx, part, unreadable);
      quarantined.push(...refused.map(({ quarantined }) => quarantined));
      slice.changed += held.length;
      await write({
        changed: held,
        records: part.flatMap(({ record, stored }) => (stored === undefined ? [] : record)),
        // Held before, and no longer to be held: it is in quarantine from now on.
        gone: refused.flatMap(({ stored }) =>
          stored === undefined ? [] : { stored, reason: 'superseded' as const },
        ),
      });
      // Once it is written: of two companions that find it on two days at once, one sees the other's.
      if (!compared.isBegun) await lookElsewhere(held.flatMap(newOnes));
    }
  }
  for (const part of inParts(gone, batchRows)) {
    await write({ changed: [], gone: part.map((stored) => ({ stored, reason: 'gone' as const })) });
  }

  // What was written before it ended is no longer new.
  const changed = new Set(compared.changed.map(({ record }) => record.id));
  for (const part of compared.isBegun ? inParts(filed, batchRows) : []) {
    await lookElsewhere(part.filter(({ id }) => changed.has(id)));
    await lookElsewhere(
      part.filter(({ id }) => !changed.has(id)),
      proven.settled,
    );
  }

  slice.sums = await books.sums(day);
  slice.quarantined = quarantined.length;
  slice.state = 'complete';
  slice.syncedAt = ctx.now();
  tally.slicesDone += 1;
  tally.rows += slice.rows;
  tally.changed += slice.changed;
  tally.gone += slice.gone;
  tally.quarantined += slice.quarantined;
  const applied = { day, stale, gone };
  await write({
    changed: [],
    gone: [],
    ...(compared.isBegun || quarantined.length > 0 ? { sweep: day } : {}),
    quarantine: { day, records: quarantined },
    stale: [...stale],
    slice,
    ...(await written(applied)),
  });
  return applied;
}

type Changed = SliceDifference['changed'];

/** In the order in which they were read. */
function blocksOf(changed: Changed): Changed[] {
  const blocks = [...Map.groupBy(changed, ({ record }) => record.block)];
  return blocks.sort(([one], [other]) => one - other).map(([, block]) => block);
}

function byOrder(changed: Changed): Changed {
  return changed
    .map((change) => ({ change, key: change.record.orderKey }))
    .sort((one, other) => compareTexts(one.key, other.key))
    .map(({ change }) => change);
}

export function* inParts<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

function newOnes({ funding, stored }: Held['held'][number]): HeldFunding[] {
  return stored === undefined ? [funding] : [];
}

interface Held {
  held: { funding: HeldFunding; stored: StoredFunding | undefined }[];
  refused: { quarantined: QuarantinedRecord; stored: StoredFunding | undefined }[];
}

async function hold(
  { books, calendar, defaultCurrency }: ApplyContext,
  changed: readonly { record: FiledRecord; stored: StoredFunding | undefined }[],
  unreadable: ReadonlyMap<string, string>,
): Promise<Held> {
  const orders = orderIdsOf(changed.map(({ record }) => record.orderKey));
  const currencies = await books.currencies([...new Set(orders)]);
  const result: Held = { held: [], refused: [] };
  for (const { record, stored } of changed) {
    const currency = currencies.get(record.merchantOrderId ?? '') ?? defaultCurrency;
    const outcome = tryToHold(record, currency, calendar, unreadable.get(record.hash));
    if ('funding' in outcome) result.held.push({ funding: outcome.funding, stored });
    else result.refused.push({ quarantined: outcome.quarantined, stored });
  }
  return result;
}

/** A record as it can be held, or why it cannot. */
export function tryToHold(
  record: FiledRecord,
  currency: string,
  calendar: Calendar,
  unreadable: string | undefined,
): { funding: HeldFunding } | { quarantined: QuarantinedRecord } {
  const refuse = (reason: string) => ({
    quarantined: {
      id: record.id,
      day: record.day,
      orderKey: record.orderKey,
      reason,
      raw: record.raw,
    },
  });
  if (unreadable !== undefined) return refuse(unreadable);
  try {
    return { funding: holdRecord(record, currency, calendar) };
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    return refuse(error.message);
  }
}
