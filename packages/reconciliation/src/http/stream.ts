import type { Clock } from '@financing-checkout/kit';

/** Maximum time that a client may take to read the next chunk, in milliseconds. */
const IDLE_MS = 30_000;

/** The client did not read a chunk in time, or did not read the whole body in time. */
export class SlowClientError extends Error {
  override readonly name = 'SlowClientError';
}

export interface StreamOptions {
  clock: Clock;
  /** Maximum duration of the whole response, in milliseconds. @default no limit */
  longestMs?: number;
  /** Called with the error that truncates the body. */
  onFailure: (error: unknown) => void;
  /** Called once, when the body is complete or truncated. */
  onEnd?: () => void;
}

/**
 * Returns a response body that is produced on demand. A failure truncates the body, so that it does
 * not look complete. The source ends when the client disconnects or stops reading.
 */
export function streamOf(
  pieces: AsyncIterable<Uint8Array>,
  { clock, longestMs, onFailure, onEnd }: StreamOptions,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let hasEnded = false;
  let cancelIdle: (() => void) | undefined;
  let cancelLongest: (() => void) | undefined;

  function end(): boolean {
    if (hasEnded) return false;
    hasEnded = true;
    cancelIdle?.();
    cancelLongest?.();
    onEnd?.();
    return true;
  }

  function fail(controller: ReadableStreamDefaultController, error: unknown): void {
    if (!end()) return;
    onFailure(error);
    controller.error(error);
  }

  /** Also ends the source, because nothing will ask for its next chunk. */
  function giveUp(controller: ReadableStreamDefaultController, why: string): void {
    fail(controller, new SlowClientError(why));
    void iterator.return?.().catch(() => undefined);
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (longestMs === undefined) return;
      cancelLongest = clock.after(longestMs, () =>
        giveUp(controller, `The client did not read the body in ${longestMs / 60_000} minutes.`),
      );
    },
    async pull(controller) {
      cancelIdle?.();
      try {
        const piece = await iterator.next();
        if (hasEnded) return;
        if (piece.done === true) {
          controller.close();
          end();
          return;
        }
        controller.enqueue(piece.value);
        cancelIdle = clock.after(IDLE_MS, () =>
          giveUp(controller, `The client read nothing for ${IDLE_MS / 1000} seconds.`),
        );
      } catch (error) {
        fail(controller, error);
      }
    },
    async cancel() {
      end();
      await iterator.return?.();
    },
  });
}
