import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SandboxError } from '../problem.ts';
import { environmentNames } from './environment.ts';

/** Rotated-out keys kept for one environment and kind: enough to say "outdated" of any of them. */
const KEPT = 20;

/** A key that was rotated out. Times are milliseconds of the sandbox clock. */
const retiredKey = z.strictObject({
  environment: z.enum(environmentNames),
  kind: z.enum(['public', 'private']),
  value: z.string().min(16),
  retiredAt: z.int(),
  /** Until when it is still taken. */
  validUntil: z.int(),
});
export type RetiredKey = z.output<typeof retiredKey>;

/**
 * The rotated-out keys, in `<folder>/rotations.json`, readable by the owner only: one within its
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
    // Only the newest may be in its grace period: after two rotations two keys open, not three.
    const older = this.#keys
      .filter(sameSlot)
      .map((other) => ({ ...other, validUntil: other.retiredAt }));
    this.#keep([key, ...older.slice(0, KEPT - 1), ...others]);
  }

  /** Ends for good each grace period that `now`, in milliseconds, lies outside of. */
  endOutside(now: number): void {
    const isOver = ({ retiredAt, validUntil }: RetiredKey) =>
      retiredAt < validUntil && (now < retiredAt || validUntil <= now);
    if (!this.#keys.some(isOver)) return;
    this.#keep(
      this.#keys.map((key) => (isOver(key) ? { ...key, validUntil: key.retiredAt } : key)),
    );
  }

  #keep(keys: readonly RetiredKey[]): void {
    writeWhole(this.#file, JSON.stringify(keys, undefined, 2) + '\n', 0o600);
    this.#keys = keys;
  }
}

/** Whoever reads the file sees the old content or the new one, never a part. */
export function writeWhole(file: string, content: string, mode: number): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, file);
}

function readRotations(file: string): RetiredKey[] {
  if (!existsSync(file)) return [];
  try {
    return z.array(retiredKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // No detail: the file holds keys.
    throw new SandboxError(
      `The file ${file} is damaged: delete it, and every rotated-out key is simply unknown.`,
    );
  }
}
