import { parentPort } from 'node:worker_threads';
import { type Chunk, judgeChunk, type PassTerms } from './judge-chunk.ts';

// The main file of the thread that judges orders by the rules: it answers each message in turn.
parentPort?.on('message', ({ chunk, terms }: { chunk: Chunk; terms: PassTerms }) => {
  parentPort?.postMessage(judgeChunk(chunk, terms));
});
