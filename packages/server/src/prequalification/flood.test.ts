import { expect, test } from 'vitest';
import { createCompanion, keyOf, ORIGIN, PRIVATE_KEY } from '../companion.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { delay } from '@financing-checkout/kit';
import { sha256 } from '../platform/id.ts';
import { silentMeter } from '../platform/meter.ts';
import { createServiceClient } from '../service/client.ts';
import type { Transport } from '@financing-checkout/kit';
import { applied, HOUR, setUp } from './prequalification.fixture.ts';

/** Latency of each service response in milliseconds. */
const ANSWER_MS = 300;

/** Creates a companion with a slow service and `count` open applications of one page. */
async function besideFlood(count: number) {
  const upstream = await setUp();
  const { clock, service, store } = upstream;
  const slow: Transport = async (url, request) => {
    await delay(clock, ANSWER_MS);
    return service.transport(url, request);
  };
  /** Calls in flight, and calls that wait for a slot. */
  const calls: number[][] = [];
  const companion = await createCompanion({
    clock,
    store,
    service: createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: slow,
      clock,
      meter: { ...silentMeter, calls: (...counts) => void calls.push(counts) },
    }),
  });
  const now = clock.now();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const applicationId = `application-${index}`;
    const { row } = await store.claimPrequalification({
      id: `prq_${index}`,
      environment: 'sandbox',
      secretHash: await sha256(keyOf(`page-${index}`)),
      fingerprint: 'fingerprint',
      status: 'open',
      currency: 'USD',
      origin: ORIGIN,
      returnUrl: undefined,
      locale: undefined,
      leaseUntil: now,
      createdAt: now,
      expiresAt: now + HOUR,
    });
    await store.openPrequalification(row, { token: 'session-token-1', applicationId });
    service
      .on(`GET /v2/checkout/applications/${applicationId}/status`, applied(null))
      .on(`GET /v2/checkout/applications/${applicationId}/token`, {
        status: 200,
        body: { sessionToken: 'session-token-2' },
      });
    ids.push(row.id);
  }
  const read = (index: number) =>
    companion.get(`/prequalifications/prq_${index}`, {
      'financing-checkout-secret': keyOf(`page-${index}`),
    });
  return { upstream, companion, read, calls };
}

test.each([
  ['480 reads of one application', 1, [1, 0]],
  ['480 reads of 480 applications', 480, [16, 256]],
])('%s do not block five honest primes', async (_, applications, atService) => {
  const { upstream, companion, read, calls } = await besideFlood(applications);
  const flood = Array.from({ length: 480 }, (_, index) => read(index % applications));
  // The flood reaches the service before the shoppers arrive.
  await expect.poll(() => calls.at(-1)).toEqual(atService);
  const primes = Array.from({ length: 5 }, (_, index) =>
    companion.prime(`honest-${index}`, { merchantOrderId: `order-${index}` }),
  );
  const answers = await upstream.patiently(Promise.all(primes));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  await upstream.patiently(Promise.all(flood));
});
