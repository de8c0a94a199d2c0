import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically: a reader sees the old or the new content, never a partial file. */
export function writeFileAtomically(file: string, content: string, mode: number): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, file);
}
