import { Hono } from 'hono';
import { z } from 'zod';
import { parseDuration } from '../platform/duration.ts';
import { environmentNames } from '../environments/environment.ts';
import { keyKinds } from '../environments/keys.ts';
import type { Service } from '../service.ts';
import { readBody, refuse } from './request.ts';

/** Longest grace period, in milliseconds: a year. */
const MAX_GRACE = 365 * 86_400_000;

const rotation = z.strictObject({
  environment: z.enum(environmentNames),
  kind: z.enum(keyKinds).default('private'),
  grace: z.string().default('24h'),
});

/** `/keys`: rotates keys (specification 5.3, 5.6). A private key is only in its file. */
export function keyRoutes({ keys }: Service): Hono {
  const routes = new Hono();
  routes.post('/rotate', async (c) => {
    const { environment, kind, grace } = await readBody(c, rotation);
    const graceMs = grace === '0' ? 0 : parseDuration(grace);
    if (graceMs === undefined) {
      return refuse(c, 'grace must be a duration such as 24h, or 0 to end the old key at once');
    }
    if (graceMs > MAX_GRACE) return refuse(c, 'grace is at most 365d');
    const { key, previousValidUntil } = keys.rotate(environment, kind, graceMs);
    return c.json({
      environment,
      kind,
      file: key.file,
      ...(kind === 'public' ? { publicKey: key.value } : {}),
      previousValidUntil: new Date(previousValidUntil).toISOString(),
    });
  });
  return routes;
}
