import { isReason } from './frame.ts';
import type { End } from './presentation.ts';

/** Name of the channel between a shop's pages (see `take-return.ts`). */
export const RELAY = 'financing-checkout';

/** Interprets a redirect's parameters. They are an unverified claim, like a message from the frame. */
export function endOf(token: unknown, reason: unknown): End {
  return typeof token === 'string' && token
    ? { type: 'confirmed', confirmationToken: token }
    : { type: 'ended', reason: isReason(reason) ? reason : 'failed' };
}
