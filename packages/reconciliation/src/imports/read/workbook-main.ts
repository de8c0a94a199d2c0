import { answerJob } from '../../platform/child.ts';
import { readLedgerFile } from './read-file.ts';
import { readTable } from './read-table.ts';
import type { WorkbookJob } from './processes.ts';

// Entry point of the process that reads a workbook, which ends with its memory when it needs too
// much time or memory, or when its client leaves.
answerJob((job: WorkbookJob) =>
  job.kind === 'lines' ? readLedgerFile(job.request) : readTable(job.request),
);
