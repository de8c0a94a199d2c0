import { readFile } from 'node:fs/promises';
import {
  type JournalDetail,
  type JournalEntry,
  type JournalExport,
  type JournalFormatName,
  type JournalPreview,
  journalExportSchema,
  type PeriodRecord,
} from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import type { Chart } from '../config/chart.ts';
import type { JournalFact } from '../facts/journal-facts.ts';
import type { Fence } from '../facts/store.ts';
import { boundsOf, listPeriods, type PeriodsContext } from '../periods/read.ts';
import { closedPeriods, openFlows } from '../periods/flows.ts';
import { sha256 } from '../platform/digest.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { readEntries } from './entries.ts';
import { contentOf, writeJournal, type WrittenFile, type WrittenJournal } from './format.ts';
import { journalFormatsByName } from './formats/index.ts';
import { copyPostings } from './postings.ts';
import { zipped } from './zip.ts';

export interface JournalsContext extends PeriodsContext {
  files: TemporaryFiles;
  chart: Chart;
}

export interface JournalRequest {
  period: string;
  format: JournalFormatName;
  detail: JournalDetail;
}

const ATTEMPTS = 3;

/** Returns all exports, newest first. */
export async function listJournals({
  facts,
}: Pick<JournalsContext, 'facts'>): Promise<JournalExport[]> {
  return (await facts.journals()).map(recordOf);
}

export function recordOf({ body }: Pick<JournalFact, 'body'>): JournalExport {
  return journalExportSchema.parse(JSON.parse(body));
}

/**
 * Returns a preview of a period's journal, with its first entries. For the open period, it is a
 * draft with the amounts that a close would seal now.
 * @throws {ProblemError} `period-not-found`, `period-not-permitted`
 */
export function previewJournal(
  ctx: JournalsContext,
  request: JournalRequest,
  limit: number,
): Promise<JournalPreview> {
  const { period, format, detail } = request;
  return withDraft(ctx, request, limit, ({ earlier, otherDetail, seal, journal, entries }) =>
    Promise.resolve({
      period,
      isSealed: seal !== undefined,
      format,
      detail,
      since: earlier[0]?.seq,
      otherDetail,
      entries,
      count: journal.entries,
      lines: journal.lines,
      balances: journal.balances,
      refusals: journal.refusals,
      files: journal.files.map(described),
    }),
  );
}

/** An export, and whether this request created it. */
export interface Exported {
  record: JournalExport;
  isNew: boolean;
}

/**
 * Exports the entries of a closed period that earlier exports to this target in this detail lack. The
 * files are stored permanently.
 * @returns the last export if there are no new entries
 * @throws {ProblemError} `journal-refused` with the target's refusals, `journal-empty`,
 * `period-not-found`, `period-not-permitted` @throws {LeaseLostError}
 */
export async function exportJournal(
  ctx: JournalsContext & { fence: Fence },
  request: JournalRequest,
  by: string,
): Promise<Exported> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const exported = await withDraft(ctx, request, 0, (drafted) =>
      writeExport(ctx, request, by, drafted),
    );
    if (exported !== undefined) return exported;
  }
  throw new ProblemError('period-changed', {
    detail: 'Other journals were exported at the same time. Nothing was written: repeat it.',
  });
}

/** @returns undefined if another export was written in the meantime */
async function writeExport(
  { facts, fence, clock, chart }: JournalsContext & { fence: Fence },
  { period, format, detail }: JournalRequest,
  by: string,
  { seq, seal, earlier, otherDetail, journal, postings }: Draft,
): Promise<Exported | undefined> {
  if (seal === undefined) {
    throw new ProblemError('period-not-permitted', {
      detail: `${period} is not closed: close it first, or preview its journal.`,
    });
  }
  const { refusals, files, balances, entries, lines } = journal;
  if (refusals.length > 0) {
    throw new ProblemError('journal-refused', {
      detail: refusals.map(({ message, count }) => `${message} (${count})`).join(' '),
    });
  }
  if (entries === 0) {
    const last = earlier[0];
    if (last === undefined) throw new ProblemError('journal-empty');
    return { record: recordOf(last), isNew: false };
  }
  const at = clock.now();
  const content = {
    seq,
    period,
    seal,
    format,
    detail,
    at: isoTime(at),
    by,
    entries,
    lines,
    isCorrection: earlier.length > 0,
    otherDetail,
    files: files.map(described),
    chartHash: chart.hash,
    balances,
  };
  const manifest = JSON.stringify({ ...content, chart: chart.record() }, undefined, 2);
  const archive = await zipped(
    [
      ...files.map((file) => ({ name: file.name, content: contentOf(file) })),
      { name: 'journal.json', content: [Buffer.from(`${manifest}\n`)] },
    ],
    at,
  );
  const record: JournalExport = { ...content, sha256: sha256(archive) };
  const fact = { seq, period, format, at, body: JSON.stringify(record), chart: chart.json };
  const isWritten = await facts.writeJournal(fence, {
    ...fact,
    file: archive,
    postings: await readFile(postings),
  });
  return isWritten ? { record, isNew: true } : undefined;
}

