import { answerJobs } from '../platform/thread.ts';
import { LedgerImportError } from './columns.ts';
import { previewLedger, previewWorkbook } from './preview.ts';
import type { PreviewAnswer, PreviewJob } from './preview-thread.ts';

// Entry point of the worker that previews ledger files, because a malicious file takes long to
// read.
answerJobs(async ({ file, options, preset, rows }: PreviewJob): Promise<PreviewAnswer> => {
  try {
    const preview =
      typeof file === 'string'
        ? await previewWorkbook(file, options, preset, rows)
        : await previewLedger(file, options, preset);
    return { preview };
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    return { refusal: error.message };
  }
});
