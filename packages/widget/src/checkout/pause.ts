/**
 * Waits so many milliseconds and then for the page to be looked at; sooner when the network comes
 * back or something is dispatched as `wake` on the given target.
 * @throws the signal's reason when that is aborted.
 */
export async function pause(ms: number, signal: AbortSignal, wake: EventTarget): Promise<void> {
  signal.throwIfAborted();
  const over = new AbortController();
  const once = { once: true, signal: over.signal };
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const whenSeen = () => {
        if (document.hidden) document.addEventListener('visibilitychange', () => resolve(), once);
        else resolve();
      };
      timer = setTimeout(whenSeen, ms);
      addEventListener('online', () => resolve(), once);
      wake.addEventListener('wake', () => resolve(), once);
      signal.addEventListener('abort', () => reject(signal.reason as Error), once);
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
