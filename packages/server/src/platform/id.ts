import { nodeCrypto } from './node-crypto.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 132 random bits: one of 64 characters for each byte. */
const RANDOM_LENGTH = 22;
/** Random bytes for 100 ids: one call for each id costs ten times as much. */
const pool = new Uint8Array(RANDOM_LENGTH * 100);
let unused = 0;

/** The time of the last id in milliseconds since 1970, and the number of earlier ids with that time. */
let lastTime = 0;
let count = 0;
const MAX_COUNT = 0xfff;

type Prefix = 'chk' | 'att' | 'opr' | 'txn' | 'msg' | 'req';

/**
 * Returns a text that sorts before each id created at `time` or later and after each earlier one.
 * @param time milliseconds since 1970
 */
export function firstId(prefix: Prefix, time: number): string {
  return `${prefix}_${time.toString(16).padStart(12, '0')}`;
}

/**
 * Returns an id that an attacker cannot guess: prefix, time in hexadecimal, a count within that
 * millisecond, then random base64url characters. Ids of one moment are neighbours in an index, as
 * with UUIDv7 (RFC 9562 5.7), so rows that are written together share pages. The ids of one process
 * sort in order of creation, also within a millisecond and after the clock is set back (RFC 9562
 * 6.2): attempts of one moment are sorted by them.
 */
export function randomId(prefix: Prefix): string {
  const now = Date.now();
  count = now > lastTime || count === MAX_COUNT ? 0 : count + 1;
  if (count === 0) lastTime = Math.max(now, lastTime + 1);
  if (unused === 0) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  let id = firstId(prefix, lastTime) + count.toString(16).padStart(3, '0');
  const end = unused;
  unused -= RANDOM_LENGTH;
  for (let index = unused; index < end; index++) {
    id += ALPHABET.charAt((pool[index] ?? 0) & 63);
    // Used bytes are erased, so that no one can read them from memory to guess an id.
    pool[index] = 0;
  }
  return id;
}

/** Returns the SHA-256 of a text in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  if (nodeCrypto !== undefined) return nodeCrypto.hash('sha256', text, 'hex');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
