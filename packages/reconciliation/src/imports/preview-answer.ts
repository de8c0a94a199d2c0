import type { LedgerPreset, LedgerPreview } from '@financing-checkout/contract';
import { LedgerImportError } from './columns.ts';
import type { LedgerImportOptions } from './options.ts';
import { previewLedger, previewWorkbook } from './preview.ts';

export interface PreviewJob {
  /**
   * The first bytes of a text file, whose last record may be truncated, or the path of a workbook.
   */
  file: Uint8Array | string;
  options: LedgerImportOptions;
  /** The preset that the user selected. */
  preset: LedgerPreset | undefined;
  /** Numbers of the rows of a sheet whose cells are wanted. */
  rows?: readonly number[] | undefined;
}

/** A preview, or the message of a {@link LedgerImportError}. */
export type PreviewAnswer = { preview: LedgerPreview } | { refusal: string };

/** Previews a file. An error of the file is part of the answer, because a class is not sent. */
export async function answerPreview({
  file,
  options,
  preset,
  rows,
}: PreviewJob): Promise<PreviewAnswer> {
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
}
