import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { type Alphabet, alphabetOf, runs } from './runs.ts';

/**
 * The alphabets of keys. A fingerprint names the narrowest alphabet that contains its key: the
 * search then examines only runs of such characters, which are rare in real output. Ordered from
 * narrowest to widest; the last alphabet contains every character that a header value can carry
 * unquoted.
 */
const alphabets = {
  x: '0-9a-f',
  X: '0-9A-F',
  a: '0-9A-Za-z',
  t: '0-9A-Za-z._~+/=-',
  v: '!-~',
} as const;
type AlphabetName = keyof typeof alphabets;

const salts = 12;
const digests = 16;
/** Costs 16 MiB and tens of milliseconds per guess. Part of version 1 of the format. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
/** Bits of the checksum that selects the windows for scrypt. See {@link fingerprint}. */
const checkBits = 16;

const shortest = 16;
const fewestDistinct = 6;

const form = /^kf1\.([xXatv])(\d{1,4})\.([\w-]{16})\.([0-9a-f]{4})\.([\w-]{22})$/;

/** Thrown for an invalid key, fingerprint or option. Its message contains no key. */
export class KeyFenceError extends Error {
  override readonly name = 'KeyFenceError';
}

/**
 * Describes a key so that a build can be searched for it by someone who does not have it:
 * `kf1.<alphabet><length>.<salt>.<check>.<digest>`, safe in a CI variable or in a repository.
 *
 * It reveals the length, the alphabet and 16 bits of checksum, so a random key of 128 bits keeps at
 * least 112. Each additional fingerprint of the same key reveals 16 more bits, so share only one.
 * The digest is scrypt with a random salt.
 *
 * The checksum makes the search feasible: without the checksum, every window of the output would
 * cost one scrypt computation. The checksum also lets an attacker skip all but one of 65 536 wrong
 * guesses, so a fingerprint protects randomly generated keys, not keys invented by a person.
 *
 * @throws {KeyFenceError} for a key shorter than 16 characters, with fewer than 6 distinct
 * characters, or with characters that an `Authorization` header cannot carry (anything but visible
 * ASCII).
 */
export function fingerprint(secret: string): string {
  const key = checkedKey(secret, 'The key');
  if (key.length < shortest || new Set(key).size < fewestDistinct) {
    throw new KeyFenceError(
      `The key is too weak for a fingerprint: it needs ${shortest} characters or more, ` +
        `${fewestDistinct} of them different. Make it with a random generator.`,
    );
  }
  const [alphabet = 'v'] = (Object.keys(alphabets) as AlphabetName[]).filter((name) =>
    new RegExp(`^[${alphabets[name]}]+$`).test(key),
  );
  const salt = randomBytes(salts);
  const check = checksum(rollingHash(key, multiplier(salt)))
    .toString(16)
    .padStart(4, '0');
  const digest = scryptSync(key, salt, digests, cost);
  return `kf1.${alphabet}${key.length}.${encode(salt)}.${check}.${encode(digest)}`;
}

/** Finds the key of one fingerprint in text. */
export class FingerprintSearch {
  readonly length: number;
  readonly #alphabet: Alphabet;
  readonly #salt: Buffer;
  readonly #check: number;
  readonly #digest: Buffer;
  /**
   * Cache of scrypt results for windows that passed the checksum, because files often share
   * content.
   */
  readonly #verdicts = new Map<string, boolean>();

  /** @throws {KeyFenceError} when the text is not a fingerprint of a known version */
  constructor(text: string, name: string) {
    const [, alphabet, length, salt, check, digest] = form.exec(text) ?? [];
    if (!alphabet || !length || !salt || !check || !digest || Number(length) < shortest) {
      throw new KeyFenceError(
        `${name} is not a fingerprint. One is made by fingerprint(key) and starts with "kf1.".`,
      );
    }
    this.length = Number(length);
    this.#alphabet = alphabetOf(alphabets[alphabet as AlphabetName]);
    this.#salt = Buffer.from(salt, 'base64url');
    this.#check = Number.parseInt(check, 16);
    this.#digest = Buffer.from(digest, 'base64url');
  }

  foundIn(text: string): boolean {
    for (const run of runs(text, this.#alphabet, this.length)) {
      if (this.#foundInRun(run)) return true;
    }
    return false;
  }

  /**
   * Rabin-Karp: the hash of the next window is computed from the previous hash in constant time.
   */
  #foundInRun(run: string): boolean {
    const factor = multiplier(this.#salt);
    let leading = 1;
    for (let i = 1; i < this.length; i += 1) leading = Math.imul(leading, factor);
    let hash = rollingHash(run.slice(0, this.length), factor);
    for (let start = 0; ; start += 1) {
      const end = start + this.length;
      if (checksum(hash) === this.#check && this.#isKey(run.slice(start, end))) return true;
      if (end >= run.length) return false;
      const without = hash - Math.imul(run.charCodeAt(start), leading);
      hash = (Math.imul(without, factor) + run.charCodeAt(end)) | 0;
    }
  }

  #isKey(window: string): boolean {
    let verdict = this.#verdicts.get(window);
    if (verdict === undefined) {
      const digest = scryptSync(window, this.#salt, digests, cost);
      verdict = timingSafeEqual(digest, this.#digest);
      this.#verdicts.set(window, verdict);
    }
    return verdict;
  }
}

/**
 * @throws {KeyFenceError} unless the secret is visible ASCII: a Bearer header cannot carry other
 * characters (RFC 6750 2.1), so they indicate a configuration mistake, such as a quoted or wrapped
 * line
 */
export function checkedKey(secret: string, name: string): string {
  if (!/^[!-~]+$/.test(secret)) {
    throw new KeyFenceError(
      `${name} is empty, or contains a space, a line break or a character outside ASCII.`,
    );
  }
  return secret;
}

/**
 * The multiplier is odd, so that it is invertible modulo 2^32, and derived from the salt, so that
 * it differs for each key.
 */
function multiplier(salt: Buffer): number {
  return salt.readInt32LE(0) | 1;
}

function rollingHash(text: string, factor: number): number {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) {
    hash = (Math.imul(hash, factor) + text.charCodeAt(i)) | 0;
  }
  return hash;
}

/** Returns the upper bits: modulo a power of two, the lower bits depend on less of the input. */
function checksum(hash: number): number {
  return hash >>> (32 - checkBits);
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url');
}
