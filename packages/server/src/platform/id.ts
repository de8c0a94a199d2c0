const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 132 random bits: 22 characters of 6 bits, one per random byte. */
const RANDOM_LENGTH = 22;
/** Random bytes for many ids at once, because the call costs more than the bytes. */
const pool = new Uint8Array(RANDOM_LENGTH * 100);
let unused = 0;

/**
 * The time of the last id in milliseconds since the Unix epoch, and the number of earlier ids with
 * this time.
 */
let moment = 0;
let momentText = '';
let before = 0;
const MAX_BEFORE = 0xfff;

type Prefix = 'chk' | 'att' | 'opr' | 'txn' | 'msg' | 'req' | 'prq';

/**
 * Returns a string that sorts before all ids from a given time on (milliseconds since the Unix
 * epoch), and after all earlier ids.
 */
export function firstId(prefix: Prefix, moment: number): string {
  return `${prefix}_${momentName(moment)}`;
}

function momentName(moment: number): string {
  return moment.toString(16).padStart(12, '0');
}

/**
 * Returns an unguessable id: the prefix, the time in hexadecimal, a counter, then random base64url
 * characters. As in a UUID of version 7 (RFC 9562 5.7), ids with nearby timestamps are adjacent in
 * an index, so rows that are written together share pages. The ids of one process sort in order of
 * creation, even within a millisecond and when the clock is set back (RFC 9562 6.2); attempts are
 * ordered by them.
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
    // Erase used bytes: a memory dump must not reveal ids.
    pool[index] = 0;
  }
  unused -= RANDOM_LENGTH;
  return id;
}

interface Runtime {
  process?: { getBuiltinModule?: typeof process.getBuiltinModule };
}

const { process: node } = globalThis as Runtime;

/**
 * Node's cryptography, if the runtime has it (Node, Bun, Deno, workerd with its compatibility
 * flag). Every runtime has Web Crypto, but Web Crypto dispatches even a few bytes to another
 * thread, which costs each checkout more than the hash itself.
 */
const nodeCrypto = node?.getBuiltinModule?.('node:crypto');

export async function sha256(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  if (nodeCrypto !== undefined) return nodeCrypto.hash('sha256', content, 'hex');
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return inHexadecimal(await crypto.subtle.digest('SHA-256', bytes));
}

export function inHexadecimal(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