/** A journal that is not stored yet. */
interface Draft {
  /** Number that the export will have. */
  seq: number;
  /** Undefined for an open period. */
  seal: JournalExport['seal'] | undefined;
  /** Exports of the period to the same target in the same detail, newest first. */
  earlier: JournalFact[];
  /** Number of the last export to the same target in another detail. */
  otherDetail: number | undefined;
  journal: WrittenJournal;
  entries: JournalEntry[];
  /** Path of a Parquet file. */
  postings: string;
}

/**
 * Creates a period's journal for a task, and removes its temporary files afterwards.
 * @param limit number of entries to return @throws {ProblemError}
 */
async function withDraft<Result>(
  ctx: JournalsContext,
  { period: id, format, detail }: JournalRequest,
  limit: number,
  use: (drafted: Draft) => Promise<Result>,
): Promise<Result> {
  const { facts, files, database, chart, clock } = ctx;
  const period = (await listPeriods(ctx)).periods.find((one) => one.id === id);
  if (period === undefined) throw new ProblemError('period-not-found');
  if (period.state === 'future') {
    throw new ProblemError('period-not-permitted', {
      detail: `${id} has not ended, or follows a period that is not closed.`,
    });
  }
  const all = await facts.journals();
  const ofTarget = all.filter((one) => one.period === id && one.format === format);
  // Entries by order replace those of a summary, and never correct them.
  const earlier = ofTarget.filter((one) => recordOf(one).detail === detail);
  const otherDetail = ofTarget.find((one) => !earlier.includes(one))?.seq;
  const seq = (all[0]?.seq ?? 0) + 1;
  const postings = files.path('postings', '.parquet');
  const paths = [postings];
  try {
    const exported: string[] = [];
    for (const one of earlier) {
      const content = await facts.journalContent(one.seq, 'postings');
      exported.push(await files.write('exported', content, '.parquet'));
    }
    paths.push(...exported);
    const entries: JournalEntry[] = [];
    const journal = await database.read(async (connection) => {
      const flows = await flowsOf(connection, period, ctx.zone);
      const hasProducts = chart.settings.rules.some(({ productType }) => productType !== undefined);
      const source = { ...flows, period: id, detail, exported, hasProducts };
      await copyPostings(connection, source, postings);
      const read = readEntries(connection, postings, { seq, period, detail, chart });
      return writeJournal(keepingFirst(read, limit, entries), {
        format: journalFormatsByName[format],
        chart,
        period: id,
        name: `journal-${id}-${format}-${seq}`,
        at: clock.now(),
        folder: files,
        paths,
      });
    });
    const { seal } = period;
    return await use({
      seq,
      seal: period.state === 'closed' && seal ? { seq: seal.seq, hash: seal.hash } : undefined,
      earlier,
      otherDetail,
      journal,
      entries,
      postings,
    });
  } finally {
    await files.remove(paths);
  }
}

/** Returns the sealed amounts up to a period, plus those that closing the open period would seal. */
async function flowsOf(
  connection: DuckDBConnection,
  period: PeriodRecord,
  zone: string,
): Promise<{ flows: string; seq: number }> {
  const closed = await closedPeriods(connection);
  const own = closed.find(({ id }) => id === period.id);
  if (own !== undefined) return { flows: 'sealed_flows', seq: own.seq };
  return openFlows(connection, closed, boundsOf(period, zone));
}

/** Passes batches on, and collects the first items. */
async function* keepingFirst<Item>(
  source: AsyncIterable<Item[]>,
  limit: number,
  first: Item[],
): AsyncGenerator<Item[]> {
  for await (const batch of source) {
    first.push(...batch.slice(0, limit - first.length));
    yield batch;
  }
}

function described({
  name,
  rows,
  bytes,
  sha256: hash,
}: WrittenFile): JournalExport['files'][number] {
  return { name, rows, bytes, sha256: hash };
}
