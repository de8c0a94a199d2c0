import { CompanionError } from './request.ts';
import type { Memory } from './memory.ts';

/** What opening needs in addition to the memory of its key. */
interface OnceOptions<T> {
  readonly memory: Memory;
  /** Remembered with the key. */
  readonly link?: true | undefined;
  /** Sends the opening request. Safe to repeat with the same key. */
  readonly send: (key: string) => Promise<T>;
  /** Whether an answer can be continued; the key of another one is forgotten. */
  readonly isOpen: (answer: T) => boolean;
  /** Waits before the next request. */
  readonly wait: (tries: number) => Promise<void>;
}

/**
 * Opens a checkout or an application once. Reuses the key of an attempt whose answer was lost.
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
    // A UUID has 122 random bits (RFC 9562 5.4), a secret needs 128.
    const key = used ?? crypto.randomUUID() + crypto.randomUUID();
    // Remembered before the request: if the answer is lost, the same key finds the same one.
    memory.remember({ key });
    try {
      const opened = await send(key);
      const isNew = isOpen(opened);
      if (isNew) memory.remember({ key, id: opened.id, link });
      // The answer is from before the reload, or the order is decided: its secret is another one.
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
      // The shop has signed a new ticket since, so this is another request.
      if (error.code !== 'idempotency-key-reused' || tries > 0) throw error;
    }
  }
}
