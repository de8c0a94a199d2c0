import type { ProblemCode } from '@financing-checkout/contract';
import { StrangersFolderError } from '@financing-checkout/kit/files';

/** The lake cannot be written or read. The message names no path. */
export class LakeError extends Error {
  override readonly name = 'LakeError';
  readonly code: Extract<ProblemCode, 'lake-unavailable' | 'storage-full'>;

  constructor(code: LakeError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Explains an error of the file system or of DuckDB. */
  static of(error: unknown): LakeError {
    if (error instanceof LakeError) return error;
    if (error instanceof StrangersFolderError) {
      const reason = `A folder on the path of the lake ${error.advice}`;
      return new LakeError('lake-unavailable', reason, { cause: error });
    }
    const code = errorCodeOf(error) ?? '';
    const isFull = full.has(code) || (error instanceof Error && fullText.test(error.message));
    if (isFull) return new LakeError('storage-full', 'The disk is full.', { cause: error });
    const reason = reasons[code] ?? `The folder of the lake cannot be used (${code}).`;
    return new LakeError('lake-unavailable', reason, { cause: error });
  }
}

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const fullText = /No space left|Disk quota exceeded/i;
const NOT_PERMITTED = 'This user may not write to the folder of the lake.';
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'The folder of the lake does not exist: mount or create it.',
  ENOTDIR: 'The path of the lake is no folder.',
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: NOT_PERMITTED,
};

/** Returns the code of a system error, such as `ENOENT`. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
