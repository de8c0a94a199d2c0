/** Maximum size of the cached pages, in bytes. */
const MAX_BYTES = 64 * 1_048_576;

/**
 * Caches sent pages until the next write. A careful client reads each page twice, and rendering a
 * page again would delay the second response.
 */
export class PageCache {
  #generation = 0;
  #bytes = 0;
  readonly #pages = new Map<string, Uint8Array<ArrayBuffer>>();

  /** Returns a page for a store generation, and renders it if it is not cached. */
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
