import { brotliCompressSync } from 'node:zlib';
import type { Page, Request, Response } from 'playwright';

/** A page's request to the API. */
export interface ServerTime {
  path: string;
  /** Milliseconds from the request to the first byte of the answer. */
  ms: number;
}

/** Opens a page, and returns its requests to the API. */
export function serverTimes(page: Page, url: string): Promise<ServerTime[]> {
  return requestsDuring(page, async () => {
    await page.goto(url, { waitUntil: 'networkidle' });
  });
}

/** Types text into the search field of an open page, and returns its requests to the API. */
export function searchTimes(page: Page, text: string): Promise<ServerTime[]> {
  return requestsDuring(page, async () => {
    const answered = page.waitForResponse((response) => response.url().includes('/search?'));
    await page.getByRole('combobox').first().fill(text);
    await (await answered).finished();
  });
}

async function requestsDuring(page: Page, act: () => Promise<void>): Promise<ServerTime[]> {
  const times: ServerTime[] = [];
  const pending: Promise<void>[] = [];
  const listen = (request: Request) => {
    if (!/fetch|xhr/.test(request.resourceType())) return;
    const { requestStart, responseStart } = request.timing();
    pending.push(
      request.response().then((response) => {
        const path = new URL(request.url()).pathname;
        if (response && response.status() >= 500) {
          throw new Error(`${path} was answered ${response.status()}`);
        }
        times.push({ path, ms: responseStart - requestStart });
      }),
    );
  };
  page.on('requestfinished', listen);
  await act();
  await Promise.all(pending);
  page.off('requestfinished', listen);
  return times;
}

/** Opens a session with a token, as the page's sign-in does. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/console/`);
  const status = await page.evaluate(
    async (secret) =>
      (
        await fetch('/console/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'financing-console': '1' },
          body: JSON.stringify({ token: secret }),
        })
      ).status,
    token,
  );
  if (status !== 201) throw new Error(`The sign-in was answered ${status}.`);
}

/** Slows the processor of a page. */
export async function slow(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

export interface FirstLoad {
  /** Milliseconds until the first contentful paint. */
  paintMs: number;
  /** Bytes of all scripts until the page is idle, after brotli. */
  scriptBytes: number;
}

/** Loads a page without a cache. */
export async function firstLoad(page: Page, url: string, rate: number): Promise<FirstLoad> {
  const bodies: Promise<Buffer>[] = [];
  const listen = (response: Response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  };
  page.on('response', listen);
  await slow(page, rate);
  await page.goto(url, { waitUntil: 'networkidle' });
  page.off('response', listen);
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const scripts = await Promise.all(bodies);
  const scriptBytes = scripts.reduce(
    (sum, script) => sum + brotliCompressSync(script).byteLength,
    0,
  );
  return { paintMs, scriptBytes };
}

const TURNS = 100;
const TURN_PIXELS = 700;

/** Scrolls the list of orders. @returns the longest task in milliseconds, and the pixels by which it moved */
export async function scrollOrders(page: Page, url: string, rate: number) {
  await page.goto(`${url}/console/orders`, { waitUntil: 'networkidle' });
  await slow(page, rate);
  await page.evaluate(() => {
    Object.assign(globalThis, { longest: 0 });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        const seen = globalThis as unknown as { longest: number };
        seen.longest = Math.max(seen.longest, duration);
      }
    }).observe({ type: 'longtask' });
    document.addEventListener(
      'scroll',
      ({ target }) => {
        const top = target instanceof Element ? target.scrollTop : scrollY;
        const seen = globalThis as unknown as { moved?: number };
        seen.moved = Math.max(seen.moved ?? 0, top);
      },
      { capture: true, passive: true },
    );
  });
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 900 };
  await page.mouse.move(width / 2, height * 0.7);
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, TURN_PIXELS);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  return page.evaluate(() => {
    const { longest, moved = 0 } = globalThis as unknown as { longest: number; moved?: number };
    return { longest, moved };
  });
}
