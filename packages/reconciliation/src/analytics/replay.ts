import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { CaseFact } from '../facts/case-facts.ts';
import { damagedContent } from '../facts/content.ts';
import type { SealFact } from '../facts/period-facts.ts';
import type { FactStore, FundingDay, LedgerImportFact } from '../facts/store.ts';
import { Mutex } from '../platform/mutex.ts';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { mirrorCases } from './case-mirror.ts';
import { meta, setMeta } from './database.ts';
import { type ReadDay, writeDays } from './day-contents.ts';
import { reprice } from './pricing.ts';
import { metaKeys } from './schema.ts';
import { applySeal } from './seals.ts';
import type { Database } from './session.ts';

export interface ReplayOptions {
  database: Database;
  files: TemporaryFiles;
  facts: Pick<FactStore, 'days' | 'daysAfter' | 'content' | 'importsAfter'> &
    Partial<Pick<FactStore, 'casesAfter'>> &
    Partial<Pick<FactStore, 'sealsAfter' | 'sealFlows'>>;
  /** Currency of fundings whose order's currency is unknown; empty if there is none. */
  defaultCurrency: string;
  /** Whether the merchant declared that currency, so that it is not a guess. @default false */
  isCurrencyStated?: boolean | undefined;
  /** Applies an import in the transaction of its fact, and marks the import's orders as dirty. */
  applyImport?: (connection: DuckDBConnection, fact: LedgerImportFact) => Promise<void>;
}

/** Maximum number of facts per query. */
const LISTED = 500;
/**
 * Number of records after which a transaction ends: two row groups. DuckDB recompresses a partly
 * filled row group when the next transaction adds to it.
 */
export const RECORDS_AT_ONCE = 2 * 122_880;

/** Serializes replays per database, because an older fact must not overwrite a newer one. */
const turns = new WeakMap<Database, Mutex>();

/**
 * Applies pending facts to the database. Days, imports and cases reach the database only through
 * this function: after the writer writes a fact, in a standby, and during a rebuild.
 * @returns the number of the last applied fact
 */
export function replay(options: ReplayOptions): Promise<number> {
  const turn = turns.get(options.database) ?? new Mutex();
  turns.set(options.database, turn);
  return turn.run(() => applyFacts(options));
}

async function applyFacts(options: ReplayOptions): Promise<number> {
  const { database } = options;
  let applied = await database.read(async (connection) =>
    Number(await meta(connection, metaKeys.applied)),
  );
  await followDefaultCurrency(options);
  for (;;) {
    const due = await factsAfter(options, applied);
    if (due.length === 0) return applied;
    for (const run of runsOf(due)) applied = await applyRun(options, run);
  }
}

type Fact =
  | { kind: 'day'; number: number; fact: FundingDay }
  | { kind: 'import'; number: number; fact: LedgerImportFact }
  | { kind: 'case'; number: number; fact: CaseFact }
  | { kind: 'seal'; number: number; fact: SealFact };

/** Returns the next facts of all kinds, ordered by number. */
async function factsAfter(
  { facts, applyImport: imports }: ReplayOptions,
  applied: number,
): Promise<Fact[]> {
  const lists: Fact[][] = [
    (await facts.daysAfter(applied, LISTED)).map((fact) => ({
      kind: 'day',
      number: fact.number,
      fact,
    })),
    (imports ? await facts.importsAfter(applied, LISTED) : []).map((fact) => ({
      kind: 'import',
      number: fact.number,
      fact,
    })),
    ((await facts.casesAfter?.(applied, LISTED)) ?? []).map((fact) => ({
      kind: 'case',
      number: fact.number,
      fact,
    })),
    ((await facts.sealsAfter?.(applied, LISTED)) ?? []).map((fact) => ({
      kind: 'seal',
      number: fact.number,
      fact,
    })),
  ];
  // If the list of one kind reached its limit, facts of other kinds with higher numbers must wait.
  const ends = lists.map((list) => (list.length < LISTED ? Infinity : (list.at(-1)?.number ?? 0)));
  const end = Math.min(...ends);
  return lists
    .flat()
    .filter(({ number }) => number <= end)
    .sort((one, other) => one.number - other.number);
}

/** Splits facts into runs of the same kind; each import is a separate run. */
function runsOf(facts: readonly Fact[]): Fact[][] {
  const runs: Fact[][] = [];
  for (const fact of facts) {
    const run = runs.at(-1);
    if (run?.[0]?.kind === fact.kind && fact.kind !== 'import') run.push(fact);
    else runs.push([fact]);
  }
  return runs;
}

