import { answerJob } from './child.ts';

export interface FixtureJob {
  takes: 'nothing' | 'heap' | 'buffers' | 'time';
}

const STEP = 1_000_000;

// Entry point of a process that takes more than it may.
answerJob(async ({ takes }: FixtureJob) => {
  const held: unknown[] = [];
  while (takes === 'heap') held.push(Array.from({ length: STEP }, (_, at) => String(at)));
  while (takes === 'buffers') {
    held.push(Buffer.alloc(STEP, 1));
    // The process is measured from outside, so that it need not yield for long.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (takes === 'time') await new Promise(() => undefined);
  return { pid: process.pid };
});
