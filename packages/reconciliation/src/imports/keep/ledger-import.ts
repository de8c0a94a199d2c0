import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import type { Database } from '../../analytics/session.ts';
import {
  type FactStore,
  type Fence,
  type ImportOrigin,
  type LedgerImportFact,
  withdrawalIdOf,
} from '../../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import { writeNewFile } from '@financing-checkout/kit/files';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { ImportBusyError } from '../import-error.ts';
import { type Comparison, importReport } from './import-report.ts';
import {
  type FileReading,
  kindOf,
  type LedgerImportOptions,
  MAX_ERRORS,
  MAX_LISTED,
  type PlainLines,
  readingOf,
  readInThread,
  readLedgerFile,
  readPlainLinesInChild,
  readSheet,
  withPreset,
  zoneOf,
} from '../read/index.ts';
import {
  checkStaged,
  choiceOf,
  compareAll,
  copyToContent,
  correctionTables,
  createGone,
  differenceOf,
  dropStaged,
  effects,
  findGone,
  findLookAlikes,
  type ImportAction,
  isParquet,
  joinLines,
  type LookAlikeChoice,
  originOf,
  originOfStaged,
  questionOf,
  refusalOf,
  setAmountsApart,
  setApart,
  stageLines,
  type StatedOrigin,
  writeContent,
  writeReplaced,
} from '../compare/index.ts';
import { presetOf } from '../guess/index.ts';
import type { ReceivedFile, Receiver, Upload } from '../receive/index.ts';

export interface LedgerImportContext {
  analytics: Database;
  facts: Pick<FactStore, 'importContent' | 'importsInPeriod' | 'writeImports'>;
  /** Returns the fencing token for writes. @throws {LeaseLostError} without a lease */
  fence: () => Fence;
  /**
   * Applies the facts to the analytics database, where imports take effect.
   * @param contents files with import contents by ID, to avoid reading them from the record store
   */
  replay: (contents: ReadonlyMap<string, string>) => Promise<void>;
  /** Private folder that statements may read and write. */
  scratch: string;
  receiver: Receiver;
  clock: Clock;
}

/** Imports the merchant's ledger. */
export interface LedgerImport {
  /**
   * Receives a file, then imports or withdraws it, all or nothing. Imports only one file at a time:
   * rejects another one before reading its first byte, or once it has arrived if an import is
   * running by then.
   * @throws {LedgerImportError} for unusable options, or a file that arrives too slowly
   * @throws {ImportBusyError} while another import is running
   * @throws {ProblemError} of {@link Receiver.receive}
   */
  run(upload: Upload, options?: LedgerImportOptions): Promise<LedgerImportRecord>;
  /**
   * Withdraws the lines of an import that are still in the ledger. Lines that the companion also
   * has stay.
   * @param content content of the import's fact @returns the number of removed lines
   * @throws {ImportBusyError} while another import is running
   */
  withdraw(fact: LedgerImportFact, content: Uint8Array, actor: string): Promise<number>;
}

/** Reading a file of up to this size takes less time than starting a worker. */
const SMALL_BYTES = 262_144;
/** Reading up to this many lines takes less time than starting a worker. */
const FEW_LINES = 1_000;

export function createLedgerImport(ctx: LedgerImportContext): LedgerImport {
  let isBusy = false;

  function refuseWhileBusy(): void {
    if (isBusy) throw new ImportBusyError('Another import is running: retry when it has ended.');
  }

  /** Runs one import at a time, with its own temporary files. */
  async function alone<Result>(work: (files: ImportFiles) => Promise<Result>): Promise<Result> {
    refuseWhileBusy();
    isBusy = true;
    const base = join(ctx.scratch, `import-${randomUUID()}`);
    const files = {
      plain: `${base}.plain.parquet`,
      lines: `${base}.ndjson`,
      joined: `${base}.joined.parquet`,
      content: `${base}.ndjson.zst`,
      replaced: `${base}.replaced.ndjson.zst`,
      earlier: `${base}.earlier`,
    };
    try {
      return await work(files);
    } finally {
      isBusy = false;
      for (const file of Object.values(files)) await rm(file, { force: true });
    }
  }

  return {
    async run(upload, said = {}) {
      const options = said.preset ? withPreset(said, presetOf(said.preset)) : said;
      readingOf(options, ctx.clock.now());
      choiceOf(options);
      originOf(options, zoneOf(options));
      refuseWhileBusy();
      return ctx.receiver.receive(upload, (file) =>
        alone((files) => runImport(ctx, file, { options, signal: upload.signal }, files)),
      );
    },

    withdraw: (fact, content, actor) =>
      alone(async (files) => {
        await writeNewFile(files.earlier, content);
        const { count } = await compare(ctx, 'withdraw', files.earlier, files);
        const { digest, id, source } = fact;
        const withdrawal = {
          id: withdrawalIdOf(id),
          source,
          actor,
          digest,
          count,
          at: ctx.clock.now(),
          action: 'withdraw',
        } as const;
        const lines = await readFile(files.content);
        await ctx.facts.writeImports(ctx.fence(), [{ fact: withdrawal, content: lines }]);
        await ctx.replay(new Map([[withdrawal.id, files.content]]));
        return count;
      }),
  };
}

