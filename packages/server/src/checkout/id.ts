import { nodeCrypto } from '../runtime/node-crypto.ts';

const RANDOM_BYTES = 16;
/** Random bytes are drawn for many ids at once: the call costs more than the bytes. */
const pool = new Uint8Array(RANDOM_BYTES * 128);
let unused = 0;

/**
 * A name nobody can guess: after a prefix the time in hexadecimal, then 128 random bits in
 * base64url. Names of one moment are next to each other in an index, as in a UUID of version 7
 * (RFC 9562 5.7): rows that are written together are in the same pages.
 */
export function randomId(prefix: 'chk' | 'att' | 'opr' | 'txn' | 'msg' | 'req'): string {
  if (unused === 0) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  unused -= RANDOM_BYTES;
  const bytes = pool.subarray(unused, unused + RANDOM_BYTES);
  const random = btoa(String.fromCharCode(...bytes));
  // Used once, and not to be found in memory by who looks for the next one.
  bytes.fill(0);
  const time = Date.now().toString(16).padStart(12, '0');
  return `${prefix}_${time}${random.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** SHA-256 in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  if (nodeCrypto !== undefined) return nodeCrypto.hash('sha256', text, 'hex');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
