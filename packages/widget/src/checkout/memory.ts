import { addressOf } from './address.ts';
import { isObject } from './object.ts';
import { readTicket } from './ticket.ts';

/**
 * What outlives a reload of this tab: a name for the checkout and the key it was opened with.
 * Nothing personal, no ticket, no session token, no confirmation token. It is the tab's, and not
 * the browser's: whoever uses a shared computer next must not come upon an application.
 */
export interface Remembered {
  /** Idempotency-Key of the prime, and the secret of the page for the checkout. */
  readonly key: string;
  /** The companion's id; absent while its answer has not been seen. */
  readonly id?: string | undefined;
  /** Digest of the session token that a redirect went away with, to know it again. */
  readonly session?: string | undefined;
}

/** Where storage is blocked or full, a checkout is remembered as long as the page lives. */
const fallback = new Map<string, string>();

/**
 * Remembers the checkout of one order at one companion. A shop signs a new ticket on each load of
 * the page, so the order's id names it, not the ticket; a reference that cannot be read names
 * itself. It is hashed: an order's id is nothing for whoever looks through the storage.
 */
export class Memory {
  /** Also names the window of the checkout. */
  declare readonly name: string;

  constructor(companion: URL, environment: string, order: string) {
    const id = readTicket(order)?.merchantOrderId ?? order;
    this.name = `financing-checkout:${digest(JSON.stringify([addressOf(companion), environment, id]))}`;
  }

  recall(): Remembered | undefined {
    try {
      const text = fallback.get(this.name) ?? sessionStorage.getItem(this.name);
      const value: unknown = JSON.parse(text ?? 'null');
      if (!isObject(value) || !isText(value.key)) return undefined;
      const { key, id, session } = value;
      return {
        key,
        id: isText(id) ? id : undefined,
        session: isText(session) ? session : undefined,
      };
    } catch {
      return undefined;
    }
  }

  /** @returns whether it also outlives this page. */
  remember(value: Remembered): boolean {
    const text = JSON.stringify(value);
    try {
      sessionStorage.setItem(this.name, text);
      // From when there was no room: it would be taken for the later one.
      fallback.delete(this.name);
      return true;
    } catch {
      fallback.set(this.name, text);
      return false;
    }
  }

  forget(): void {
    fallback.delete(this.name);
    try {
      sessionStorage.removeItem(this.name);
    } catch {
      // Blocked storage holds nothing to forget.
    }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** 64 bits that tell orders apart. Nothing rests on it being irreversible. */
export function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b + unit, 0x85ebca6b) ^ (b >>> 13);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
