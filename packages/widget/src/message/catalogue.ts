import { addressOf, parse } from '../platform/address.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';
import type { Programme, Programmes } from './programmes.ts';

/** How long remembered programmes are shown, and when visible ones are requested again, in ms. */
const LIFE = 24 * 3_600_000;
const REFRESH = 300_000;

/** An element that renders programmes. */
interface Reader {
  requestUpdate(): void;
}

/**
 * The programmes of one companion, shared by all elements of the page: one request for all of them.
 * They are remembered in the local storage, which then contains nothing about the shopper, so that
 * the next page renders them at once.
 */
export class Catalogue {
  /** Undefined until they are known. */
  declare programmes: readonly Programme[] | undefined;
  /** Also the key of the storage. */
  readonly #url: string;
  readonly #readers = new Set<Reader>();
  #text = '';
  #asked = -Infinity;

  constructor(address: string) {
    this.#url = `${address}/programmes`;
    try {
      // The moment in 13 digits, and the answer.
      const stored = localStorage.getItem(this.#url) ?? '';
      if (Date.now() - Number(stored.slice(0, 13)) < LIFE) this.#read(stored.slice(13));
    } catch {
      // The storage is blocked, or contains something else.
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

  /** Requests the programmes. A failure changes nothing, and is tried again later. */
  async #refresh(): Promise<void> {
    const now = Date.now();
    if (now - this.#asked < REFRESH) return;
    this.#asked = now;
    try {
      const response = await fetch(this.#url, { credentials: 'omit' });
      const text = await response.text();
      if (response.ok && this.#read(text)) localStorage.setItem(this.#url, String(now) + text);
    } catch {
      // No answer, an unreadable one, or no storage.
    }
  }

  /**
   * @returns whether it is the companion's answer
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

const catalogues = new Map<string, Catalogue>();

/** Returns the catalogue of a companion; undefined where its address cannot be used. */
export function catalogueOf(companion: string | null | undefined): Catalogue | undefined {
  const url = companion ? parse(companion) : undefined;
  if (!url || !isTrustworthy(url)) return undefined;
  const address = addressOf(url);
  const known = catalogues.get(address) ?? new Catalogue(address);
  catalogues.set(address, known);
  return known;
}
