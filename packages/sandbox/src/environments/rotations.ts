import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SandboxError } from '../platform/problem.ts';
import { writeFileAtomically } from '../platform/write-file.ts';
import { environmentNames } from './environment.ts';

/** Maximum number of rotated-out keys per environment and kind that are recognized as outdated. */
const MAX_RETIRED = 20;

/** A rotated-out key. Times are in milliseconds on the sandbox clock. */
const retiredKey = z.strictObject({
  environment: z.enum(environmentNames),
  kind: z.enum(['public', 'private']),
  value: z.string().min(16),
  retiredAt: z.int(),
  /** End of the grace period. */
  validUntil: z.int(),
});
export type RetiredKey = z.output<typeof retiredKey>;

/**
 * The rotated-out keys, in `<folder>/rotations.json`, readable only by the owner, because a key
 * within its grace period still gives access to the API.
 */
export class Rotations {
  readonly #file: string;
  #keys: readonly RetiredKey[];

  /** @throws {SandboxError} when the file is damaged */
  constructor(folder: string) {
    this.#file = join(folder, 'rotations.json');
    this.#keys = readRotations(this.#file);
  }

  /** Newest first. */
  list(): readonly RetiredKey[] {
    return this.#keys;
  }

  add(key: RetiredKey): void {
    const sameSlot = (other: RetiredKey) =>
      other.environment === key.environment && other.kind === key.kind;
    const others = this.#keys.filter((other) => !sameSlot(other));
    // Only the newest key has a grace period: after two rotations two keys are valid, not three.
    const older = this.#keys
      .filter(sameSlot)
      .map((other) => ({ ...other, validUntil: other.retiredAt }));
    this.#write([key, ...older.slice(0, MAX_RETIRED - 1), ...others]);
  }

  /** Permanently ends each grace period that does not include `now`, in milliseconds. */
  endOutside(now: number): void {
    const isOver = ({ retiredAt, validUntil }: RetiredKey) =>
      retiredAt < validUntil && (now < retiredAt || validUntil <= now);
    if (!this.#keys.some(isOver)) return;
    this.#write(
      this.#keys.map((key) => (isOver(key) ? { ...key, validUntil: key.retiredAt } : key)),
    );
  }

  #write(keys: readonly RetiredKey[]): void {
    writeFileAtomically(this.#file, JSON.stringify(keys, undefined, 2) + '\n', 0o600);
    this.#keys = keys;
  }
}

function readRotations(file: string): RetiredKey[] {
  if (!existsSync(file)) return [];
  try {
    return z.array(retiredKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The error has no details, because the file contains keys.
    throw new SandboxError(
      `The file ${file} is damaged: delete it; rotated-out keys are then unknown keys.`,
    );
  }
}
