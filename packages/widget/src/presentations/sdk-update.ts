import { pause } from '../checkout/pause.ts';
import { readTicket } from '../checkout/ticket.ts';
import { FinancingDataUpdateEvent } from '../events/data-update-event.ts';
import type { UpdatedData } from '../events/data-update-event.ts';
import { isObject } from '../checkout/object.ts';
import { unusual } from '../texts/money.ts';
import type { Ending, SdkSurroundings } from './presentation.ts';

/** How long the shop may take to sign a new ticket, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Asks the shop what the order costs after a change in the service's dialog.
 *
 * The checkout was primed with what the order cost, and the companion charges that or nothing. So the
 * dialog hears amounts only where they are those; for others the checkout is primed anew. Where the
 * dialog cannot be closed for that, it goes on with what was primed, and the companion refuses the
 * confirmation as a changed order: nothing is charged, and the shopper sees both amounts.
 * @param dispose closes the dialog
 * @returns what the dialog is answered
 */
export async function answerUpdate(
  data: unknown,
  { configuration, element, onError }: SdkSurroundings,
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
    const late = pause(PATIENCE, AbortSignal.any([signal, over.signal]), new EventTarget());
    const ticket = await Promise.race([asked, late.then(() => Promise.reject(new Error('late')))]);
    if (isOver() || ticket === undefined) return {};
    const [was, is] = [readTicket(configuration.order), readTicket(ticket)];
    if (!was || !is || was.merchantOrderId !== is.merchantOrderId) throw new Error('another order');
    element.order = ticket;
    const { currency, shippingAmount, taxAmount, totalAmount } = is;
    const digits = unusual.find(([, known]) => known.includes(String(currency)))?.[0] ?? 2;
    if (
      currency === was.currency &&
      shippingAmount === was.shippingAmount &&
      taxAmount === was.taxAmount &&
      totalAmount === was.totalAmount
    ) {
      return Object.fromEntries(
        Object.entries({ shippingAmount, taxAmount, totalAmount }).map(([name, value]) => [
          name,
          decimal(Number(value), digits),
        ]),
      );
    }
    if (dispose) {
      dispose();
      settle({ type: 'updated', order: ticket });
    }
  } catch {
    // What the shop rejected with is its own: there may be an address in it.
    if (!isOver()) {
      onError({
        code: 'data-update-invalid',
        message:
          'What financing-data-update was answered with is no ticket of this order within 10 s.',
      });
    }
  } finally {
    over.abort();
  }
  return {};
}

/** A number in major units, by its digits: a division would round. */
function decimal(value: number, digits: number): number {
  const text = String(value).padStart(digits + 1, '0');
  return Number(`${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`);
}
