import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../platform/problem.ts';
import { writeFileAtomically } from '../platform/write-file.ts';
import { environmentNames, type EnvironmentName } from './environment.ts';
import { Rotations, type RetiredKey } from './rotations.ts';

export const keyKinds = ['public', 'private'] as const;
export type KeyKind = (typeof keyKinds)[number];

/**
 * State of a key: `current`; `previous`, rotated out but within its grace period; `outdated`, which
 * the API rejects with 401 (specification 5.3).
 */
type KeySlot = 'current' | 'previous' | 'outdated';

/** One key. Only its environment and kind may appear in logs. */
interface Key {
  environment: EnvironmentName;
  kind: KeyKind;
  file: string;
  value: string;
}

/** What is known about a presented key. */
export interface IdentifiedKey {
  environment: EnvironmentName;
  kind: KeyKind;
  slot: KeySlot;
}

/**
 * The keys of all environments (specification 5.4, 5.5) in `<dataDir>/keys/`, created once and rotated
 * on demand. All keys are random and look alike, so a key does not reveal its environment or kind.
 */
export class KeyRing {
  readonly #rotations: Rotations;
  readonly #now: () => number;
  #keys: readonly Key[];

  /**
   * @param now the sandbox clock, which determines grace periods, in milliseconds since 1970
   * @throws {SandboxError} when a key file is empty, damaged, or two files hold the same key.
   */
  constructor(dataDir: string, now: () => number) {
    const folder = join(dataDir, 'keys');
    this.#now = now;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#rotations = new Rotations(folder);
    this.#keys = environmentNames.flatMap((environment) =>
      keyKinds.map((kind) => {
        const file = join(folder, `${environment}.${kind}`);
        return { environment, kind, file, value: readOrCreateSecret(file, modeOf(kind)) };
      }),
    );
    if (new Set(this.#keys.map((key) => key.value)).size !== this.#keys.length) {
      throw new SandboxError(`Two files in ${folder} hold the same key: delete one of them.`);
    }
  }

  /** Returns the current keys, for the commands that show them. */
  all(): readonly Key[] {
    return this.#keys;
  }

  get(environment: EnvironmentName, kind: KeyKind): Key {
    const found = this.#keys.find((key) => key.environment === environment && key.kind === kind);
    if (!found) throw new SandboxError(`There is no ${kind} key for ${environment}.`);
    return found;
  }

  /** Identifies a presented key, in constant time. */
  identify(text: string): IdentifiedKey | undefined {
    const presented = digest(text);
    const now = this.#now();
    let match: IdentifiedKey | undefined;
    // Current keys come last, because an interrupted rotation leaves a key in both places.
    for (const { environment, kind, value, retiredAt, validUntil } of this.#rotations.list()) {
      const slot = retiredAt <= now && now < validUntil ? 'previous' : 'outdated';
      if (timingSafeEqual(digest(value), presented)) match = { environment, kind, slot };
    }
    for (const { environment, kind, value } of this.#keys) {
      if (timingSafeEqual(digest(value), presented)) match = { environment, kind, slot: 'current' };
    }
    return match;
  }

  /**
   * Creates a new key and writes it to the key's file. The old key stays valid for `graceMs` on the
   * sandbox clock, after which it is outdated (specification 5.3, 5.6).
   */
  rotate(environment: EnvironmentName, kind: KeyKind, graceMs: number): RotatedKey {
    const old = this.get(environment, kind);
    const key: Key = { ...old, value: newKey() };
    const retiredAt = this.#now();
    const retired: RetiredKey = {
      environment,
      kind,
      value: old.value,
      retiredAt,
      validUntil: retiredAt + graceMs,
    };
    // The old key is stored first, so that a kill in between leaves it current, not unknown.
    this.#rotations.add(retired);
    writeFileAtomically(key.file, key.value + '\n', modeOf(kind));
    this.#keys = this.#keys.map((other) => (other === old ? key : other));
    return { key, previousValidUntil: retired.validUntil };
  }

  /**
   * Ends expired grace periods permanently. Called before and after each clock change, so that
   * setting the clock back does not revive a key.
   */
  endGracePeriods(): void {
    this.#rotations.endOutside(this.#now());
  }

  /** Redacts keys and email addresses in a string to be displayed. */
  redact(text: string): string {
    let safe = text;
    for (const key of [...this.#keys, ...this.#rotations.list()]) {
      safe = safe.replaceAll(key.value, `[${key.kind} key]`);
    }
    return safe.replaceAll(/[^\s/@?&=]+(@|%40)[^\s/@?&=]+/gi, '[e-mail]');
  }
}

/** The result of a rotation. `previousValidUntil` is in milliseconds on the sandbox clock. */
interface RotatedKey {
  key: Key;
  previousValidUntil: number;
}

/**
 * Returns the secret in a file, which is created with a random one if it is missing.
 * @throws {SandboxError} when the file is damaged
 */
export function readOrCreateSecret(file: string, mode: number): string {
  if (!existsSync(file)) {
    const value = newKey();
    writeFileAtomically(file, value + '\n', mode);
    return value;
  }
  const value = readFileSync(file, 'utf8').trim();
  if (value.length < 16) {
    throw new SandboxError(`The file ${file} is empty or too short: delete it for a new secret.`);
  }
  return value;
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}

function modeOf(kind: KeyKind): number {
  return kind === 'private' ? 0o600 : 0o644;
}

/** Hashes a secret, so that the comparison takes constant time for any length. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
