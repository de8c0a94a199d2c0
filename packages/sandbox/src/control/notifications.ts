import { Hono } from 'hono';
import { z } from 'zod';
import { environmentNames } from '../environments/environment.ts';
import { destinationSchema, type Destination } from '../notifications/destination.ts';
import type { Notification } from '../notifications/outbox.ts';
import type { Service } from '../service.ts';
import { readBody, refuse } from './request.ts';

const setting = destinationSchema.extend({
  environment: z.enum(environmentNames).default('sandbox'),
});

/** Maximum number of notifications in an answer. */
const SHOWN = 1000;

/** `/notifications`: the merchant addresses, and the log of deliveries. */
export function notificationRoutes({ notifier }: Service): Hono {
  const { destinations, outbox } = notifier;
  const routes = new Hono();
  const addresses = () =>
    environmentNames.map((environment) => {
      const destination = destinations.get(environment);
      return { environment, ...(destination ? shownDestination(destination) : { url: null }) };
    });
  routes.get('/', (c) =>
    c.json({ destinations: addresses(), notifications: outbox.list(SHOWN).map(shown) }),
  );
  routes.post('/destination', async (c) => {
    const { environment, ...destination } = await readBody(c, setting);
    destinations.set(environment, destination);
    return c.json({ environment, ...shownDestination(destination) });
  });
  routes.delete('/destination/:environment', (c) => {
    const environment = environmentNames.find((name) => name === c.req.param('environment'));
    if (!environment) return refuse(c, `the environments are ${environmentNames.join(', ')}`, 404);
    destinations.set(environment, undefined);
    return c.json({ environment, url: null });
  });
  routes.post('/flush', async (c) => c.json({ tried: await notifier.flush() }));
  return routes;
}

/** The Authorization value is a secret: the answer only states whether one is set. */
function shownDestination({ url, authorization, disorder, names }: Destination) {
  return { url, authorizationSet: authorization !== undefined, disorder, names };
}

/** Omits the body: it may hold a confirmation token. */
function shown(notification: Notification) {
  const { id, environment, event, applicationId, state, attempts, delivered } = notification;
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id,
    environment,
    event,
    applicationId,
    createdAt: time(notification.createdAt),
    state,
    attempts,
    delivered,
    lastResult: notification.lastResult,
    lastAt: time(notification.lastAt),
    dueAt: time(notification.dueAt),
  };
}
