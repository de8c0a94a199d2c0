import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { cashWalk, claimRadar, discountAudit } from '../../queries/money.ts';
import { InexactSumError } from '../../queries/rows.ts';
import { walkCsv, walkSheet } from '../../queries/walk-file.ts';
import { walkSvg } from '../../queries/walk-svg.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { namesOfLender } from '../lender.ts';
import { parseQuery } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { partQuery, walkQuery } from '../queries.ts';
import { answerTagged } from '../tagged.ts';

const types = { csv: 'text/csv; charset=utf-8', svg: 'image/svg+xml', xlsx: WORKBOOK_TYPE };

/** Routes for sums over many orders. */
export function moneyRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/walk', async (c) => {
    const { format, bom, decimal, ...part } = parseQuery(c, walkQuery);
    const { context, wanted } = await asked(c, part);
    const walk = await cashWalk(context, wanted).catch(tooLarge);
    if (format === 'json') return answerTagged(c, walk);
    c.header('content-disposition', `attachment; filename="cash-walk.${format}"`);
    const headers = { 'content-type': types[format] };
    if (format === 'xlsx') return c.body(await walkSheet(walk), 200, headers);
    const text = format === 'csv' ? walkCsv(walk, { bom, decimal }) : walkSvg(walk);
    return c.body(text, 200, headers);
  });

  app.get('/discounts', async (c) => {
    const { context, wanted } = await asked(c, parseQuery(c, partQuery));
    return answerTagged(c, await discountAudit(context, wanted).catch(tooLarge));
  });

  app.get('/radar', async (c) => {
    const { context, wanted } = await asked(c, parseQuery(c, partQuery));
    return answerTagged(c, await claimRadar(context, wanted).catch(tooLarge));
  });
  return app;

  /** Returns what a request asks for, with the moments of its period and the lender's names. */
  async function asked(
    c: Context<Env>,
    { from, to, zone = engine.config.sync.zone, currency, lender }: z.infer<typeof partQuery>,
  ) {
    const context = engine.data.context(clientSignal(c));
    const period = { from, to, zone };
    const span = checkedSpan(period);
    const lenders = await namesOfLender(context, lender);
    return { context, wanted: { currency, lender, lenders, period, span } };
  }
}

/** Rejects a sum that is not exact to the unit; a filtered one may be. */
export function tooLarge(error: unknown): never {
  if (!(error instanceof InexactSumError)) throw error;
  const detail =
    'The sums are too large to be exact: request a shorter period, one currency or one lender.';
  throw new ProblemError('invalid-request', { detail });
}
