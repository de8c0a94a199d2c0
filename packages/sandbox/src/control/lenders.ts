import { Hono } from 'hono';
import { z } from 'zod';
import { lenders as known, type Lender } from '../lenders/lenders.ts';
import { termsSchema } from '../lenders/terms.ts';
import type { Service } from '../service.ts';
import { readBody } from './request.ts';

const change = termsSchema.extend({ lenderId: z.enum(known.map(({ id }) => id)) });

/** `/lenders`: name, discount, funding lag and tax rule of each lender. */
export function lenderRoutes({ lenders }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) => c.json({ lenders: lenders.list().map(shown) }));
  routes.post('/', async (c) => {
    const { lenderId, ...terms } = await readBody(c, change);
    return c.json(shown(lenders.change(lenderId, terms)));
  });
  routes.delete('/', (c) => {
    lenders.reset();
    return c.json({ lenders: lenders.list().map(shown) });
  });
  return routes;
}

function shown({ id, name, discountBasisPoints, fundingLagDays, taxLeftOut }: Lender) {
  return { id, name, discountBasisPoints, fundingLagDays, taxLeftOut };
}
