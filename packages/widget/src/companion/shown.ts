import { SHOWN } from '../events/message-shown-event.ts';
import type { ShownMessage } from '../events/message-shown-event.ts';

/** The text that `<financing-message>` stores, and nothing else. */
const wellFormed =
  /^{"programmeId":"[A-Za-z0-9][\w.-]{0,99}","textId":"[A-Za-z0-9][\w.-]{0,99}","sha256":"[0-9a-f]{64}","amount":\d{1,14},"currency":"([A-Z]{3})","shownAt":"\d{4}-\d\d-\d\dT[\d:.]{8,12}Z"}$/;

/**
 * Returns the message that the shopper saw last, where it is well-formed: the companion would refuse a
 * checkout with any other one.
 * @param currency the order's; undefined where only the companion knows it
 */
export function shownMessage(currency: unknown): ShownMessage | undefined {
  try {
    const text = sessionStorage.getItem(SHOWN) ?? '';
    const [, known] = wellFormed.exec(text) ?? [];
    return known && (currency ?? known) === known ? (JSON.parse(text) as ShownMessage) : undefined;
  } catch {
    return undefined;
  }
}
