import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../problem.ts';
import { environmentNames, type EnvironmentName } from './environment.ts';

export const keyKinds = ['public', 'private'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** One key, and what may be said of it aloud: environment and kind. */
export interface Key {
  environment: EnvironmentName;
  kind: KeyKind;
  file: string;
  value: string;
}

/**
 * The keys of all environments (specification 5.4, 5.5), kept in `<dataDir>/keys/`, made once.
 * They are random and alike: which environment or kind a key has cannot be seen from its text.
 */
export class KeyRing {
  readonly #keys: readonly Key[];

  /** @throws {SandboxError} when a key file is empty or two files hold the same key. */
  constructor(dataDir: string) {
    const folder = join(dataDir, 'keys');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#keys = environmentNames.flatMap((environment) =>
      keyKinds.map((kind) => {
        const file = join(folder, `${environment}.${kind}`);
        return { environment, kind, file, value: readOrCreate(file, kind) };
      }),
    );
    if (new Set(this.#keys.map((key) => key.value)).size !== this.#keys.length) {
      throw new SandboxError(`Two files in ${folder} hold the same key: delete one of them.`);
    }
  }

  /** All keys, for the commands that show them. */
  all(): readonly Key[] {
    return this.#keys;
  }

  get(environment: EnvironmentName, kind: KeyKind): Key {
    const found = this.#keys.find((key) => key.environment === environment && key.kind === kind);
    if (!found) throw new SandboxError(`There is no ${kind} key for ${environment}.`);
    return found;
  }

  /** Which key this is, if it is one. Takes the same time for every text. */
  identify(text: string): Key | undefined {
    const presented = digest(text);
    let match: Key | undefined;
    for (const key of this.#keys) {
      if (timingSafeEqual(digest(key.value), presented)) match = key;
    }
    return match;
  }

  /** Takes every key, and what looks like an e-mail address, out of a text that is to be shown. */
  redact(text: string): string {
    let safe = text;
    for (const key of this.#keys) safe = safe.replaceAll(key.value, `[${key.kind} key]`);
    return safe.replaceAll(/[^\s/@?&=]+(@|%40)[^\s/@?&=]+/gi, '[e-mail]');
  }
}

function readOrCreate(file: string, kind: KeyKind): string {
  if (!existsSync(file)) {
    const value = randomBytes(32).toString('hex');
    writeFileSync(file, value + '\n', { mode: kind === 'private' ? 0o600 : 0o644, flag: 'wx' });
    return value;
  }
  const value = readFileSync(file, 'utf8').trim();
  if (value.length < 16) {
    throw new SandboxError(`The key file ${file} is empty or too short: delete it for a new key.`);
  }
  return value;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
