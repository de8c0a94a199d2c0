import { Hono } from 'hono';
import { operationsOf } from '../api/operations.ts';
import { faultKinds, readFault } from '../faults/fault.ts';
import type { Service } from '../service.ts';
import { readJson, refuse } from './request.ts';

/** `/faults`: sets, lists and clears wire faults. */
export function faultRoutes(service: Service): Hono {
  const { faults } = service;
  const operations = operationsOf(service).map(({ name }) => name);
  const routes = new Hono();
  routes.get('/', (c) => c.json({ faults: faults.list(), kinds: faultKinds, operations }));
  routes.post('/', async (c) => {
    const fault = readFault(await readJson(c), operations);
    if (typeof fault === 'string') return refuse(c, fault);
    const added = faults.add(fault);
    if (!added) return refuse(c, 'there are too many faults: clear some first', 409);
    return c.json(added, 201);
  });
  routes.delete('/', (c) => c.json({ cleared: faults.clear() }));
  routes.delete('/:id', (c) => {
    const id = c.req.param('id');
    const cleared = /^\d{1,15}$/.test(id) ? faults.clear(Number(id)) : 0;
    if (cleared === 0) return refuse(c, 'there is no fault of this id', 404);
    return c.json({ cleared });
  });
  return routes;
}