async function applyRun(options: ReplayOptions, run: readonly Fact[]): Promise<number> {
  const days = run.flatMap((one) => (one.kind === 'day' ? [one.fact] : []));
  if (days.length > 0) return applyDays(options, days);
  const cases = run.flatMap((one) => (one.kind === 'case' ? [one.fact] : []));
  if (cases.length > 0) return applyCases(options, cases);
  const seals = run.flatMap((one) => (one.kind === 'seal' ? [one.fact] : []));
  if (seals.length > 0) return applySeals(options, seals);
  const [only] = run;
  if (only?.kind !== 'import') throw new TypeError('A run of facts is empty.');
  return applyImport(options, only.fact);
}

async function applyCases(
  { database }: ReplayOptions,
  cases: readonly CaseFact[],
): Promise<number> {
  const last = cases.at(-1)?.number ?? 0;
  await database.write(async (connection) => {
    await mirrorCases(connection, cases);
    await setMeta(connection, metaKeys.applied, String(last));
  });
  return last;
}

async function applySeals(
  { database, facts, files }: ReplayOptions,
  seals: readonly SealFact[],
): Promise<number> {
  const { sealFlows } = facts;
  if (sealFlows === undefined) throw new TypeError('A store with seals has their flows.');
  const last = seals.at(-1)?.number ?? 0;
  await database.write(async (connection) => {
    for (const seal of seals) await applySeal(connection, seal, { facts: { sealFlows }, files });
    await setMeta(connection, metaKeys.applied, String(last));
  });
  return last;
}

/** Also applies a changed default currency to existing fundings. */
async function followDefaultCurrency(options: ReplayOptions): Promise<void> {
  const { database, defaultCurrency, isCurrencyStated = false } = options;
  const stated = String(isCurrencyStated);
  const [known, knownStated] = await database.read(async (connection) => [
    await meta(connection, metaKeys.defaultCurrency),
    await meta(connection, metaKeys.defaultStated),
  ]);
  if (known === defaultCurrency && knownStated === stated) return;
  await database.write(async (connection) => {
    if (known !== defaultCurrency) await reprice(connection, defaultCurrency);
    await setMeta(connection, metaKeys.defaultCurrency, defaultCurrency);
    await setMeta(connection, metaKeys.defaultStated, stated);
  });
}

async function applyImport(options: ReplayOptions, fact: LedgerImportFact): Promise<number> {
  await options.database.write(async (connection) => {
    await options.applyImport?.(connection, fact);
    await reprice(connection, options.defaultCurrency, 'select order_key from dirty_orders');
    await setMeta(connection, metaKeys.applied, String(fact.number));
  });
  return fact.number;
}

/** Applies days in fact order, in batches. @returns the number of the last one */
async function applyDays(options: ReplayOptions, days: readonly FundingDay[]): Promise<number> {
  const { database } = options;
  const held = await database.read(async (connection) => {
    const found = await connection.runAndReadAll('select day, digest from funding_days');
    return new Map(found.getRows() as [string, string][]);
  });
  let waiting: ReadDay[] = [];
  let records = 0;
  let applied = 0;
  const flush = async () => {
    const batch = waiting;
    if (batch.length > 0) await writeDays(options, batch);
    [waiting, records] = [[], 0];
  };
  for (const fact of days) {
    const read =
      (held.get(fact.day) ?? '') === fact.digest
        ? { day: fact, content: undefined, digest: fact.digest }
        : await readDay(options, fact);
    waiting.push({ number: fact.number, ...read });
    records += read.content === undefined ? 0 : read.day.count;
    applied = fact.number;
    if (records >= RECORDS_AT_ONCE) await flush();
  }
  await flush();
  return applied;
}

/**
 * Returns a day with its content. Both may be newer than the listed fact, but they match each
 * other.
 * @throws {ContentError}
 */
async function readDay(
  options: ReplayOptions,
  listed: FundingDay,
): Promise<Omit<ReadDay, 'number'>> {
  const { facts } = options;
  for (let day = listed; ;) {
    const content = await facts.content(listed.day);
    const [now = day] = await facts.days(listed.day, listed.day);
    if (now.digest === day.digest) {
      if (content === undefined && now.digest !== '') throw damagedContent();
      return { day: now, content, digest: now.digest };
    }
    day = now;
  }
}
