import { Hono } from 'hono';
import { behaviourChange } from '../state/behaviour.ts';
import type { Service } from '../service.ts';
import { readBody } from './request.ts';

/** `/behaviour`: how the sandbox answers where the published contract leaves a choice. */
export function behaviourRoutes({ behaviours }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) => c.json(behaviours.read()));
  routes.post('/', async (c) => c.json(behaviours.change(await readBody(c, behaviourChange))));
  routes.delete('/', (c) => c.json(behaviours.reset()));
  return routes;
}
