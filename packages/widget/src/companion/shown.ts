import type { ShownMessage } from '../events/message-shown-event.ts';

/** Matches exactly the text that `<financing-message>` stores. */
const wellFormed =
  /^{"programmeId":"[A-Za-z0-9][\w.-]{0,99}","textId":"[A-Za-z0-9][\w.-]{0,99}","sha256":"[0-9a-f]{64}","amount":\d{1,14},"currency":"([A-Z]{3})","shownAt":"\d{4}-\d\d-\d\dT[\d:.]{8,12}Z"}$/;

/**
 * Reads the message that the shopper saw last. The companion would refuse a checkout with a
 * malformed message.
 * @param currency the order's currency; undefined if only the companion knows it
 * @returns undefined if the message is malformed or in another currency
 */
export function shownMessage(text: string, currency: unknown): ShownMessage | undefined {
  const [, known] = wellFormed.exec(text) ?? [];
  return known && (currency ?? known) === known ? (JSON.parse(text) as ShownMessage) : undefined;
}
