import { answerJob } from '../platform/child.ts';
import { answerPreview } from './preview-answer.ts';
import { readLedgerFile } from './read-file.ts';
import { readTable } from './read-table.ts';
import type { WorkbookJob } from './workbook-job.ts';

// Entry point of the process that reads a workbook, which ends with its memory when it needs too
// much time or memory, or when its client leaves.
answerJob((job: WorkbookJob) => {
  switch (job.kind) {
    case 'lines':
      return readLedgerFile(job.request);
    case 'preview':
      return answerPreview(job.request);
    case 'table':
      return readTable(job.request);
  }
});
