import { route } from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Clock } from '@financing-checkout/kit';
import { isoTime } from '@financing-checkout/kit';
import { serve } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { PublishedProgrammes } from '../programmes/published.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Store } from '../store/store.ts';

export interface HealthOptions {
  store: Pick<Store, 'ping'>;
  service: Pick<ServiceClient, 'fundings'>;
  /** Key ring of the service client, if it has one. */
  keys: KeyRing | undefined;
  clock: Clock;
  programmes: Pick<PublishedProgrammes, 'refusal'>;
}

const healthSchema = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.object({
    store: z.enum(['ok', 'failed']),
    serviceKey: z.enum(['ok', 'rejected']),
    /**
     * Set only while the programme file is invalid. The companion stays ready with the previous
     * programmes.
     */
    programmes: z.literal('refused').optional(),
  }),
  problems: z.array(z.string()).optional(),
});

/** Milliseconds between checks of whether the service accepts a key again. */
const RECHECK_MS = 15_000;

const liveness = route({
  method: 'get',
  path: '/livez',
  summary: 'Whether the process answers',
  scope: 'none',
  priorities: [],
  budgets: { none: 'answers from memory' },
  maxBodyBytes: 0,
  description: 'On both listeners. The one for pages answers `OPTIONS /` as well, with 204.',
  answers: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
});

const readiness = route({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the companion can do its work',
  scope: 'none',
  priorities: ['report'],
  budgets: { none: 'asks the store once, and the service at most once in 15 seconds' },
  maxBodyBytes: 0,
  answers: {
    200: { description: 'It can.', schema: healthSchema },
    503: { description: 'It cannot; `problems` says why and what to do.', schema: healthSchema },
  },
});

export const healthOperations = [liveness, readiness];

/**
 * Creates `/livez` (the process responds) and `/readyz` (it can serve requests; if not, lists the
 * causes). A companion stays ready while the service is down: if none of the replicas were ready,
 * shoppers would get a load balancer's error page instead of a response that says what to do.
 */
export function healthRoutes(options: HealthOptions): Hono<Env> {
  const { store, service, keys, clock, programmes } = options;
  const app = new Hono<Env>();
  let checkedAt = -Infinity;

  /**
   * Reads one record from the service. A companion that is not ready gets no requests, so nothing
   * else would show that its key is accepted again.
   */
  function recheckKey(): void {
    // Absolute value: setting the clock back must not pause the check.
    if (Math.abs(clock.now() - checkedAt) < RECHECK_MS) return;
    checkedAt = clock.now();
    void service.fundings(
      { operation: 'report', showMissing: false, offset: 0, limit: 1 },
      { priority: 'report' },
    );
  }

  serve(app, liveness, (c) => c.json({ status: 'ok' }));

  serve(app, readiness, async (c) => {
    const problems: string[] = [];
    const storeWorks = await store.ping().then(
      () => true,
      () => false,
    );
    if (!storeWorks) problems.push('The store cannot be used.');
    const rejectedSince = keys?.rejectedSince;
    if (rejectedSince !== undefined) {
      problems.push(
        `The financing service answers 401 to every private key since ${isoTime(rejectedSince)}: check the key and the environment, or rotate it.`,
      );
      recheckKey();
    }
    const ready = problems.length === 0;
    const { refusal } = programmes;
    if (refusal !== undefined) {
      problems.push(`The former programmes are published: the file cannot be used. ${refusal}`);
    }
    return c.json(
      {
        status: ready ? 'ok' : 'failed',
        checks: {
          store: storeWorks ? 'ok' : 'failed',
          serviceKey: rejectedSince === undefined ? 'ok' : 'rejected',
          ...(refusal === undefined ? {} : { programmes: 'refused' as const }),
        },
        ...(problems.length === 0 ? {} : { problems }),
      },
      ready ? 200 : 503,
    );
  });
  return app;
}
