import {
  checkFields,
  describeFields,
  type ProgrammeFile,
  programmeFileSchema,
} from '@financing-checkout/contract/storefront';
import { isKeepableText } from '../platform/store-errors.ts';

/** Maximum size of a programme file, in bytes: 500 programmes with a page of text each. */
export const MAX_PROGRAMME_FILE_BYTES = 1_048_576;

/**
 * An invalid programme file. The message states the location and the reason, and contains no value
 * from the file.
 */
export class ProgrammeFileError extends Error {
  override readonly name = 'ProgrammeFileError';
}

/**
 * Reads the text of a programme file. Its texts are shown verbatim and kept as evidence, so any
 * text that a decoder or a database would alter is refused.
 * @throws {ProgrammeFileError}
 */
export function readProgrammeFile(text: string): ProgrammeFile {
  if (new TextEncoder().encode(text).length > MAX_PROGRAMME_FILE_BYTES) {
    throw new ProgrammeFileError(`The file has more than ${MAX_PROGRAMME_FILE_BYTES} bytes.`);
  }
  // The decoder replaces bytes that are not UTF-8 with this character.
  if (text.includes('\uFFFD')) throw new ProgrammeFileError('The file is not UTF-8 text.');
  const checked = checkFields(programmeFileSchema, parse(text.replace(/^\uFEFF/, '')));
  if (!checked.success) {
    const fields = describeFields(checked.errors).replace(/^the body /, 'the file ');
    throw new ProgrammeFileError(fields);
  }
  const path = unkeepablePath(checked.data, []);
  if (path === undefined) return checked.data;
  throw new ProgrammeFileError(
    `${path.join('.')} contains U+0000 or half of a character, which no database can store.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message would also contain an excerpt of the text.
    const place =
      error instanceof Error ? /line \d+ column \d+/.exec(error.message)?.[0] : undefined;
    throw new ProgrammeFileError(
      `The file is not JSON${place === undefined ? '' : `: see ${place}`}.`,
    );
  }
}

function unkeepablePath(value: unknown, path: string[]): string[] | undefined {
  if (typeof value === 'string') return isKeepableText(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = unkeepablePath(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
