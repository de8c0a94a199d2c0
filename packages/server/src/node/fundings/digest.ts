import { createHmac, hash } from 'node:crypto';
import type { Digest } from '../../fundings/record.ts';

/** Its first 132 bits tell records apart; that a lender makes two with the same is not feared. */
const LENGTH = 22;

export const digest: Digest = (data) => hash('sha256', data, 'base64url').slice(0, LENGTH);

/** HMAC-SHA-256: who has no key cannot find a text by trying texts. */
export function keyedHash(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('base64url').slice(0, LENGTH);
}
