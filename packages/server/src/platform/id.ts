import { nodeCrypto } from './node-crypto.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 132 random bits: one of 64 characters for each byte. */
const RANDOM_LENGTH = 22;
/** Random bytes are drawn for many ids at once: the call costs more than the bytes. */
const pool = new Uint8Array(RANDOM_LENGTH * 100);
let unused = 0;

/** The last moment that a name has, in milliseconds since 1970, and how many have had it before. */
let moment = 0;
let momentText = '';
let before = 0;
const MAX_BEFORE = 0xfff;

type Prefix = 'chk' | 'att' | 'opr' | 'txn' | 'msg' | 'req';

/** What sorts before all names from a moment on (milliseconds since 1970), and after all before. */
export function firstId(prefix: Prefix, moment: number): string {
  return `${prefix}_${momentName(moment)}`;
}

function momentName(moment: number): string {
  return moment.toString(16).padStart(12, '0');
}

/**
 * A name nobody can guess: after a prefix the time in hexadecimal and a count within it, then random
 * characters of base64url. Names of one moment are next to each other in an index, as in a UUID of
 * version 7 (RFC 9562 5.7): rows that are written together are in the same pages. Those that one
 * process makes sort as they were made, also within a millisecond and when the clock is set back
 * (RFC 9562 6.2): that orders attempts of one moment.
 */
export function randomId(prefix: Prefix): string {
  if (unused === 0) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  const now = Date.now();
  before = now > moment ? 0 : before + 1;
  if (before > MAX_BEFORE) before = 0;
  if (before === 0) {
    moment = Math.max(now, moment + 1);
    momentText = momentName(moment);
  }
  let id = `${prefix}_${momentText}${before.toString(16).padStart(3, '0')}`;
  for (let index = unused - RANDOM_LENGTH; index < unused; index++) {
    id += ALPHABET.charAt((pool[index] ?? 0) & 63);
    // Used once, and not to be found in memory by who looks for the next one.
    pool[index] = 0;
  }
  unused -= RANDOM_LENGTH;
  return id;
}

/** SHA-256 in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  if (nodeCrypto !== undefined) return nodeCrypto.hash('sha256', text, 'hex');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
