import { isObject } from '../platform/object.ts';
import { isReason } from './frame.ts';
import type { End } from './presentation.ts';

/** Name of the channel between the pages of a shop (see `take-return.ts`). */
export const RELAY = 'financing-checkout';

/**
 * Interprets the parameters of a redirect. They are an unverified claim, like a message from the
 * frame.
 */
export function endOf(token: unknown, reason: unknown): End {
  return typeof token === 'string' && token
    ? { type: 'confirmed', confirmationToken: token }
    : { type: 'ended', reason: isReason(reason) ? reason : 'failed' };
}

/** Reads a message from another page of the shop. @returns undefined for another session */
export function readRelayed(data: unknown, session: string): End | undefined {
  if (!isObject(data) || data.session !== session) return undefined;
  return endOf(data.token, data.reason);
}
