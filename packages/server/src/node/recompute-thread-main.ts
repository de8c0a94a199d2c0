import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type PassRequest, type PassResult, runPass } from '../reconciliation/recompute/engine.ts';
import { SqliteBulk } from './sqlite-bulk.ts';

/** What the thread is told. */
export type ThreadOrder = { kind: 'pass'; id: number; request: PassRequest } | { kind: 'stop' };

/** What it answers. */
export type ThreadAnswer = { id: number; result: PassResult } | { id: number; error: Error };

/** Fundings at once: a commit of their statuses takes about 10 ms. */
const CHUNK_ROWS = 4_000;

/** One pass after the other; between two chunks it hears whether to stop. */
function work(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the main file of a thread.');
  const bulk = new SqliteBulk(file);
  let stopped = false;
  let last: Promise<unknown> = Promise.resolve();

  async function pass(id: number, request: PassRequest): Promise<void> {
    try {
      const result = await runPass(
        {
          bulk,
          now: Date.now,
          hash: (text) => hash('sha256', text),
          stopped: () => stopped,
          pause: (milliseconds) => setTimeout(milliseconds),
          chunkRows: CHUNK_ROWS,
          // Whoever opens the file is on this machine, and one core is enough.
          rangeRows: undefined,
        },
        request,
      );
      port?.postMessage({ id, result } satisfies ThreadAnswer);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error('The pass failed.');
      port?.postMessage({ id, error: reason } satisfies ThreadAnswer);
    }
  }

  port.on('message', (order: ThreadOrder) => {
    if (order.kind === 'pass') {
      last = last.then(() => pass(order.id, order.request));
      return;
    }
    stopped = true;
    void last.then(() => {
      bulk.close();
      port.close();
    });
  });
}

const { file } = workerData as { file: string };
work(file);
