/** Initial delay between two requests, in milliseconds. The delay doubles each time. */
const FIRST_WAIT = 1_000;

/**
 * Waits for the backoff delay before the next request.
 * @param longest maximum delay in milliseconds
 */
export function backOff(
  tries: number,
  longest: number,
  signal: AbortSignal,
  wake?: EventTarget,
): Promise<void> {
  // Up to a quarter less, at random (jitter), so that many pages do not poll at the same moment.
  const ms = Math.min(FIRST_WAIT * 2 ** tries, longest) * (1 - Math.random() / 4);
  return pause(ms, signal, wake);
}

/**
 * Waits for a number of milliseconds and then until the page is visible. Resolves earlier if the
 * network comes back or the target receives a `wake` event.
 * @throws the signal's reason when the signal is aborted
 */
export async function pause(ms: number, signal: AbortSignal, wake?: EventTarget): Promise<void> {
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
      wake?.addEventListener('wake', () => resolve(), once);
      signal.addEventListener('abort', () => reject(signal.reason as Error), once);
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
