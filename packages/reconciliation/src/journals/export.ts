import { readFile } from 'node:fs/promises';
import {
  type JournalDetail,
  type JournalEntry,
  type JournalExport,
  type JournalFormatName,
  type JournalPreview,
  journalExportSchema,
} from '@financing-checkout/contract';
import { isoTime } from '@financing-checkout/kit';
import { strToU8, type Zippable, zip } from 'fflate';
import type { Chart } from '../config/chart.ts';
import type { JournalFact } from '../facts/journal-facts.ts';
import type { Fence } from '../facts/store.ts';
import { boundsOf, listPeriods, type PeriodsContext, type Person } from '../periods/close.ts';
import { closedPeriods, closingFlows } from '../periods/flows.ts';
import { sha256 } from '../platform/digest.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { ProblemError } from '../platform/problem.ts';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { readEntries } from './entries.ts';
import { writeJournal, type WrittenFile, type WrittenJournal } from './format.ts';
import { journalFormatsByName } from './formats/index.ts';
import { copyPostings } from './postings.ts';

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

/** Returns what is stored of an export. */
export function recordOf({ body }: Pick<JournalFact, 'body'>): JournalExport {
  return journalExportSchema.parse(JSON.parse(body));
}

/**
 * Returns the journal that an export would write, with its first entries. The journal of the open
 * period is a draft: it has what its close would seal now.
 * @throws {ProblemError} `period-not-found`, `period-not-permitted`
 */
export async function previewJournal(
  ctx: JournalsContext,
  request: JournalRequest,
  limit: number,
): Promise<JournalPreview> {
  const drafted = await draft(ctx, request, limit);
  const { earlier, isSealed, journal, entries } = drafted;
  const { period, format, detail } = request;
  return {
    period,
    isSealed,
    format,
    detail,
    since: earlier[0]?.seq,
    entries,
    count: journal.entries,
    lines: journal.lines,
    balances: journal.balances,
    refusals: journal.refusals,
    files: journal.files.map(described),
  };
}

/**
 * Exports the journal of a closed period: what no export of the period to this target has yet. The
 * files are stored, and never made again.
 * @returns the last export, if there is nothing new since
 * @throws {ProblemError} `journal-refused` with what the target would refuse, `journal-empty`,
 * `period-not-found`, `period-not-permitted` @throws {LeaseLostError}
 */
export async function exportJournal(
  ctx: JournalsContext & { fence: Fence },
  request: JournalRequest,
  person: Person,
): Promise<{ record: JournalExport; isNew: boolean }> {
  const { facts, fence, clock, chart } = ctx;
  const { period, format, detail } = request;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { seq, seal, earlier, journal, postings } = await draft(ctx, request, 0);
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
      if (last !== undefined) return { record: recordOf(last), isNew: false };
      throw new ProblemError('journal-empty');
    }
    const at = clock.now();
    const content = {
      seq,
      period,
      seal,
      format,
      detail,
      at: isoTime(at),
      by: person.name,
      entries,
      lines,
      isCorrection: earlier.length > 0,
      files: files.map(described),
      chartHash: chart.hash,
      balances,
    };
    const file = await zipped(files, { ...content, chart: chart.record() }, at);
    const record: JournalExport = { ...content, sha256: sha256(file) };
    const fact = { seq, period, format, at, body: JSON.stringify(record), chart: chart.json };
    if (await facts.writeJournal(fence, { ...fact, file, postings })) {
      return { record, isNew: true };
    }
  }
  throw new ProblemError('period-changed', {
    detail: 'Other journals were exported at the same time. Nothing was written: repeat it.',
  });
}

interface Draft {
  /** Number that the export would have. */
  seq: number;
  /** Undefined: the period is open. */
  seal: JournalExport['seal'] | undefined;
  isSealed: boolean;
  /** Exports of the period to the same target, newest first. */
  earlier: JournalFact[];
  journal: WrittenJournal;
  /** The first entries. */
  entries: JournalEntry[];
  /** Parquet. */
  postings: Uint8Array;
}

async function draft(ctx: JournalsContext, request: JournalRequest, limit: number): Promise<Draft> {
  const { facts, files, database, chart, zone, clock } = ctx;
  const { periods } = await listPeriods(ctx);
  const period = periods.find(({ id }) => id === request.period);
  if (period === undefined) throw new ProblemError('period-not-found');
  const isSealed = period.state === 'closed';
  if (period.state === 'future') {
    throw new ProblemError('period-not-permitted', {
      detail: `${period.id} has not ended, or follows a period that is not closed.`,
    });
  }
  const all = await facts.journals();
  const earlier = all.filter((one) => one.period === period.id && one.format === request.format);
  const seq = (all[0]?.seq ?? 0) + 1;
  const exported: string[] = [];
  const path = files.path('journal', '.parquet');
  try {
    for (const one of earlier) {
      const content = await facts.journalContent(one.seq, 'postings');
      exported.push(await files.write('exported', content, '.parquet'));
    }
    const name = `journal-${period.id}-${request.format}-${seq}`;
    const format = journalFormatsByName[request.format];
    const entries: JournalEntry[] = [];
    const journal = await database.read(async (connection) => {
      const { flows, seal } = await flowsOf(connection);
      await copyPostings(
        connection,
        {
          flows,
          seq: seal,
          period: period.id,
          detail: request.detail,
          exported,
          hasProducts: chart.settings.rules.some(({ productType }) => productType !== undefined),
        },
        path,
      );
      const read = readEntries(connection, path, { seq, period, detail: request.detail, chart });
      const at = clock.now();
      return writeJournal(firstOf(read), { format, chart, period: period.id, name, at });
    });
    const seal =
      isSealed && period.seal ? { seq: period.seal.seq, hash: period.seal.hash } : undefined;
    return { seq, seal, isSealed, earlier, journal, entries, postings: await readFile(path) };

    async function* firstOf(source: AsyncIterable<JournalEntry>): AsyncGenerator<JournalEntry> {
      for await (const entry of source) {
        if (entries.length < limit) entries.push(entry);
        yield entry;
      }
    }
  } finally {
    await files.remove([path, ...exported]);
  }

  async function flowsOf(connection: DuckDBConnection): Promise<{ flows: string; seal: number }> {
    const closed = await closedPeriods(connection);
    const own = closed.find(({ id }) => id === request.period);
    if (own !== undefined) return { flows: 'sealed_flows', seal: own.seq };
    const bounds = boundsOf(
      { id: request.period, from: period?.from ?? '', to: period?.to ?? '' },
      zone,
    );
    const seal = (closed.at(-1)?.seq ?? 0) + 1;
    const flows = `(select * from sealed_flows union all by name
      select ${seal} as seq, * from (${await closingFlows(connection, closed, bounds)}))`;
    return { flows, seal };
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

/** Returns a ZIP file of the files, and of `journal.json`, which says how they were made. */
function zipped(files: readonly WrittenFile[], manifest: object, at: number): Promise<Uint8Array> {
  const contents: Zippable = Object.fromEntries(files.map(({ name, content }) => [name, content]));
  contents['journal.json'] = strToU8(`${JSON.stringify(manifest, undefined, 2)}\n`);
  return new Promise((resolve, reject) => {
    zip(contents, { level: 6, mtime: at }, (error, data) => {
      if (error === null) resolve(data);
      else reject(error);
    });
  });
}
