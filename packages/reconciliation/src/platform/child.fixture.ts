import { answerJob } from './child.ts';

export interface FixtureJob {
  takes: 'nothing' | 'heap' | 'buffers' | 'time';
}

const STEP = 1_000_000;

// Entry point of a process that exceeds its limits.
answerJob(async ({ takes }: FixtureJob) => {
  const held: unknown[] = [];
  while (takes === 'heap') held.push(Array.from({ length: STEP }, (_, at) => String(at)));
  while (takes === 'buffers') {
    held.push(Buffer.alloc(STEP, 1));
    // The parent measures the memory, so this process may stay busy.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (takes === 'time') await new Promise(() => undefined);
  return { pid: process.pid };
});
