import { answerJob } from '../../platform/child.ts';
import { readLedgerFile } from './read-file.ts';
import { readTable } from './read-table.ts';
import type { WorkbookJob } from './processes.ts';

// Entry point of the process that reads a workbook. When it exceeds its limits or its client
// disconnects, it ends, which frees its memory.
answerJob((job: WorkbookJob) =>
  job.kind === 'lines' ? readLedgerFile(job.request) : readTable(job.request),
);
