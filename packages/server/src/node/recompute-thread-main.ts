import { hash } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type ChunkContext,
  type ChunkFindings,
  type ChunkTask,
  examineChunk,
} from '../reconciliation/recompute/chunk.ts';
import { type PassRequest, type PassResult, runPass } from '../reconciliation/recompute/engine.ts';
import { RecomputeThread } from './recompute-thread.ts';
import { SqliteBulk } from './sqlite-bulk.ts';

/** What a thread is told: to do a pass, or to help another one with a chunk of its own. */
export type ThreadOrder =
  | { kind: 'pass'; id: number; request: PassRequest }
  | { kind: 'chunk'; id: number; request: ChunkTask }
  | { kind: 'stop' };

/** What it answers. */
export type ThreadAnswer =
  { id: number; result: PassResult | ChunkFindings } | { id: number; error: Error };

/** Fundings at once: to write their statuses takes about 5 ms. */
const CHUNK_ROWS = 2_000;
/** Changed orders that are judged in less than a second without a survey. */
const SURVEY_FROM = 20_000;

/** One order after the other; between two chunks it hears whether to stop. */
function work(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the main file of a thread.');
  const bulk = new SqliteBulk(file);
  const context: ChunkContext = { bulk, hash: (text) => hash('sha256', text) };
  const helper = new RecomputeThread(file);
  let stopped = false;
  let last: Promise<unknown> = Promise.resolve();

  const pass = (request: PassRequest) =>
    runPass(
      {
        ...context,
        now: Date.now,
        helper: (task) => helper.ask('chunk', task),
        stopped: () => stopped,
        pause: (milliseconds) => (milliseconds > 0 ? setTimeout(milliseconds) : setImmediate()),
        chunkRows: CHUNK_ROWS,
        surveyFrom: SURVEY_FROM,
        // Whoever opens the file is on this machine.
        rangeRows: undefined,
      },
      request,
    );

  async function answer(id: number, result: Promise<PassResult | ChunkFindings>): Promise<void> {
    try {
      port?.postMessage({ id, result: await result } satisfies ThreadAnswer);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error('The pass failed.');
      port?.postMessage({ id, error } satisfies ThreadAnswer);
    }
  }

  port.on('message', (order: ThreadOrder) => {
    if (order.kind === 'stop') {
      stopped = true;
      void last.then(async () => {
        await helper.close();
        bulk.close();
        port.close();
      });
      return;
    }
    last = last.then(() =>
      answer(
        order.id,
        order.kind === 'pass' ? pass(order.request) : examineChunk(context, order.request),
      ),
    );
  });
}

const { file } = workerData as { file: string };
work(file);
