import { CompanionError } from './request.ts';
import type { Memory } from './memory.ts';

/** Options for opening, in addition to the memory that stores the key. */
interface OnceOptions<T> {
  readonly memory: Memory;
  /** Remembered together with the key. */
  readonly link?: true | undefined;
  /** Sends the opening request. Safe to repeat with the same key. */
  readonly send: (key: string) => Promise<T>;
  /** Whether a response can be continued. If not, its key is forgotten. */
  readonly isOpen: (answer: T) => boolean;
  /** Waits for the backoff delay before the next request. */
  readonly wait: (tries: number) => Promise<void>;
}

/**
 * Opens a checkout or an application exactly once. Reuses the key of an attempt whose response was
 * lost.
 * @throws {CompanionError}
 */
export async function openOnce<T extends { readonly id: string }>({
  memory,
  link,
  isOpen,
  send,
  wait,
}: OnceOptions<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const used = memory.recall()?.key;
    // A UUID has only 122 random bits (RFC 9562 5.4), but a secret needs 128.
    const key = used ?? crypto.randomUUID() + crypto.randomUUID();
    // Stored before the request: if the response is lost, the same key finds the same checkout.
    memory.remember({ key });
    try {
      const opened = await send(key);
      const isNew = isOpen(opened);
      if (isNew) memory.remember({ key, id: opened.id, link });
      // The response is from before the reload, or the order is already decided, because the secret
      // differs.
      else memory.forget();
      if (isNew || !used) return opened;
    } catch (error) {
      if (!(error instanceof CompanionError) || !error.answered) throw error;
      if (error.code === 'idempotency-in-flight') {
        if (tries > 4) throw error;
        await wait(tries);
        continue;
      }
      memory.forget();
      // The shop has since signed a new ticket, which makes this a different request.
      if (error.code !== 'idempotency-key-reused' || tries > 0) throw error;
    }
  }
}
