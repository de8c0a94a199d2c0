import { parentPort } from 'node:worker_threads';
import { type Chunk, judgeChunk, type PassTerms } from './judge-chunk.ts';

// Entry point of the worker thread that judges orders by the rules. Answers messages in order.
parentPort?.on('message', ({ chunk, terms }: { chunk: Chunk; terms: PassTerms }) => {
  parentPort?.postMessage(judgeChunk(chunk, terms));
});