interface ImportFiles {
  /** Lines read by SQL. */
  plain: string;
  /** Lines read by the reader. */
  lines: string;
  /** All lines. */
  joined: string;
  /** Lines that take effect. */
  content: string;
  /** Existing lines that are replaced. */
  replaced: string;
  /** Content of one earlier import, or the name prefix for several. */
  earlier: string;
}

interface ComparisonOptions {
  /** Whether the file may contain equal lines that have no id. */
  mayBeAlike?: boolean;
  choice?: LookAlikeChoice;
  correction?: LedgerImportOptions['correction'];
  /** The file's origin; undefined if it is not compared with earlier imports. */
  stated?: StatedOrigin | undefined;
  /** SHA-256 of the file's column names. */
  columns?: string;
}

async function runImport(
  ctx: LedgerImportContext,
  { digest, path, size }: ReceivedFile,
  { options, signal }: { options: LedgerImportOptions; signal: AbortSignal | undefined },
  files: ImportFiles,
): Promise<LedgerImportRecord> {
  const { source = 'import', by: actor, dryRun = false } = options;
  const action = options.withdraw === true ? 'withdraw' : 'add';
  const now = ctx.clock.now();
  const request = { from: path, options, now, maxBytes: await ctx.receiver.room() };
  // A small workbook can unpack to a large size.
  const isWorkbook = (await kindOf(path)) === 'xlsx';
  const isSmall = size <= SMALL_BYTES && !isWorkbook;
  const plain =
    isSmall || isWorkbook
      ? undefined
      : await readPlainLinesInChild({ ...request, to: files.plain });
  const isShort = isSmall || (plain !== undefined && plain.others.length <= FEW_LINES);
  const lines = { ...request, to: files.lines, plain };
  const reading = isWorkbook
    ? await readSheet(lines, { clock: ctx.clock, signal })
    : await (isShort ? readLedgerFile : readInThread)(lines);
  const file = isSmall ? files.lines : await joinParts(ctx, plain, reading, files);
  const { count, kept, origin, effective, ...comparison } = await compare(
    ctx,
    action,
    file,
    files,
    {
      mayBeAlike: reading.unnamed > 1,
      choice: choiceOf(options),
      correction: options.correction,
      stated: action === 'add' ? originOf(options, reading.zone) : undefined,
      columns: reading.columns,
    },
  );
  const isWrong = reading.errorCount + comparison.conflictCount > 0;
  if (isWrong || dryRun) return importReport(action, dryRun, reading, comparison);
  if (kept + comparison.replaced > 0) {
    const fact = {
      id: `imp_${randomUUID()}`,
      action,
      source,
      actor,
      digest,
      count,
      at: now,
      origin,
    } as const;
    const replaced = comparison.replaced > 0 && {
      fact: {
        ...fact,
        id: `imp_${randomUUID()}`,
        action: 'withdraw',
        count: comparison.replaced,
      } as const,
      content: await readFile(files.replaced),
    };
    const added = { fact, content: await readFile(files.content) };
    await ctx.facts.writeImports(ctx.fence(), replaced ? [replaced, added] : [added]);
    const contents = new Map([[fact.id, effective]]);
    if (replaced) contents.set(replaced.fact.id, files.replaced);
    await ctx.replay(contents);
  }
  return importReport(action, dryRun, reading, comparison, count);
}

/** Joins both parts of a large file into one file of lines. */
async function joinParts(
  { analytics }: Pick<LedgerImportContext, 'analytics'>,
  plain: PlainLines | undefined,
  { read }: FileReading,
  files: ImportFiles,
): Promise<string> {
  if (plain?.count === read && plain.others.length === 0) return files.plain;
  const parts = plain === undefined ? [files.lines] : [files.plain, files.lines];
  await analytics.write((connection) => joinLines(connection, parts, files.joined));
  return files.joined;
}

interface Compared extends Comparison {
  /** Number of lines that take effect. */
  count: number;
  /** Number of lines in the content. */
  kept: number;
  /** File with the content's lines, in a form that may be faster to read. */
  effective: string;
  origin: ImportOrigin | undefined;
}

/**
 * Compares the lines of a file with each other and with the ledger, and writes those that take
 * effect.
 */
