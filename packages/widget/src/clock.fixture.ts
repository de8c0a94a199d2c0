import { vi } from 'vitest';

const { clearTimeout: cancel, setTimeout: wait } = globalThis;

/** Maximum wait for an event in real time, such as a page load or a message, in milliseconds. */
const PATIENCE = 60_000;

/** Interval between two checks, in milliseconds. */
const INTERVAL = 20;

/** IDs of fake timers start here (@sinonjs/fake-timers, `idCounterStart`). */
const FIRST_FAKE = 1e12;

/** Number of the current test. A wait that outlives its test must not move the next test's clock. */
let current = 0;

/**
 * Stops the page's clock, so that only the test moves it and none of the widget's timeouts expire
 * while a slow machine loads a page. A timer without a delay stays real, because it only lets the
 * browser do other work first.
 */
export function stopClock(): void {
  current++;
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  const { clearTimeout, setTimeout } = globalThis;
  globalThis.setTimeout = Object.assign(
    (...[run, delay = 0, ...values]: Parameters<typeof setTimeout>) =>
      (delay > 0 ? setTimeout : wait)(run, delay, ...values),
    setTimeout,
  );
  globalThis.clearTimeout = Object.assign((timer?: number) => {
    (Number(timer) >= FIRST_FAKE ? clearTimeout : cancel)(timer);
  }, clearTimeout);
}

/** Starts the clock again. The test's own timers never run. */
export function startClock(): void {
  current++;
  vi.useRealTimers();
}

/** Retries a check until it passes, in real time because the page's clock is stopped. */
export async function until(check: () => unknown): Promise<void> {
  const test = current;
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end || test !== current) throw error;
    }
    await new Promise<void>((resume) => wait(resume, INTERVAL));
  }
}

/** Moves the page's clock until a promise settles. */
export async function whileTimePasses<T>(coming: Promise<T>): Promise<T> {
  const test = current;
  const over = new AbortController();
  const end = () => over.abort();
  coming.then(end, end);
  while (!over.signal.aborted && test === current) await vi.advanceTimersByTimeAsync(100);
  return coming;
}
