import { mainBeside, Thread } from '../platform/thread.ts';
import type { Batch, JudgedBatch, PassTerms } from './judge-batch.ts';

/** Judges orders by the rules. */
export interface BatchJudge {
  judge(batch: Batch, terms: PassTerms): Promise<JudgedBatch>;
  close(): Promise<void>;
}

export interface JudgingJob {
  batch: Batch;
  terms: PassTerms;
}

/** Judges in a worker thread, so that the main thread can keep answering requests. */
export class RulesThread implements BatchJudge {
  readonly #thread = new Thread<JudgingJob, JudgedBatch>({
    name: 'rules',
    main: mainBeside('rules-thread-main', import.meta.url),
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 },
  });

  judge(batch: Batch, terms: PassTerms): Promise<JudgedBatch> {
    return this.#thread.run({ batch, terms });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
