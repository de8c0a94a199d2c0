import { Hono } from 'hono';
import { z } from 'zod';
import { behaviourChange } from '../behaviour/behaviour.ts';
import type { Service } from '../service.ts';
import { json, refuse } from './request.ts';

/** `/behaviour`: which way the sandbox answers where the published contract leaves a choice. */
export function behaviourRoutes({ behaviours }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) => c.json(behaviours.read()));
  routes.post('/', async (c) => {
    const body = behaviourChange.safeParse(await json(c));
    if (!body.success) return refuse(c, z.prettifyError(body.error));
    return c.json(behaviours.change(body.data));
  });
  routes.delete('/', (c) => c.json(behaviours.reset()));
  return routes;
}
