import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SandboxError } from '../platform/problem.ts';
import { writeFileAtomically } from '../platform/write-file.ts';
import { environmentNames } from './environment.ts';

/** Number of rotated-out keys of one environment and kind that are recognized as outdated. */
const MAX_RETIRED = 20;

/** A rotated-out key. Times are milliseconds of the sandbox clock. */
const retiredKey = z.strictObject({
  environment: z.enum(environmentNames),
  kind: z.enum(['public', 'private']),
  value: z.string().min(16),
  retiredAt: z.int(),
  /** End of its grace period. */
  validUntil: z.int(),
});
export type RetiredKey = z.output<typeof retiredKey>;

/**
 * The rotated-out keys, in `<folder>/rotations.json`, readable by the owner only: a key within its
 * grace period still opens the API.
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
    // Only the newest has a grace period: after two rotations two keys are valid, not three.
    const older = this.#keys
      .filter(sameSlot)
      .map((other) => ({ ...other, validUntil: other.retiredAt }));
    this.#write([key, ...older.slice(0, MAX_RETIRED - 1), ...others]);
  }

  /** Ends permanently each grace period that does not include `now`, in milliseconds. */
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
    // No detail: the file holds keys.
    throw new SandboxError(
      `The file ${file} is damaged: delete it; rotated-out keys are then unknown keys.`,
    );
  }
}
