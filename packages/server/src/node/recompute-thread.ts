import type { Worker } from 'node:worker_threads';
import type { ChunkFindings, ChunkTask } from '../reconciliation/recompute/chunk.ts';
import type { PassRequest, PassResult } from '../reconciliation/recompute/engine.ts';
import type { RecomputeWorker } from '../reconciliation/recompute/recompute.ts';
import { Asker } from './asking.ts';
import { errorOf, startThread, type ToldError } from './thread.ts';

/** What the thread is asked: to do a pass, to help another one with a chunk, or to come to an end. */
export type RecomputeQuestion =
  { kind: 'pass'; request: PassRequest } | { kind: 'chunk'; task: ChunkTask } | { kind: 'stop' };

/** What it answers. */
export type RecomputeReply =
  | { kind: 'pass'; result: PassResult }
  | { kind: 'chunk'; findings: ChunkFindings }
  | { kind: 'stopped' }
  | { kind: 'failed'; error: ToldError };

/**
 * What lives at once are the lines of some thousand orders. Without a limit the thread would keep
 * several times that before it clears away.
 */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 96 };

/**
 * How long it waits for another question, which come every second while orders change: its memory is
 * for a sync, and for whoever is busy.
 */
const IDLE_MS = 1_500;

interface Running {
  worker: Worker;
  asker: Asker<RecomputeQuestion, RecomputeReply>;
  /** Questions that wait for their answer. */
  open: number;
  /** Ends it, where nobody asks. */
  idle?: NodeJS.Timeout;
}

/**
 * A thread that works on a SQLite file: a checkout does not wait for the history. It starts when it
 * is asked, and ends when it is not for a while. One that does passes has another one read and judge
 * chunks.
 */
export class RecomputeThread implements RecomputeWorker {
  readonly #file: string;
  readonly #idleMs: number;
  #running: Running | undefined;

  /** @param file path of the store */
  constructor(file: string, idleMs = IDLE_MS) {
    this.#file = file;
    this.#idleMs = idleMs;
  }

  async run(request: PassRequest): Promise<PassResult> {
    const reply = await this.#ask({ kind: 'pass', request });
    if (reply.kind !== 'pass') throw new Error('A pass was asked for.');
    return reply.result;
  }

  /** Reads and judges a chunk, and writes nothing. */
  async examine(task: ChunkTask): Promise<ChunkFindings> {
    const reply = await this.#ask({ kind: 'chunk', task });
    if (reply.kind !== 'chunk') throw new Error('A chunk was asked for.');
    return reply.findings;
  }

  async close(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    // Who asks from here on asks another one.
    this.#running = undefined;
    // One that fails meanwhile has ended, too, and whoever waited for it has heard why.
    await this.#askOf(running, { kind: 'stop' }).catch(() => undefined);
    clearTimeout(running.idle);
    await running.worker.terminate();
  }

  #ask(question: RecomputeQuestion): Promise<RecomputeReply> {
    return this.#askOf((this.#running ??= this.#start()), question);
  }

  async #askOf(running: Running, question: RecomputeQuestion): Promise<RecomputeReply> {
    clearTimeout(running.idle);
    // A process does not end in the middle of a pass, and does not go on for an idle thread.
    running.worker.ref();
    running.open += 1;
    try {
      const reply = await running.asker.ask(question);
      if (reply.kind === 'failed') throw errorOf(reply.error, {});
      return reply;
    } finally {
      running.open -= 1;
      if (running.open === 0) {
        running.worker.unref();
        running.idle = setTimeout(() => {
          if (this.#running === running) void this.close();
        }, this.#idleMs).unref();
      }
    }
  }

  #start(): Running {
    const worker = startThread({
      main: './recompute-thread-main',
      name: 'recompute',
      data: { file: this.#file },
      heap: HEAP,
      onMessage: (message) => asker.hear(message),
      onEnd: (error) => {
        if (this.#running?.asker === asker) this.#running = undefined;
        asker.fail(error);
      },
    });
    const asker = new Asker<RecomputeQuestion, RecomputeReply>(worker);
    return { worker, asker, open: 0 };
  }
}
