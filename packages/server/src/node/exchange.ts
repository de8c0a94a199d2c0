import type { Dispatcher } from 'undici';
import type { TransportResponse } from '../service/transport.ts';

/** Bytes of an answer that may wait to be read before the connection is told to pause. */
const MAX_WAITING_BYTES = 65_536;

/**
 * One request and its answer, as undici's dispatcher tells of them. Its own `request` makes a stream
 * of each body, which costs more than all the rest of a short exchange.
 */
export class Exchange implements Dispatcher.DispatchHandler, AsyncIterable<Uint8Array> {
  /** Resolves with the head of the answer; rejects when there is none. */
  readonly answer: Promise<TransportResponse>;
  readonly #signal: AbortSignal;
  #resolve: (response: TransportResponse) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = () => {
    this.#controller?.abort(new Error('aborted'));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // What comes before the answer (RFC 9110 15.2) says nothing.
    if (status < 200) return;
    this.#resolve({
      status,
      headers: {
        get(name) {
          const value = headers[name.toLowerCase()];
          return (Array.isArray(value) ? value.join(', ') : value) ?? null;
        },
      },
      body: this,
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes > MAX_WAITING_BYTES) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#settle();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#error = error;
    this.#reject(error);
    this.#settle();
  }

  #settle(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#wake();
  }

  /** By hand: a generator takes several turns of promises for each piece. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        for (;;) {
          const chunk = this.#chunks.shift();
          if (chunk !== undefined) {
            this.#waitingBytes -= chunk.byteLength;
            if (this.#controller?.paused === true) this.#controller.resume();
            return { done: false, value: chunk };
          }
          if (this.#error !== undefined) throw this.#error;
          if (this.#ended) return { done: true, value: undefined };
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      },
      return: () => {
        // Whoever stops reading wants no more of it: the connection cannot be used again.
        if (!this.#ended && this.#error === undefined) this.#abort();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}
