import { SHOWN } from '../events/message-shown-event.ts';
import type { ShownMessage } from '../events/message-shown-event.ts';
import { isObject } from '../platform/object.ts';

const patterns: Readonly<Record<keyof ShownMessage, RegExp>> = {
  programmeId: /^[A-Za-z0-9][\w.-]{0,99}$/,
  textId: /^[A-Za-z0-9][\w.-]{0,99}$/,
  sha256: /^[0-9a-f]{64}$/,
  amount: /^\d{1,14}$/,
  currency: /^[A-Z]{3}$/,
  shownAt: /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/,
};

/**
 * Returns the message that the shopper saw last, where it is well-formed: the companion would refuse a
 * checkout with any other one.
 * @param currency the order's; undefined where only the companion knows it
 */
export function shownMessage(currency: unknown): ShownMessage | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(SHOWN) ?? '');
    if (!isObject(value)) return undefined;
    if (currency !== undefined && value.currency !== currency) return undefined;
    const entries = Object.entries(patterns);
    const isWellFormed = entries.every(
      ([name, pattern]) =>
        typeof value[name] === (name === 'amount' ? 'number' : 'string') &&
        pattern.test(String(value[name])),
    );
    return isWellFormed && Object.keys(value).length === entries.length
      ? (value as object as ShownMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
