/* Tests every way in which the companion that publishes the programmes can fail. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../clock.fixture.ts';
import { FakePublisher, part, programme, read, saying } from './programmes.fixture.ts';
import type { FinancingMessage } from './index.ts';

const FULL = 'From $37.08 a month for 24 months at 0% APR. Total $890.00.';
const lines = (element: FinancingMessage) => {
  const message = part(element, 'message');
  if (!message) return 0;
  return Math.round(
    message.getBoundingClientRect().height / parseFloat(getComputedStyle(message).lineHeight),
  );
};

/** Everything in the console except debug messages. */
const noise: unknown[] = [];
beforeEach(() => {
  noise.length = 0;
  document.body.style.lineHeight = '24px';
  for (const name of ['error', 'warn', 'info', 'log'] as const) {
    vi.spyOn(console, name).mockImplementation((...said: unknown[]) => void noise.push(said));
  }
});

describe('the companion', () => {
  it('gets one request for a hundred messages, without a cookie', async () => {
    const publisher = new FakePublisher(programme());
    const elements = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        publisher.mount({ amount: String(10_000 + index) }),
      ),
    );
    await until(() => expect(elements.every((one) => read(one).includes('month'))).toBe(true));
    expect(publisher.requests).toHaveLength(1);
    expect(publisher.requests[0]?.credentials).toBe('omit');
    expect(publisher.requests[0]?.cache).toBe('default');
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['is down', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['fails', () => new Response('{"programmes":[]}', { status: 500 })],
    ['answers garbage', () => new Response('<h1>502 Bad Gateway</h1>')],
    ['answers nothing', () => new Response('')],
    ['answers null', () => Response.json(null)],
    ['answers another document', () => Response.json({ programmes: { length: 3 } })],
    ['answers broken programmes', () => Response.json({ programmes: [null, {}, { id: 1 }] })],
    [
      'answers terms that take too long to compute',
      () =>
        Response.json({
          programmes: [
            { ...programme(), payments: { count: 1e9, period: 'Month', rounding: 'up' } },
            { ...programme(), payments: { count: 24, period: 'Year', rounding: 'up' } },
          ],
        }),
    ],
    ['never answers', () => new Promise(() => undefined)],
  ])('that %s causes no errors and no layout shift', async (_, answer) => {
    const publisher = new FakePublisher();
    publisher.answer(answer);
    const element = await publisher.mount();
    const before = element.getBoundingClientRect().height;
    expect(lines(element)).toBeGreaterThan(0);
    await until(() => expect(publisher.requests).toHaveLength(1));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    expect(read(element)).toBe('');
    expect(element.getBoundingClientRect().height).toBe(before);
    expect(noise).toEqual([]);
  });

  it('that is down is not needed for programmes cached within the last day', async () => {
    const publisher = new FakePublisher();
    publisher.answer(() => Promise.reject(new TypeError('Failed to fetch')));
    publisher.remember(programme());
    expect(read(await publisher.mount())).toContain(FULL);
  });

  it('has its programmes cached for one day only', async () => {
    const publisher = new FakePublisher();
    publisher.answer(() => Promise.reject(new TypeError('Failed to fetch')));
    const now = Date.now();
    vi.setSystemTime(now - 25 * 3_600_000);
    publisher.remember(programme());
    vi.setSystemTime(now);
    expect(read(await publisher.mount())).toBe('');
  });

  it('updates cached programmes, and is requested again when the page is visible after minutes', async () => {
    const publisher = new FakePublisher(saying('new'));
    publisher.remember(saying('old'));
    const element = await publisher.mount();
    expect(part(element, 'text')?.textContent).toBe('old');
    await until(() => expect(part(element, 'text')?.textContent).toBe('new'));
    publisher.publish(saying('newest'));
    document.dispatchEvent(new Event('visibilitychange'));
    expect(publisher.requests).toHaveLength(1);
    vi.setSystemTime(Date.now() + 6 * 60_000);
    document.dispatchEvent(new Event('visibilitychange'));
    await until(() => expect(part(element, 'text')?.textContent).toBe('newest'));
    expect(localStorage.getItem(`${publisher.companion}/programmes`)).toContain('newest');
  });

  it('with an http URL, or none, gets no request', async () => {
    const publisher = new FakePublisher(programme());
    const element = await publisher.mount({ companion: 'http://shop.example' });
    await publisher.mount({ companion: undefined });
    expect(read(element)).toBe('');
    expect(publisher.requests).toHaveLength(0);
    element.companion = publisher.companion;
    await until(() => expect(read(element)).toContain(FULL));
  });
});
