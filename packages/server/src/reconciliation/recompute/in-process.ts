import { type PassRequest, runPass, type Workshop } from './engine.ts';
import type { RecomputeWorker } from './recompute.ts';

/** Passes in this thread: a database that does the work itself, or one that is in memory. */
export function inProcessWorker(
  workshop: Omit<Workshop, 'stopped' | 'pause'> & Partial<Workshop>,
): RecomputeWorker {
  let stopped = false;
  const underWay = new Set<Promise<unknown>>();
  return {
    run(request: PassRequest) {
      const pass = runPass(
        { pause, ...workshop, stopped: () => stopped || workshop.stopped?.() === true },
        request,
      );
      const ended = pass.catch(() => undefined).finally(() => underWay.delete(ended));
      underWay.add(ended);
      return pass;
    },
    async close() {
      stopped = true;
      await Promise.all(underWay);
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
