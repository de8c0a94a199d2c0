import { answerJobs } from './thread.ts';

// Exhausts its memory with each job.
answerJobs(() => {
  const filled: number[][] = [];
  for (;;) filled.push(new Array<number>(1_000_000).fill(1));
});
