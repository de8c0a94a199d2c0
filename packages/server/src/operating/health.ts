import { Hono } from 'hono';
import type { Clock } from '../platform/clock.ts';
import { isoTime } from '../platform/clock.ts';
import type { Env } from '../platform/http/requests.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Store } from '../store/store.ts';

export interface HealthOptions {
  store: Pick<Store, 'ping'>;
  service: Pick<ServiceClient, 'fundings'>;
  /** The keys of the service client, when it was made of a ring. */
  keys: KeyRing | undefined;
  clock: Clock;
}

/** Milliseconds between two questions whether the service takes a key again. */
const ASK_AGAIN_MS = 15_000;

/**
 * `/livez`: the process answers. `/readyz`: it can do its work, or says what is missing. That the
 * service is down does not make a companion unready: every replica would be, and shoppers would get
 * a balancer's error page instead of an answer that says what to do.
 */
export function healthRoutes(options: HealthOptions): Hono<Env> {
  const { store, service, keys, clock } = options;
  const app = new Hono<Env>();
  let askedAt = -Infinity;

  /**
   * An unready companion gets no requests that would show that its key is taken again, so the
   * readiness check itself asks: a read of one record.
   */
  function askAgain(): void {
    // A clock that was set back must not keep it from asking for as long as it was off.
    if (Math.abs(clock.now() - askedAt) < ASK_AGAIN_MS) return;
    askedAt = clock.now();
    void service.fundings({ operation: 'report', showMissing: false, offset: 0, limit: 1 });
  }

  app.get('/livez', (c) => c.json({ status: 'ok' }));

  app.get('/readyz', async (c) => {
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
      askAgain();
    }
    const ready = problems.length === 0;
    return c.json(
      {
        status: ready ? 'ok' : 'failed',
        checks: {
          store: storeWorks ? 'ok' : 'failed',
          serviceKey: rejectedSince === undefined ? 'ok' : 'rejected',
        },
        ...(ready ? {} : { problems }),
      },
      ready ? 200 : 503,
    );
  });
  return app;
}
