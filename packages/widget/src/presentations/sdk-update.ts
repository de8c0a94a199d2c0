import { pause } from '../platform/pause.ts';
import { readTicket } from '../companion/ticket.ts';
import { FinancingDataUpdateEvent } from '../events/data-update-event.ts';
import type { UpdatedData } from '../events/data-update-event.ts';
import { isObject } from '../platform/object.ts';
import { majorUnits } from '../texts/major-units.ts';
import type { Ending, SdkContext } from './presentation.ts';

/** Timeout for the shop to sign a new ticket, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Asks the shop for the order's new price after a change in the service's dialog.
 *
 * The companion charges only the amount with which the checkout was primed. Therefore the dialog
 * receives amounts only if they are unchanged; other amounts need a new prime. If the dialog cannot
 * be closed for that, it continues with the primed amounts, and the companion refuses the
 * confirmation as a changed order: nothing is charged, and the shopper sees both amounts.
 * @param dispose closes the dialog
 * @returns the response for the dialog
 */
export async function answerUpdate(
  data: unknown,
  { configuration, element, onError }: SdkContext,
  signal: AbortSignal,
  dispose: (() => void) | undefined,
  settle: (end: Ending) => void,
): Promise<object> {
  const isOver = () => signal.aborted;
  if (isOver()) return {};
  let asked: Promise<string | undefined> | undefined;
  const answer = (ticket: Promise<string | undefined>) => void (asked = ticket);
  const about = (isObject(data) ? data : {}) as UpdatedData;
  element.dispatchEvent(new FinancingDataUpdateEvent(about, answer));
  if (!asked) return {};
  const over = new AbortController();
  try {
    const late = pause(TIMEOUT, AbortSignal.any([signal, over.signal]));
    const ticket = await Promise.race([asked, late.then(() => Promise.reject(new Error('late')))]);
    if (isOver() || ticket === undefined) return {};
    const [was, is] = [readTicket(configuration.order), readTicket(ticket)];
    if (!was || !is || was.merchantOrderId !== is.merchantOrderId) throw new Error('another order');
    element.order = ticket;
    const { currency, shippingAmount, taxAmount, totalAmount } = is;
    if (
      currency === was.currency &&
      shippingAmount === was.shippingAmount &&
      taxAmount === was.taxAmount &&
      totalAmount === was.totalAmount
    ) {
      return Object.fromEntries(
        Object.entries({ shippingAmount, taxAmount, totalAmount }).map(([name, value]) => [
          name,
          Number(majorUnits(Number(value), String(currency))),
        ]),
      );
    }
    if (dispose) {
      dispose();
      settle({ type: 'updated', order: ticket });
    }
  } catch {
    // The shop's own error is not reported because it may contain an address.
    if (!isOver()) {
      onError({
        code: 'data-update-invalid',
        message: 'The answer to financing-data-update must be a ticket of this order, within 10 s.',
      });
    }
  } finally {
    over.abort();
  }
  return {};
}
