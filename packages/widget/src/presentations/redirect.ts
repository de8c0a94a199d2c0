import { aborted } from '../platform/abort.ts';
import type { Shown, Stage } from './presentation.ts';

/** Navigates the page to the hosted page, which navigates back (see `return.ts`). */
export function redirectTo(url: URL, { signal }: Stage): Shown {
  const go = () => location.assign(url.href);
  go();
  return {
    // The navigation unloads this page. If it fails, the shopper can try again or leave.
    end: aborted(signal),
    reload: go,
    // Stops the navigation, which would otherwise take a shopper who has left to the hosted page.
    remove: () => window.stop(),
  };
}
