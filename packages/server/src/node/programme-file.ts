import type { ProgrammeSource } from '../config/programmes.ts';
import type { Counters } from '../platform/counters.ts';
import type { Logger } from '../platform/logger.ts';
import {
  MAX_PROGRAMME_FILE_BYTES,
  ProgrammeFileError,
  readProgrammeFile,
} from '../programmes/file.ts';
import type { PublishedProgrammes } from '../programmes/published.ts';
import { watchFile, type WatchedFileOptions } from '@financing-checkout/kit/files';

/**
 * Publishes the programmes of a file, and publishes them again whenever the file changes. While the
 * file is invalid, the previous programmes stay published, so that a mistake in an edit does not
 * remove messages from the pages.
 * @returns a function that stops watching
 */
export async function publishProgrammeFile(
  { path, text: first, file }: ProgrammeSource,
  options: WatchedFileOptions & {
    programmes: PublishedProgrammes;
    counters: Counters;
    logger: Logger;
  },
): Promise<() => void> {
  const { programmes, counters, logger, ...watching } = options;
  await programmes.replace(file);
  let known: string | undefined = first;

  async function publish(text: string | undefined): Promise<void> {
    if (text === known) return;
    known = text;
    try {
      if (text === undefined) throw new ProgrammeFileError(unreadable);
      const next = readProgrammeFile(text);
      await programmes.replace(next);
      logger.log('info', 'programmes-replaced', { count: next.programmes.length });
    } catch (error) {
      if (!(error instanceof ProgrammeFileError)) throw error;
      programmes.refuse(error.message);
      counters.increment('programmes-file-refused');
      logger.log('warn', 'programmes-file-refused', { detail: error.message });
    }
  }

  return watchFile(path, (text) => void publish(text), {
    maxBytes: MAX_PROGRAMME_FILE_BYTES,
    ...watching,
  });
}

const unreadable = `The file cannot be read, or has more than ${MAX_PROGRAMME_FILE_BYTES} bytes.`;
