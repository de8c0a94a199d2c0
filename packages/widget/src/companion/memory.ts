import { addressOf } from '../platform/address.ts';
import { clearTab, readTab, writeTab } from './tab-storage.ts';
import { readTicket } from './ticket.ts';

/**
 * The data that survives a reload of this tab: the checkout's ID and the key that opened it.
 * Contains no personal data, ticket, session token or confirmation token. Scoped to the tab, not to
 * the browser: the next user of a shared computer must not find an application.
 */
export interface Remembered {
  /** Idempotency-Key of the prime, and the page's secret for the checkout. */
  readonly key: string;
  /** The companion's ID for the checkout; absent until the response arrives. */
  readonly id?: string | undefined;
  /**
   * Whether the shopper continues on another device. If so, the checkout is polled after a reload.
   */
  readonly link?: true | undefined;
  /**
   * The last known outcome after an offer is confirmed. If set, a reload looks up and shows the
   * outcome without a shopper action.
   */
  readonly outcome?: string | undefined;
  /** Digest of a redirect's session token, used to recognize the return. */
  readonly session?: string | undefined;
}

/**
 * Remembers the checkout of one order, or the application without a cart, at one companion. A shop
 * signs a new ticket on every page load, so the storage key contains the order's ID instead of the
 * ticket; an opaque reference is used as is. The key is hashed, because storage must not reveal an
 * order's ID.
 */
export class Memory {
  /** Also the name of the checkout's window. */
  declare readonly name: string;

  /** @param order undefined for an application without a cart, of which a shop has only one */
  constructor(companion: URL, environment: string, order: string | undefined) {
    const id = order === undefined ? null : (readTicket(order)?.merchantOrderId ?? order);
    this.name = `financing-checkout:${digest(JSON.stringify([addressOf(companion), environment, id]))}`;
  }

  recall(): Remembered | undefined {
    const { key, id, link, outcome, session } = readTab(this.name) ?? {};
    if (!isText(key)) return undefined;
    return {
      key,
      id: isText(id) ? id : undefined,
      link: link === true || undefined,
      outcome: isText(outcome) ? outcome : undefined,
      session: isText(session) ? session : undefined,
    };
  }

  /** @returns whether the data also survives a page reload */
  remember(value: Remembered): boolean {
    return writeTab(this.name, value);
  }

  forget(): void {
    clearTab(this.name);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns a 64-bit digest that distinguishes orders. It is not used for security. */
export function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b + unit, 0x85ebca6b) ^ (b >>> 13);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
