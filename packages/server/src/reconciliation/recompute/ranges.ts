import type { BulkConnection, BulkTable, BulkWriter, ValueRow } from './bulk.ts';
import { type Holder, LEASE_MS, LeaseLostError } from './lease.ts';
import { keyAhead } from './scope.ts';

/** A full recompute, and what it goes by. */
export interface Run {
  run: string;
  /** Version of the rules, and hash of the policy. */
  rules: string;
  complete: boolean;
  /** The moment it computes the statuses of. */
  now: number;
  state: 'running' | 'complete';
  /** Whether what it finds otherwise than it stood is an alarm. */
  isCheck: boolean;
}

/** A part of a run: orders after a key up to another. */
export interface Range {
  run: string;
  ordinal: number;
  after: string;
  last: string | undefined;
}

const rangeTable: BulkTable = {
  name: 'recompute_ranges',
  columns: [
    ['environment', 'text'],
    ['run', 'text'],
    ['ordinal', 'bigint'],
    ['after_key', 'text'],
    ['last_key', 'text'],
    ['state', 'text'],
    ['holder', 'text'],
    ['until', 'bigint'],
    ['orders', 'bigint'],
    ['changed', 'bigint'],
  ],
  key: ['environment', 'run', 'ordinal'],
};

/** The run that is under way, or the last one. */
export async function readRun(bulk: BulkConnection, environment: string): Promise<Run | undefined> {
  const [row] = await bulk.rows(
    `select run, rules, complete, now, state, is_check from recomputes where environment = ?`,
    [environment],
  );
  if (!row) return undefined;
  const [run, rules, complete, now, state, isCheck] = row;
  return {
    run: String(run),
    rules: String(rules),
    complete: complete === 1,
    now: Number(now),
    state: state === 'complete' ? 'complete' : 'running',
    isCheck: isCheck === 1,
  };
}

/**
 * Begins a run: divides all orders into ranges that several companions can work at.
 * @param rows about how many lines a range has; undefined: one range, for one worker
 */
export async function planRun(
  bulk: BulkConnection,
  environment: string,
  run: Run,
  rows: number | undefined,
  fence: (writer: BulkWriter) => Promise<void>,
): Promise<void> {
  const ranges: ValueRow[] = [];
  let after = '';
  for (;;) {
    const scope = { environment, kind: 'all', after, last: undefined } as const;
    const last = rows === undefined ? undefined : await keyAhead(bulk, scope, rows);
    const ordinal = ranges.length;
    ranges.push([environment, run.run, ordinal, after, last ?? null, 'open', null, 0, 0, 0]);
    if (last === undefined) break;
    after = last;
  }
  await bulk.write(async (writer) => {
    await fence(writer);
    await writer.run(`delete from recompute_ranges where environment = ?`, [environment]);
    await writer.upsert(rangeTable, ranges);
    // What was found by the one before it, and not told yet, stays.
    await writer.run(
      `insert into recomputes (environment, run, rules, complete, now, state, started_at, is_check)
       values (?, ?, ?, ?, ?, 'running', ?, ?)
       on conflict (environment) do update set run = excluded.run, rules = excluded.rules,
         complete = excluded.complete, now = excluded.now, state = excluded.state,
         started_at = excluded.started_at, is_check = excluded.is_check, finished_at = null`,
      [
        environment,
        run.run,
        run.rules,
        run.complete ? 1 : 0,
        run.now,
        run.now,
        run.isCheck ? 1 : 0,
      ],
    );
  });
}

/** Keeps, with what puts them right, that so many orders stood as no line explains. */
export async function addUnexplained(
  writer: BulkWriter,
  environment: string,
  count: number,
): Promise<void> {
  await writer.run(`update recomputes set unexplained = unexplained + ? where environment = ?`, [
    count,
    environment,
  ]);
}

/** How many such orders nobody was told of yet. */
export async function untoldUnexplained(
  bulk: BulkConnection,
  environment: string,
): Promise<number> {
  const [row] = await bulk.rows(`select unexplained from recomputes where environment = ?`, [
    environment,
  ]);
  return Number(row?.[0] ?? 0);
}

/** They were told of. With more by now all are told of once more. */
export async function endTelling(
  bulk: BulkConnection,
  environment: string,
  count: number,
): Promise<void> {
  await bulk.write((writer) =>
    writer.run(`update recomputes set unexplained = 0 where environment = ? and unexplained = ?`, [
      environment,
      count,
    ]),
  );
}

/** Takes a range that nobody works at; undefined: there is none. */
export async function claimRange(
  bulk: BulkConnection,
  { environment, name }: Holder,
  { run }: Run,
  now: number,
): Promise<Range | undefined> {
  for (;;) {
    const [row] = await bulk.rows(
      `select ordinal, after_key, last_key from recompute_ranges
      where environment = ? and run = ? and state = 'open' and until < ?
      order by ordinal limit 1`,
      [environment, run, now],
    );
    if (!row) return undefined;
    const [ordinal, after, last] = row;
    const claimed = await bulk.write((writer) =>
      writer.run(
        `update recompute_ranges set holder = ?, until = ?
        where environment = ? and run = ? and ordinal = ? and state = 'open' and until < ?`,
        [name, now + LEASE_MS, environment, run, Number(ordinal), now],
      ),
    );
    // Another one was faster: look for the next.
    if (claimed === 0) continue;
    const end = last === null || last === undefined ? undefined : String(last);
    return { run, ordinal: Number(ordinal), after: String(after), last: end };
  }
}

/**
 * Holds the row of a range for the transaction that writes its orders.
 * @throws {LeaseLostError}
 */
export async function fenceRange(
  writer: BulkWriter,
  { environment, name }: Holder,
  { run, ordinal }: Range,
  now: number,
): Promise<void> {
  const changed = await writer.run(
    `update recompute_ranges set until = ?
    where environment = ? and run = ? and ordinal = ? and holder = ? and state = 'open'`,
    [now + LEASE_MS, environment, run, ordinal, name],
  );
  if (changed !== 1) throw new LeaseLostError('Another companion recomputes these orders by now.');
}

export function finishRange(
  bulk: BulkConnection,
  { environment, name }: Holder,
  { run, ordinal }: Range,
  result: { judged: number; changed: number },
): Promise<number> {
  return bulk.write((writer) =>
    writer.run(
      `update recompute_ranges set state = 'done', orders = ?, changed = ?
      where environment = ? and run = ? and ordinal = ? and holder = ?`,
      [result.judged, result.changed, environment, run, ordinal, name],
    ),
  );
}

/** How many ranges are not done. */
export async function openRanges(
  bulk: BulkConnection,
  environment: string,
  { run }: Run,
): Promise<number> {
  const [row] = await bulk.rows(
    `select count(*) from recompute_ranges where environment = ? and run = ? and state = 'open'`,
    [environment, run],
  );
  return Number(row?.[0]);
}

export async function finishRun(
  writer: BulkWriter,
  environment: string,
  { run }: Run,
  now: number,
): Promise<void> {
  await writer.run(
    `update recomputes set state = 'complete', finished_at = ? where environment = ? and run = ?`,
    [now, environment, run],
  );
}
