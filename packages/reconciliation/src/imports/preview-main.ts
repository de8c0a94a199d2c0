import { answerJobs } from '../platform/thread.ts';
import { LedgerImportError } from './columns.ts';
import { previewLedger } from './preview.ts';
import type { PreviewAnswer, PreviewJob } from './preview-thread.ts';

// Entry point of the worker that previews ledger files: a hostile one takes long to read.
answerJobs(async ({ bytes, options, preset }: PreviewJob): Promise<PreviewAnswer> => {
  try {
    return { preview: await previewLedger(bytes, options, preset) };
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    return { refusal: error.message };
  }
});
