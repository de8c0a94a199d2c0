import { describe, expect, test } from 'vitest';
import { createCompanion, PRIVATE_KEY } from '../../companion.fixture.ts';
import { PrivateKey } from '../../keys/private-key.ts';
import { createServiceClient } from '../../service/client.ts';
import { delay } from '@financing-checkout/kit';
import { silentMeter } from '../meter.ts';
import { Turns } from './turns.ts';

/** A task that ends when the test resolves it. */
function controlledWork() {
  const started: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve, reject) => ends.set(name, { resolve, reject }));
  };
  return { started, ends, work };
}

describe('concurrency per name', () => {
  test('runs a few tasks of one name at a time, in order, and tasks of other names immediately', async () => {
    const { started, ends, work } = controlledWork();
    const turns = new Turns(2);
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((one) => turns.run(one[0] ?? '', work(one)));
    expect(started).toEqual(['a1', 'a2', 'b1']);
    ends.get('a2')?.resolve();
    await expect.poll(() => started).toEqual(['a1', 'a2', 'b1', 'a3']);
    ends.get('a1')?.resolve();
    await expect.poll(() => started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    for (const end of ends.values()) end.resolve();
    await Promise.all(all);
    expect(turns.size).toBe(0);
  });

  test('continues after a task fails', async () => {
    const { started, ends, work } = controlledWork();
    const turns = new Turns(1);
    const first = turns.run('a', work('first'));
    const second = turns.run('a', work('second'));
    ends.get('first')?.reject(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await expect.poll(() => started).toEqual(['first', 'second']);
    ends.get('second')?.resolve();
    await second;
    expect(turns.size).toBe(0);
  });
});

/** Latency of the service, in milliseconds. */
const ANSWER_MS = 300;

test.each(['POST', 'link'])(
  '120 concurrent primes (%s) from each of four addresses do not slow down other addresses',
  async (kind) => {
    const upstream = await createCompanion();
    const { clock, service, store } = upstream;
    /** Calls in flight, and queued calls. */
    const calls: [number, number][] = [];
    let links = 0;
    service.on('POST /v2/omni-link/consumer/checkout', () => ({
      status: 200,
      body: { linkId: `link-${++links}`, url: 'https://link.example/1' },
    }));
    const companion = await createCompanion({
      clock,
      store,
      clientAddress: (request) => request.headers.get('x-client') ?? undefined,
      addressLimit: 120,
      service: createServiceClient({
        baseUrl: 'https://service.example/',
        keys: [new PrivateKey(PRIVATE_KEY)],
        clock,
        meter: { ...silentMeter, calls: (...counts) => void calls.push(counts) },
        transport: async (url, request) => {
          await delay(clock, ANSWER_MS);
          return service.transport(url, request);
        },
      }),
    });
    const tickets = await Promise.all(
      Array.from({ length: 485 }, (_, index) =>
        companion.ticket({ merchantOrderId: `order-${index}` }),
      ),
    );
    const prime = (from: string, index: number, further: object = {}) => {
      const body = { order: tickets[index], environment: 'sandbox', ...further };
      const headers = { 'idempotency-key': `key-${index}`, 'x-client': from };
      return companion.post('/checkout/prime', body, headers);
    };
    const via = kind === 'link' ? { via: 'link' } : {};
    const flood = Array.from({ length: 480 }, (_, index) =>
      prime(`192.0.2.${index % 4}`, index, via),
    );
    // The flood reaches the service before the shoppers arrive.
    await expect.poll(() => calls.at(-1)?.[0]).toBeGreaterThanOrEqual(32);
    const started = clock.now();
    const honest = Array.from({ length: 5 }, async (_, index) => {
      const { status } = await prime(`203.0.113.${index}`, 480 + index);
      return { status, ms: clock.now() - started };
    });
    const answers = await upstream.patiently(Promise.all(honest), 100);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThanOrEqual(2 * ANSWER_MS);
    const statuses = await upstream.patiently(Promise.all(flood), 100);
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([201]));
  },
);
