import { parentPort } from 'node:worker_threads';
import { type Batch, judgeBatch, type PassTerms } from './judge-batch.ts';

// Entry point of the worker thread that judges orders by the rules. Answers messages in order.
parentPort?.on('message', ({ batch, terms }: { batch: Batch; terms: PassTerms }) => {
  parentPort?.postMessage(judgeBatch(batch, terms));
});