async function compare(
  { analytics, facts }: Pick<LedgerImportContext, 'analytics' | 'facts'>,
  action: ImportAction,
  file: string,
  files: ImportFiles,
  { mayBeAlike = false, choice, correction, stated, columns = '' }: ComparisonOptions = {},
): Promise<Compared> {
  const { lines, content, differs, repeated } = effects[action];
  return analytics.write(async (connection) => {
    await stageLines(connection, file);
    const alike = mayBeAlike ? await setApart(connection) : 0;
    await setAmountsApart(connection, choice === 'keep-both' && action === 'add');
    await connection.run(checkStaged);
    await connection.run(compareAll);
    await createGone(connection);
    const origin = stated && (await originOfStaged(connection, stated, columns));
    const difference =
      stated && origin && (await compareWithEarlier(connection, facts, stated, origin, files));
    if (correction === 'add') {
      await connection.run('delete from gone where id in (select id from checked)');
    } else {
      // The question about the correction already covers these lines.
      await connection.run(
        `update checked set conflicts = conflicts and id not in (select id from gone),
           duplicate_conflicts = duplicate_conflicts and id not in (select id from freed)`,
      );
    }
    const alikes =
      action === 'add' ? await findLookAlikes(connection, choice) : { count: 0, list: [] };
    await connection.run(
      `create or replace temp table replaced as
       select id from gone where ${correction === 'replace'}
       ${choice === 'replace' && alikes.count > 0 ? "union select id from look_alikes where kind <> 'companion'" : ''}`,
    );
    if (correction === 'replace') {
      await connection.run(
        `update checked set present = present and id not in (select id from gone),
           duplicate = duplicate and id not in (select id from freed)`,
      );
    }
    const replaced = action === 'add' ? await writeReplaced(connection, files.replaced) : 0;
    const counted = await connection.runAndReadAll(
      `select count(*) filter (where (${repeated}) and not (${differs})),
         count(*) filter (where (${repeated}) and (${differs})),
         (select count(*) ${lines}), (select count(*) ${content}),
         (select count(*) from staged) from compared`,
    );
    const [repeatedCount = 0, conflictCount = 0, count = 0, kept = 0, met = 0] = (
      counted.getRows()[0] ?? []
    ).map(Number);
    const totals = await connection.runAndReadAll(
      // A line that repeats another line of the file, even under another id, counts once.
      `select currency, type, count(*), sum(amount) from compared where other is null
       group by currency, type order by min(number)`,
    );
    const closed = await connection.runAndReadAll(
      `select s.period, count(*) from (
         select occurred_at ${lines}
         union all select occurred_at from ledger_lines where id in (select id from replaced)) l
       join (select *, row_number() over (order by seq) = 1 as first from seals) s
         on l.occurred_at < s.until_at and (s.first or l.occurred_at >= s.from_at)
       group by s.period, s.seq order by s.seq`,
    );
    const conflicts = await connection.runAndReadAll(
      `select other, count(*), min(number, ${MAX_LISTED}) from checked
       where (${repeated}) and (${differs})
       group by other order by min(number) limit ${MAX_ERRORS}`,
    );
    // If no line needs a comparison, all lines take effect.
    const isEffective = action === 'add' && met === 0 && (await isParquet(file));
    if (isEffective) await copyToContent(connection, file, files.content);
    else await writeContent(connection, content, files.content);
    await connection.run('drop table if exists look_alikes');
    for (const table of [...correctionTables, 'replaced']) {
      await connection.run(`drop table if exists ${table}`);
    }
    await dropStaged(connection);
    const refusal = [
      ...(difference !== undefined && correction === undefined ? [questionOf(difference)] : []),
      ...(choice === undefined ? refusalOf(alikes.list) : []),
    ];
    return {
      origin,
      difference,
      effective: isEffective ? file : files.content,
      count,
      kept,
      repeated: repeatedCount,
      alike,
      replaced,
      totals: totals.getRows().map(([currency, type, lines, amount]) => ({
        currency: String(currency),
        type: type === 'Refund' ? 'Refund' : 'Settle',
        count: Number(lines),
        amount: String(amount),
      })),
      closed: closed.getRows().map(([period, count]) => ({
        period: String(period),
        lines: Number(count),
      })),
      lookAlikeCount: alikes.count,
      lookAlikes: alikes.list,
      conflictCount: conflictCount + refusal.length,
      conflicts: [
        ...refusal,
        ...conflicts.getRowsJS().map(([other, count, numbers]) => {
          const lines = (numbers as unknown[]).map(Number);
          return {
            line: lines[0],
            code: 'line-contradicts',
            count: Number(count),
            lines,
            message: `has the id of ${
              other === null ? 'an existing ledger line' : `line ${Number(other)} of the file`
            }, and another order, currency, amount or transaction`,
          };
        }),
      ],
    };
  });
}

/** Finds the lines of earlier imports that the file corrects. @returns undefined if there are none */
async function compareWithEarlier(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  { calendar, period, source }: StatedOrigin,
  origin: ImportOrigin,
  files: ImportFiles,
) {
  const periods = await findGone(connection, facts, origin, {
    file: files.earlier,
    isPeriodStated: period !== undefined,
  });
  return periods && differenceOf(connection, source, periods, calendar);
}
