import { addressOf, parse } from '../platform/address.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';
import type { Programme, Programmes } from './programmes.ts';

/**
 * How long cached programmes may be shown, and the age at which visible ones are refreshed, in
 * milliseconds.
 */
const LIFE = 24 * 3_600_000;
const REFRESH = 300_000;

/** An element that renders the programmes. */
interface Reader {
  requestUpdate(): void;
}

/**
 * A companion's programmes, fetched once and shared by all elements on the page. They are cached in
 * local storage so that the next page renders them immediately. The cache contains nothing about
 * the shopper.
 */
export class Catalog {
  /** Undefined until the programmes are known. */
  declare programmes: readonly Programme[] | undefined;
  /** Also the storage key. */
  readonly #url: string;
  readonly #readers = new Set<Reader>();
  #text = '';
  #asked = -Infinity;

  constructor(address: string) {
    this.#url = `${address}/programmes`;
    try {
      // A 13-digit timestamp, followed by the response.
      const stored = localStorage.getItem(this.#url) ?? '';
      if (Date.now() - Number(stored.slice(0, 13)) < LIFE) this.#read(stored.slice(13));
    } catch {
      // Storage is blocked or contains something else.
    }
    // The page may have been in the background for days.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#readers.size > 0) void this.#refresh();
    });
  }

  add(reader: Reader): void {
    this.#readers.add(reader);
    void this.#refresh();
  }

  delete(reader: Reader): void {
    this.#readers.delete(reader);
  }

  /** Requests the programmes. A failure changes nothing and is retried later. */
  async #refresh(): Promise<void> {
    const now = Date.now();
    if (now - this.#asked < REFRESH) return;
    this.#asked = now;
    try {
      const response = await fetch(this.#url, { credentials: 'omit' });
      const text = await response.text();
      if (response.ok && this.#read(text)) localStorage.setItem(this.#url, String(now) + text);
    } catch {
      // No response, an unreadable response, or no storage.
    }
  }

  /**
   * @returns whether the text is a valid response from the companion
   * @throws SyntaxError
   */
  #read(text: string): boolean {
    const { programmes } = (JSON.parse(text) ?? {}) as Partial<Programmes>;
    if (!Array.isArray(programmes)) return false;
    if (text !== this.#text) {
      this.#text = text;
      this.programmes = programmes;
      for (const reader of this.#readers) reader.requestUpdate();
    }
    return true;
  }
}

const catalogs = new Map<string, Catalog>();

/** Returns a companion's catalog, or undefined if its URL cannot be used. */
export function catalogOf(companion: string | null | undefined): Catalog | undefined {
  const url = companion ? parse(companion) : undefined;
  if (!url || !isTrustworthy(url)) return undefined;
  const address = addressOf(url);
  const known = catalogs.get(address) ?? new Catalog(address);
  catalogs.set(address, known);
  return known;
}
