import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { cashWalk, claimRadar, discountAudit } from '../../queries/money.ts';
import { InexactSumError } from '../../queries/rows.ts';
import { walkCsv } from '../../queries/walk-csv.ts';
import { walkSvg } from '../../queries/walk-svg.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { namesOfLender } from '../lender.ts';
import { parseQuery } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { partQuery, walkQuery } from '../queries.ts';
import { answerTagged } from '../tagged.ts';

const types = { csv: 'text/csv; charset=utf-8', svg: 'image/svg+xml' };
const PART = 'one currency or one lender';

/** Routes for sums over many orders. */
export function moneyRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/walk', async (c) => {
    const { format, decimal, ...part } = parseQuery(c, walkQuery);
    const context = engine.data.context(clientSignal(c));
    const period = { from: part.from, to: part.to, zone: engine.config.sync.zone };
    const lenders = await namesOfLender(context, part.lender);
    const query = { ...part, lenders, period, span: checkedSpan(period) };
    const walk = await cashWalk(context, query).catch(
      tooLarge('a shorter period, one currency or one lender'),
    );
    if (format === 'json') return answerTagged(c, walk);
    c.header('content-disposition', `attachment; filename="cash-walk.${format}"`);
    const text = format === 'csv' ? walkCsv(walk, decimal) : walkSvg(walk);
    return c.body(text, 200, { 'content-type': types[format] });
  });

  app.get('/discounts', async (c) => {
    const part = parseQuery(c, partQuery);
    const context = engine.data.context(clientSignal(c));
    const lenders = await namesOfLender(context, part.lender);
    const audit = await discountAudit(context, { ...part, lenders }).catch(tooLarge(PART));
    return answerTagged(c, audit);
  });

  app.get('/radar', async (c) => {
    const part = parseQuery(c, partQuery);
    const context = engine.data.context(clientSignal(c));
    const lenders = await namesOfLender(context, part.lender);
    return answerTagged(c, await claimRadar(context, { ...part, lenders }).catch(tooLarge(PART)));
  });
  return app;
}

/** Rejects a sum that is not exact to the unit; a filtered one may be. */
function tooLarge(part: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InexactSumError)) throw error;
    const detail = `The sums are too large to be exact: request ${part}.`;
    throw new ProblemError('invalid-request', { detail });
  };
}
