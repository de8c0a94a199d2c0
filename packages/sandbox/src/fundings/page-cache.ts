/** Bytes of pages that are kept. */
const MAX_BYTES = 64 * 1_048_576;

/**
 * Pages as they were sent, while nothing was written: who has to be sure reads everything twice, and
 * to write the same page again would keep it waiting.
 */
export class PageCache {
  #generation = 0;
  #bytes = 0;
  readonly #pages = new Map<string, Uint8Array<ArrayBuffer>>();

  /** A page of this generation of the store, made only if it is not there. */
  get(
    generation: number,
    name: string,
    make: () => Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> {
    if (generation !== this.#generation) {
      this.#pages.clear();
      this.#bytes = 0;
      this.#generation = generation;
    }
    const known = this.#pages.get(name);
    if (known) return known;
    const page = make();
    this.#pages.set(name, page);
    this.#bytes += page.byteLength;
    for (const [oldest, { byteLength }] of this.#pages) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#pages.delete(oldest);
      this.#bytes -= byteLength;
    }
    return page;
  }
}
