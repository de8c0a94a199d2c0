import type { ProgrammeFile } from '@financing-checkout/contract/storefront';
import { ProgrammeFileError, readProgrammeFile } from '../programmes/file.ts';
import type { CompanionEnvironment } from './variables.ts';

/** The merchant's file of lenders' programmes, with its text and parsed content at startup. */
export interface ProgrammeSource {
  path: string;
  text: string;
  file: ProgrammeFile;
}

const NAME = 'FINANCING_PROGRAMMES_FILE';

/** Reads `FINANCING_PROGRAMMES_FILE`. */
export function readProgrammes(env: CompanionEnvironment): ProgrammeSource | undefined {
  const source = env.file(NAME);
  if (source === undefined) return undefined;
  try {
    return { ...source, file: readProgrammeFile(source.text) };
  } catch (error) {
    if (!(error instanceof ProgrammeFileError)) throw error;
    env.problem(
      NAME,
      `points to ${source.path}, which cannot be used: ${error.message} Correct it, then run "financing-companion programmes check <file>".`,
    );
    return undefined;
  }
}
