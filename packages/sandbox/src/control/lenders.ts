import { Hono } from 'hono';
import { z } from 'zod';
import { lenders as known, type Lender } from '../lender/lenders.ts';
import { termsSchema } from '../lender/terms.ts';
import type { Service } from '../service.ts';
import { json, refuse } from './request.ts';

const change = termsSchema.extend({ lenderId: z.enum(known.map(({ id }) => id)) });

/** `/lenders`: what each lender is called, keeps and leaves out, and when it pays. */
export function lenderRoutes({ lenders }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) => c.json({ lenders: lenders.list().map(shown) }));
  routes.post('/', async (c) => {
    const body = change.safeParse(await json(c));
    if (!body.success) return refuse(c, z.prettifyError(body.error));
    const { lenderId, ...terms } = body.data;
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
