/**
 * Returns a promise that rejects with the signal's reason when the signal is aborted.
 * @param until signal that removes the listener if it is aborted first
 */
export function aborted(signal: AbortSignal, until = new AbortController().signal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { signal: until });
  });
}
