import { Worker } from 'node:worker_threads';
import type { PassRequest, PassResult } from '../reconciliation/recompute/engine.ts';
import type { RecomputeWorker } from '../reconciliation/recompute/recompute.ts';
import type { ThreadAnswer, ThreadOrder } from './recompute-thread-main.ts';

interface Waiting {
  resolve: (result: PassResult) => void;
  reject: (error: Error) => void;
}

/**
 * What lives at once are the lines of some thousand orders. Without a limit the thread would keep
 * several times that before it clears away.
 */
const HEAP = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 96 };

/**
 * Passes over a SQLite file in a thread of its own: a checkout does not wait for the history. The
 * thread starts with the first pass and stays.
 * @param file path of the store
 */
export function recomputeThread(file: string): RecomputeWorker {
  let thread: Worker | undefined;
  let passes = 0;
  const waiting = new Map<number, Waiting>();

  function start(): Worker {
    // In the sources the one beside this file is TypeScript, which Node reads as it is.
    const name = `./recompute-thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    const worker = new Worker(new URL(name, import.meta.url), {
      workerData: { file },
      name: 'recompute',
      resourceLimits: HEAP,
    });
    worker.on('message', (answer: ThreadAnswer) => {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) worker.unref();
      if ('result' in answer) asked?.resolve(answer.result);
      else asked?.reject(answer.error);
    });
    worker.on('error', (error) => fail(error instanceof Error ? error : new Error('unknown')));
    worker.on('exit', () => fail(new Error('The thread that recomputes has ended.')));
    return worker;
  }

  function fail(error: Error): void {
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  return {
    run(request: PassRequest) {
      const worker = (thread ??= start());
      const id = ++passes;
      return new Promise<PassResult>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        // A process does not end in the middle of a pass, and does not go on for an idle thread.
        worker.ref();
        worker.postMessage({ kind: 'pass', id, request } satisfies ThreadOrder);
      });
    },
    async close() {
      const worker = thread;
      if (!worker) return;
      worker.ref();
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.postMessage({ kind: 'stop' } satisfies ThreadOrder);
      await ended;
    },
  };
}
