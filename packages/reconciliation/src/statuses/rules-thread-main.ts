import { answerJobs } from '../platform/thread.ts';
import { judgeBatch } from './judge-batch.ts';
import type { JudgingJob } from './rules-thread.ts';

// Entry point of the worker thread that judges orders by the rules.
answerJobs(({ batch, terms }: JudgingJob) => judgeBatch(batch, terms));
