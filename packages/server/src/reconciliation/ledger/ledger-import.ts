import type { Environment } from '@financing-checkout/contract';
import { isCurrency } from '@financing-checkout/contract';
import { randomId } from '../../checkout/id.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Store } from '../../store/store.ts';
import {
  ImportBusyError,
  type LedgerField,
  LedgerImportError,
  mappingOf,
  requiredOf,
} from './columns.ts';
import { decoderOf } from './encoding.ts';
import { type ImportReport, Tally } from './import-report.ts';
import type { ImportPlace, StagedLine } from './import-store.ts';
import type { Notation } from './notation.ts';
import type { ReadLineOptions } from './read-line.ts';
import { fileRecords, type LedgerFormat } from './records.ts';
import { ZonedTime } from './zoned-time.ts';

export interface LedgerImportContext {
  environment: Environment;
  store: Pick<
    Store,
    | 'beginImport'
    | 'stageLines'
    | 'countLines'
    | 'setApart'
    | 'checkStaged'
    | 'decideImport'
    | 'applyStaged'
    | 'discardStaged'
    | 'endImport'
    | 'takeOnImport'
    | 'bulk'
  >;
  clock: Clock;
  /** Between two transactions, where nothing else gives other writers time. @default none */
  pause?: () => Promise<void>;
}

export interface LedgerImportOptions extends Notation {
  /** @default told by how the file begins */
  format?: LedgerFormat | undefined;
  /** Names of columns, where they are not the usual ones. */
  mapping?: Readonly<Partial<Record<LedgerField, string>>> | undefined;
  /** A label of the Encoding Standard. @default UTF-8; where a file begins with a mark, that holds */
  encoding?: string | undefined;
  /** Between two values of CSV. @default told by `sep=`, or by what the head holds most: comma, semicolon, tab */
  delimiter?: string | undefined;
  /** What amounts are counted in. Must be said for CSV. @default minor, for JSON */
  units?: 'minor' | 'major' | undefined;
  /** IANA time zone of dates that have none. @default UTC */
  zone?: string | undefined;
  /** Currency of lines that name none. */
  currency?: string | undefined;
  /** Check everything and keep nothing. */
  dryRun?: boolean | undefined;
  source?: 'import' | 'api' | undefined;
  /** Take the lines out of the books, where an import put them. @default false */
  withdraw?: boolean | undefined;
  /** Who withdraws them: it is kept with the lines. */
  by?: string | undefined;
}

export interface LedgerImport {
  /**
   * Reads a file, and either all of it or nothing is in the books, or taken out of them.
   * @throws {LedgerImportError} for options that cannot be used
   * @throws {ImportBusyError} while another import is under way
   */
  run(input: AsyncIterable<Uint8Array>, options?: LedgerImportOptions): Promise<ImportReport>;
  /**
   * Carries through what a companion had decided to import before it ended, and clears away what it
   * had not. @returns how many lines became new, or were taken out
   */
  resume(): Promise<number>;
}

/** Lines in memory, and in one transaction: on PostgreSQL nobody waits for its end but who imports. */
const BATCH = {
  sqlite: { fewest: 250, most: 1_000 },
  postgres: { fewest: 2_000, most: 2_000 },
};
/** Lines for which it matters how the database looks them up. */
const MANY = 1_000;
/** How long others may have to wait for a transaction. Lines in no order take three times as long. */
const AIM_MS = 20;
/** Longest time for which an import whose companion is gone keeps others waiting. */
const HOLD_MS = 60_000;

