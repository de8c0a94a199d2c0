import { aborted } from './presentation.ts';
import type { Shown, Stage } from './presentation.ts';

/** Sends the page itself to the hosted page, which sends it back (see `return.ts`). */
export function leaveFor(url: URL, { signal }: Stage): Shown {
  const go = () => location.assign(url.href);
  go();
  return {
    // This page is over when it goes as it should. When not, the shopper can try again or leave.
    end: aborted(signal),
    reload: go,
    // Or the shopper who left would be taken away after all.
    remove: () => window.stop(),
  };
}
