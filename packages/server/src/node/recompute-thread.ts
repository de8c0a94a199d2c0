import type { Worker } from 'node:worker_threads';
import type { ChunkFindings, ChunkTask } from '../reconciliation/recompute/chunk.ts';
import type { PassRequest, PassResult } from '../reconciliation/recompute/engine.ts';
import type { RecomputeWorker } from '../reconciliation/recompute/recompute.ts';
import type { ThreadAnswer, ThreadOrder } from './recompute-thread-main.ts';
import { endThread, startThread } from './thread.ts';

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

/**
 * What lives at once are the lines of some thousand orders. Without a limit the thread would keep
 * several times that before it clears away.
 */
const HEAP = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 96 };

/**
 * A thread that works on a SQLite file: a checkout does not wait for the history. It starts when it
 * is first asked, and stays. One that does passes has another one read and judge chunks of them.
 */
export class RecomputeThread {
  readonly #file: string;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #asked = 0;

  /** @param file path of the store */
  constructor(file: string) {
    this.#file = file;
  }

  ask(kind: 'pass', request: PassRequest): Promise<PassResult>;
  ask(kind: 'chunk', request: ChunkTask): Promise<ChunkFindings>;
  ask(kind: 'pass' | 'chunk', request: PassRequest | ChunkTask): Promise<unknown> {
    const worker = (this.#thread ??= this.#start());
    const id = ++this.#asked;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // A process does not end in the middle of a pass, and does not go on for an idle thread.
      worker.ref();
      worker.postMessage({ kind, id, request });
    });
  }

  /** Ends what is under way at the next opportunity, and then the thread. */
  async close(): Promise<void> {
    const worker = this.#thread;
    if (!worker) return;
    await endThread(worker, { kind: 'stop' } satisfies ThreadOrder);
  }

  #start(): Worker {
    const worker = startThread<ThreadAnswer>({
      main: './recompute-thread-main',
      name: 'recompute',
      data: { file: this.#file },
      heap: HEAP,
      onMessage: (answer) => this.#hear(worker, answer),
      onEnd: (error) => this.#fail(error),
    });
    return worker;
  }

  #hear(worker: Worker, answer: ThreadAnswer): void {
    const asked = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('result' in answer) asked?.resolve(answer.result as never);
    else asked?.reject(answer.error);
  }

  #fail(error: Error): void {
    this.#thread = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Passes over a SQLite file in a thread of its own. @param file path of the store */
export function recomputeThread(file: string): RecomputeWorker {
  const thread = new RecomputeThread(file);
  return { run: (request) => thread.ask('pass', request), close: () => thread.close() };
}
