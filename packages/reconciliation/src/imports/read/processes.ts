import type { Clock } from '@financing-checkout/kit';
import { ChildLimitError, runInChild } from '../../platform/child.ts';
import { Mutex } from '../../platform/mutex.ts';
import { mainBeside, Thread, ThreadBusyError } from '../../platform/thread.ts';
import { writeWhole } from '@financing-checkout/kit/files';
import { LedgerImportError } from '../import-error.ts';
import { zoneOf } from './options.ts';
import type { PlainLines } from './plain.ts';
import { type FileReading, unreadableFile } from './tally.ts';
import type { ReadFileRequest } from './read-file.ts';
import type { TableAnswer, TableRequest } from './read-table.ts';
import { tooMuchContent, WORKBOOK_MS, workbookMemory } from './workbook/limits.ts';

/** A job for the process that reads workbooks: reading lines or a table. */
export type WorkbookJob =
  | { kind: 'lines'; request: ReadFileRequest }
  | { kind: 'table'; request: TableRequest };

export interface WorkbookLimits {
  clock: Clock;
  /** Stops reading when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** Only one workbook is read at a time, to limit the total memory. */
const turn = new Mutex();
const MAX_WAITING = 8;
/** Number of workbooks being read or waiting. */
let jobs = 0;

/**
 * Reads a workbook in a separate process.
 * @param main the process's module, which answers the job
 * @throws {LedgerImportError} for a workbook that needs too much time or memory
 * @throws {ThreadBusyError} if too many are waiting
 * @throws the reason of the signal
 */
export async function runWorkbookJob<Answer>(
  main: URL,
  job: object,
  { clock, signal }: WorkbookLimits,
): Promise<Answer> {
  if (jobs > MAX_WAITING) {
    throw new ThreadBusyError('Other workbooks are waiting to be read: retry in a moment.');
  }
  jobs += 1;
  try {
    return await turn.run(
      () => runInChild(main, job, { limit: { ms: WORKBOOK_MS, clock }, ...workbookMemory, signal }),
      signal,
    );
  } catch (error) {
    throw error instanceof ChildLimitError ? tooMuchContent(error) : error;
  } finally {
    jobs -= 1;
  }
}

function runReading<Answer>(job: WorkbookJob, limits: WorkbookLimits): Promise<Answer> {
  return runWorkbookJob(mainBeside('workbook-main', import.meta.url), job, limits);
}

/** Reads a table that is, or may be, in a workbook. @throws as {@link runWorkbookJob} does */
export function readTableInChild(
  request: TableRequest,
  limits: WorkbookLimits,
): Promise<TableAnswer> {
  return runReading({ kind: 'table', request }, limits);
}

/** Reads a sheet of a workbook. A workbook that exceeds the time or memory limit is unreadable. */
export async function readSheet(
  request: ReadFileRequest,
  limits: WorkbookLimits,
): Promise<FileReading> {
  try {
    return await runReading({ kind: 'lines', request }, limits);
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    // The process may have ended in the middle of a line.
    await writeWhole(request.to, () => Promise.resolve());
    return unreadableFile(error, zoneOf(request.options));
  }
}

/** Reads in a thread, which then ends and frees its memory. */
export async function readInThread(request: ReadFileRequest): Promise<FileReading> {
  const thread = new Thread<ReadFileRequest, FileReading>({
    name: 'reading',
    main: mainBeside('reading-main', import.meta.url),
    resourceLimits: {},
  });
  try {
    return await thread.run(request);
  } finally {
    await thread.close();
  }
}

/**
 * Reads a file's plain lines in a separate process.
 * @returns undefined if the reader must read the whole file
 */
export function readPlainLinesInChild(request: ReadFileRequest): Promise<PlainLines | undefined> {
  return runInChild(mainBeside('plain-main', import.meta.url), request);
}
