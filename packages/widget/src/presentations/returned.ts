import { isObject } from '../checkout/object.ts';
import { isReason } from './frame.ts';
import type { End } from './presentation.ts';

/** How a checkout ended that came back by address. Only a claim, as what a frame says is. */
export function endOf(token: unknown, reason: unknown): End {
  return typeof token === 'string' && token
    ? { type: 'confirmed', confirmationToken: token }
    : { type: 'ended', reason: isReason(reason) ? reason : 'failed' };
}

/** Reads what another page of the shop passed on. @returns undefined for another session's. */
export function readRelayed(data: unknown, session: string): End | undefined {
  if (!isObject(data) || data.session !== session) return undefined;
  return endOf(data.token, data.reason);
}