/** Takes the merchant's ledger into the books. */
export function createLedgerImport(ctx: LedgerImportContext): LedgerImport {
  const { environment, store, clock, pause } = ctx;
  const until = () => clock.now() + HOLD_MS;

  const { fewest, most } = BATCH[store.bulk.kind];
  let batch = fewest;

  /** Does one batch, and fits the next one to the time that it took. */
  async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
    const began = clock.now();
    const result = await work();
    const took = clock.now() - began;
    if (took > AIM_MS) batch = Math.max(fewest, batch / 2);
    else if (took < AIM_MS / 2) batch = Math.min(most, batch * 2);
    return result;
  }

  async function carryOn(): Promise<number> {
    const left = await store.takeOnImport(environment, clock.now(), until());
    if (!left) return 0;
    const place: ImportPlace = { environment, id: left.id };
    return left.state === 'applying' ? apply(place) : discard(place);
  }

  async function apply(place: ImportPlace): Promise<number> {
    let added = 0;
    for (;;) {
      const count = await timed(() => store.applyStaged(place, batch, clock.now(), until()));
      if (count === undefined) break;
      added += count;
      await pause?.();
    }
    await store.endImport(place, clock.now());
    // For whoever reads the books next; the import is done, whatever becomes of that.
    if (added >= MANY) await store.countLines().catch(() => undefined);
    return added;
  }

  async function discard(place: ImportPlace): Promise<number> {
    while (await timed(() => store.discardStaged(place, batch))) await pause?.();
    await store.endImport(place, clock.now());
    return 0;
  }

  async function run(
    input: AsyncIterable<Uint8Array>,
    options: LedgerImportOptions,
  ): Promise<ImportReport> {
    const reading = readingOf(options, clock.now());
    await carryOn();
    const place: ImportPlace = { environment, id: randomId('req') };
    const { source = 'import', by: actor } = options;
    const action = options.withdraw === true ? 'withdraw' : 'add';
    if (!(await store.beginImport(place, { action, source, actor }, clock.now(), until()))) {
      throw new ImportBusyError('Another import is under way: try again when it has ended.');
    }
    const tally = new Tally(action, options.dryRun ?? false);
    try {
      await stage(place, input, options, reading, tally);
      if (tally.lines >= MANY) await store.countLines();
      await check(place, tally);
    } catch (error) {
      await discard(place);
      if (!(error instanceof LedgerImportError)) throw error;
      // What was read until there is told as well.
      tally.error({ line: undefined, code: 'file-unreadable', message: error.message });
      return tally.report(false);
    }
    if (tally.errorCount > 0 || tally.dryRun) {
      await discard(place);
      return tally.report(false);
    }
    if (!(await store.decideImport(place, until()))) throw lost();
    tally.changed = await apply(place);
    return tally.report(true);
  }

  async function stage(
    place: ImportPlace,
    input: AsyncIterable<Uint8Array>,
    options: LedgerImportOptions,
    reading: ReadLineOptions,
    tally: Tally,
  ): Promise<void> {
    let read: StagedLine[] = [];
    // A column that was named and is not there is a slip: without it lines would mean something else.
    const named = Object.values(options.mapping ?? {});
    const required = [
      ...new Set([
        ...requiredOf(reading.notation).map((field) => reading.mapping[field]),
        ...named,
      ]),
    ];
    const flush = async () => {
      if (read.length === 0) return;
      if (!(await timed(() => store.stageLines(place, read, until())))) throw lost();
      read = [];
    };
    const records = fileRecords(input, options.format, {
      encoding: options.encoding,
      required,
      columns: Object.values(reading.mapping),
      delimiter: options.delimiter,
      unitsDeclared: options.units !== undefined,
    });
    for await (const record of records) {
      const line = tally.read(record, reading);
      if (line) read.push({ number: record.line, line });
      if (read.length >= batch) await flush();
    }
    await flush();
  }

  async function check(place: ImportPlace, tally: Tally): Promise<void> {
    // Of one there is none alike, and a file whose lines have names has none at all.
    for (let after: string | undefined = tally.unnamed > 1 ? '' : undefined; after !== undefined;) {
      const limits = { after, limit: batch, until: until() };
      const page = await timed(() => store.setApart(place, limits));
      if (!page) throw lost();
      tally.alike += page.alike;
      after = page.last;
      await pause?.();
    }
    for (let after = ''; ;) {
      // A long file takes longer to check than an import may say nothing.
      const limits = { after, limit: most, until: until() };
      const page = await store.checkStaged(place, tally.action, limits);
      if (!page) throw lost();
      const { last, conflicts, repeated } = page;
      tally.repeated += repeated;
      for (const { number, other } of conflicts) {
        const contradicts =
          other === undefined ? 'what is in the books already' : `line ${other} of the file`;
        tally.error({
          line: number,
          code: 'line-contradicts',
          message: `has the id of ${contradicts}, and another order, currency, amount or transaction`,
        });
      }
      if (last === undefined) return;
      after = last;
    }
  }

  return { run: (input, options = {}) => run(input, options), resume: carryOn };
}

function lost(): LedgerImportError {
  return new LedgerImportError(
    'The import took too long between two steps and was cleared away: start it again.',
  );
}

function readingOf(options: LedgerImportOptions, now: number): ReadLineOptions {
  const { currency, zone = 'UTC', units = 'minor', withdraw: isWithdrawal = false } = options;
  if (currency !== undefined && !isCurrency(currency)) {
    throw new LedgerImportError('The currency must be an ISO 4217 code in use, such as USD.');
  }
  if (options.decimal !== undefined && units === 'minor') {
    throw new LedgerImportError('Minor units have no decimals: with decimal, declare major units.');
  }
  if (options.encoding !== undefined) decoderOf(options.encoding);
  const mapping = mappingOf(options.mapping ?? {});
  const { decimal, dates, type, words } = options;
  const notation: Notation = { decimal, dates, type, words };
  return { mapping, notation, units, currency, times: timesOf(zone), now, isWithdrawal };
}

function timesOf(zone: string): ZonedTime {
  try {
    return new ZonedTime(zone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerImportError('The zone must be one of the IANA database: Europe/Berlin, UTC.');
  }
}
