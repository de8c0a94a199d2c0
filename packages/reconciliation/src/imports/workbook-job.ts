import type { Clock } from '@financing-checkout/kit';
import { ChildLimitError, runInChild } from '../platform/child.ts';
import { Mutex } from '../platform/mutex.ts';
import { ProblemError } from '../platform/problem.ts';
import { mainBeside } from '../platform/thread.ts';
import type { FileReading } from './import-report.ts';
import type { PreviewAnswer, PreviewJob } from './preview-answer.ts';
import type { ReadFileRequest } from './read-file.ts';
import type { TableAnswer, TableRequest } from './read-table.ts';
import { tooMuchContent, WORKBOOK_MS, workbookMemory } from './workbook/limits.ts';

/** A reading of a workbook, or of a table that may be one. */
export type WorkbookJob =
  | { kind: 'lines'; request: ReadFileRequest }
  | { kind: 'preview'; request: PreviewJob }
  | { kind: 'table'; request: TableRequest };

interface Answers {
  lines: FileReading;
  preview: PreviewAnswer;
  table: TableAnswer;
}

export interface WorkbookLimits {
  clock: Clock;
  /** Ends the reading when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** One workbook is read at a time, so that the memory of one is the memory of all. */
const turn = new Mutex();
const MAX_WAITING = 8;
const RETRY_SECONDS = 10;
/** Number of workbooks that are read or wait. */
let jobs = 0;

/**
 * Reads a workbook in a process of its own.
 * @throws {LedgerImportError} for one that needs too much time or memory
 * @throws {ProblemError} `overloaded`
 * @throws the reason of the signal
 */
export async function readWorkbook<Job extends WorkbookJob>(
  job: Job,
  { clock, signal }: WorkbookLimits,
): Promise<Answers[Job['kind']]> {
  if (jobs > MAX_WAITING) {
    throw new ProblemError('overloaded', {
      detail: 'Other workbooks are waiting to be read: retry in a moment.',
      retrySafe: true,
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  jobs += 1;
  const main = mainBeside('workbook-main', import.meta.url);
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
