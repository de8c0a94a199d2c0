/**
 * Waits for a number of milliseconds and then until the page is visible. Ends earlier when the
 * network returns or the target receives a `wake` event.
 * @throws the signal's reason when the signal is aborted
 */
export async function pause(ms: number, signal: AbortSignal, wake: EventTarget): Promise<void> {
  signal.throwIfAborted();
  const over = new AbortController();
  const once = { once: true, signal: over.signal };
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const whenVisible = () => {
        if (document.hidden) document.addEventListener('visibilitychange', () => resolve(), once);
        else resolve();
      };
      timer = setTimeout(whenVisible, ms);
      addEventListener('online', () => resolve(), once);
      wake.addEventListener('wake', () => resolve(), once);
      signal.addEventListener('abort', () => reject(signal.reason as Error), once);
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
