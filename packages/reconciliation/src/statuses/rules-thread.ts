import { Worker } from 'node:worker_threads';
import type { Batch, JudgedBatch, PassTerms } from './judge-batch.ts';

/** Judges orders by the rules. */
export interface BatchJudge {
  judge(batch: Batch, terms: PassTerms): Promise<JudgedBatch>;
  close(): Promise<void>;
}

interface Waiting {
  resolve: (judged: JudgedBatch) => void;
  reject: (error: Error) => void;
}

/** Without limits, a worker keeps several times its live memory before it collects garbage. */
const heap = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/** Judges in a worker thread, which starts with the first batch and restarts after a failure. */
export class RulesThread implements BatchJudge {
  #thread: Worker | undefined;
  readonly #waiting: Waiting[] = [];

  judge(batch: Batch, terms: PassTerms): Promise<JudgedBatch> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      thread.postMessage({ batch, terms });
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    // In the sources the file is TypeScript, which Node runs directly.
    const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
    const thread = new Worker(new URL(`./rules-thread-main${extension}`, import.meta.url), {
      name: 'rules',
      resourceLimits: heap,
    });
    thread.on('message', (judged: JudgedBatch) => {
      this.#waiting.shift()?.resolve(judged);
      // An idle worker keeps no process alive.
      if (this.#waiting.length === 0) thread.unref();
    });
    const end = (error: Error) => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    thread.on('error', end);
    thread.on('exit', () => end(new Error('The worker that judges orders has ended.')));
    return thread;
  }
}
