import { digest } from '../companion/memory.ts';
import type { Memory } from '../companion/memory.ts';
import { keepReturn } from '../companion/return-fragment.ts';
import type { Returned } from '../companion/return-fragment.ts';

/**
 * Takes a redirect's parameters. Anyone can create a link with such a fragment, so the session must
 * match the one that the element remembers.
 * @param find returns the element's memory as long as the element can continue
 * @returns undefined if there is no return, or if it belongs to another element or session
 */
export async function takeReturn(find: () => Memory | undefined): Promise<Returned | undefined> {
  const kept = keepReturn();
  const memory = find();
  if (memory && typeof kept === 'string') verify(kept, memory);
  // Lets a router that reacts to the new URL render its page first.
  await new Promise((done) => setTimeout(done));
  const { financingReturn: returned } = globalThis;
  if (typeof returned !== 'object' || returned.name !== find()?.name) return undefined;
  globalThis.financingReturn = undefined;
  return returned;
}

/** Verifies a return's session, or relays the return to the page that waits for it. */
function verify(kept: string, memory: Memory): void {
  const result = new URLSearchParams(kept);
  const session = result.get('financing-session');
  if (!session) return;
  const token = result.get('financing-confirmation');
  const reason = result.get('financing-ended');
  const known = memory.recall();
  if (known?.session === digest(session)) {
    memory.remember({ ...known, session: undefined });
    globalThis.financingReturn = { name: memory.name, token, reason };
    // Handles a router that started before the parameters were removed: some routers write the URL
    // they know back into the history.
    if (location.hash) {
      for (const type of ['popstate', 'hashchange']) dispatchEvent(new Event(type));
    }
    return;
  }
  // This may be the window of a popup that isolated itself, in which case another page waits for
  // the return.
  const channel = new BroadcastChannel('financing-checkout');
  channel.onmessage = ({ data }: MessageEvent<{ taken?: string } | null>) => {
    if (data?.taken === session) close();
  };
  channel.postMessage({ session, token, reason });
}
