import type { ShownMessage } from '../events/message-shown-event.ts';

/** The text that `<financing-message>` stores, and nothing else. */
const wellFormed =
  /^{"programmeId":"[A-Za-z0-9][\w.-]{0,99}","textId":"[A-Za-z0-9][\w.-]{0,99}","sha256":"[0-9a-f]{64}","amount":\d{1,14},"currency":"([A-Z]{3})","shownAt":"\d{4}-\d\d-\d\dT[\d:.]{8,12}Z"}$/;

/**
 * Reads the message that the shopper saw last. The companion would refuse a checkout with a malformed one.
 * @param currency the order's; undefined where only the companion knows it
 * @returns undefined where it is malformed, or of another currency
 */
export function shownMessage(text: string, currency: unknown): ShownMessage | undefined {
  const [, known] = wellFormed.exec(text) ?? [];
  return known && (currency ?? known) === known ? (JSON.parse(text) as ShownMessage) : undefined;
}
