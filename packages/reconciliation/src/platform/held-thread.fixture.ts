import { answerJobs } from './thread.ts';

/** A job that blocks its thread until the barrier is opened. */
export interface HeldJob {
  name: string;
  /** 0: closed. */
  barrier?: Int32Array<SharedArrayBuffer>;
  /** Incremented when the job begins. */
  begun?: Int32Array<SharedArrayBuffer>;
  fails?: boolean;
}

answerJobs(({ name, barrier, begun, fails }: HeldJob) => {
  if (begun) {
    Atomics.add(begun, 0, 1);
    Atomics.notify(begun, 0);
  }
  if (barrier) Atomics.wait(barrier, 0, 0);
  if (fails === true) throw new Error(`${name} failed`);
  return name;
});
