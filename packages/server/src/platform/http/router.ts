import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/** Methods of one path that are kept: there are a few, and who asks can make up any. */
const MAX_METHODS = 16;

/**
 * Looks a fixed path up once. Hono's fast router takes no fixed path beside a parameter
 * ("/checkout/prime", "/checkout/:id"), and the other one walks its tree for each request, which
 * takes as long as all checks of the request together.
 */
export class FixedPathRouter<Handler> implements Router<Handler> {
  readonly name = 'FixedPathRouter';
  readonly #router = new TrieRouter<Handler>();
  /** By path and method. */
  readonly #fixed = new Map<string, Map<string, Result<Handler>>>();

  add(method: string, path: string, handler: Handler): void {
    this.#router.add(method, path, handler);
    if (!/[:*]/.test(path)) this.#fixed.set(path, new Map());
    for (const known of this.#fixed.values()) known.clear();
  }

  match(method: string, path: string): Result<Handler> {
    const known = this.#fixed.get(path);
    const before = known?.get(method);
    if (before !== undefined) return before;
    const result = this.#router.match(method, path);
    if (known !== undefined && known.size < MAX_METHODS) known.set(method, result);
    return result;
  }
}
