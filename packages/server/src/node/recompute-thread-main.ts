import { hash } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type ChunkContext, examineChunk } from '../reconciliation/recompute/chunk.ts';
import { type PassRequest, type PassResult, runPass } from '../reconciliation/recompute/engine.ts';
import { answerTo } from './asking.ts';
import {
  type RecomputeQuestion,
  type RecomputeReply,
  RecomputeThread,
} from './recompute-thread.ts';
import { SqliteBulk } from './sqlite-bulk.ts';
import { tellError } from './thread.ts';

/** Fundings at once: to write their statuses takes about 5 ms. */
const CHUNK_ROWS = 2_000;
/** Changed orders that are judged in less than a second without a survey. */
const SURVEY_FROM = 20_000;

/** One question after the other; between two chunks a pass hears whether to stop. */
function work(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the main file of a thread.');
  const bulk = new SqliteBulk(file);
  const context: ChunkContext = { bulk, hash: (text) => hash('sha256', text) };
  const helper = new RecomputeThread(file);
  let stopped = false;
  let last: Promise<unknown> = Promise.resolve();

  async function pass(request: PassRequest): Promise<PassResult> {
    try {
      return await runPass(
        {
          ...context,
          now: Date.now,
          helper: (task) => helper.examine(task),
          stopped: () => stopped,
          pause: (milliseconds) => (milliseconds > 0 ? setTimeout(milliseconds) : setImmediate()),
          chunkRows: CHUNK_ROWS,
          surveyFrom: SURVEY_FROM,
          // Whoever opens the file is on this machine.
          rangeRows: undefined,
        },
        request,
      );
    } finally {
      // Few passes are long enough to need it; its memory is for others in between.
      await helper.close();
    }
  }

  async function reply(question: RecomputeQuestion): Promise<RecomputeReply> {
    try {
      switch (question.kind) {
        case 'pass':
          return { kind: 'pass', result: await pass(question.request) };
        case 'chunk':
          return { kind: 'chunk', findings: await examineChunk(context, question.task) };
        case 'stop':
          bulk.close();
          return { kind: 'stopped' };
      }
    } catch (error) {
      return { kind: 'failed', error: tellError(error, {}) };
    }
  }

  answerTo(port, (question: RecomputeQuestion) => {
    if (question.kind === 'stop') stopped = true;
    const replied = last.then(() => reply(question));
    last = replied;
    return replied;
  });
}

const { file } = workerData as { file: string };
work(file);
