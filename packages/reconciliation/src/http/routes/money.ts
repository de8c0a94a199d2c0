import {
  moneyOperations as declared,
  walkSchema,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { queryOf } from '@financing-checkout/kit/http';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { periodWalk } from '../../periods/walk.ts';
import {
  cashWalk,
  claimRadar,
  discountAudit,
  monthsUntil,
  walkMonths,
} from '../../queries/money/money.ts';
import { InexactSumError } from '../../queries/basis/rows.ts';
import { walkCsv, walkSheet } from '../../queries/exports/walk-file.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { namesOfLender } from '../lender.ts';
import { checkedSpan } from '../period.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { reading, routesOf } from '../operation.ts';
import { type partQuery, walkQuery } from '../queries.ts';
import { answerUnlessUnchanged, unlessUnchanged } from '../tagged.ts';
import { detailOf, recordFile } from '../trail.ts';

const types = { csv: 'text/csv; charset=utf-8', xlsx: WORKBOOK_TYPE };

/** A year plus the month before it. */
const USUAL_MONTHS = 13;

/** Operations that return sums over many orders. */
export const moneyOperations = {
  walk: reading('/walk', 'Cash walk from what was expected to what was posted', walkSchema, {
    description:
      'Also as `format=csv`, with `decimal=comma` for spreadsheets with decimal commas and `bom` for Excel, and as a workbook with `format=xlsx`. The days are in `zone`. With `period`, a period of the books: as it was sealed, or with the adjustments of closed periods if it is closed next.',
    query: walkQuery,
    problems: ['period-not-found'],
    answers: {
      200: {
        contentTypes: ['application/json', 'text/csv', WORKBOOK_TYPE],
        schema: walkSchema,
      },
    },
  }),
  ...routesOf(declared),
};

/** Routes for sums over many orders. */
export function moneyRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, moneyOperations.walk, async (c, input) => {
    const { format, bom, decimal, period, ...part } = input.query();
    const { context, wanted } = asked(c, part);
    if (period !== undefined && (part.from ?? part.to ?? part.zone) !== undefined) {
      throw new ProblemError('invalid-request', {
        errors: [{ path: 'period', message: 'has its own days: omit "from", "to" and "zone"' }],
      });
    }
    const answer = async () => {
      const own = await wanted();
      const walk =
        period === undefined
          ? cashWalk(context, own)
          : periodWalk(engine.periods(context.signal), context, { ...own, id: period });
      return walk.catch(tooLarge);
    };
    if (format === 'json' && period !== undefined) return c.json(await answer());
    if (format === 'json') return answerUnlessUnchanged(c, context, answer);
    const taken = { subject: 'walk', detail: detailOf(queryOf(c)) };
    const walk = await recordFile(engine, c, taken, answer);
    c.header('content-disposition', `attachment; filename="cash-walk.${format}"`);
    const headers = { 'content-type': types[format] };
    if (format === 'xlsx') return c.body(await walkSheet(walk), 200, headers);
    return c.body(walkCsv(walk, { bom, decimal }), 200, headers);
  });

  const rows = Number.MAX_SAFE_INTEGER;
  const tables = { engine, answerFile, rows, respond: unlessUnchanged(engine) };
  const { zone: own } = engine.config.sync;
  serveTable(app, tables, moneyOperations.months, async (c, part) => {
    const { currency, lender, months = USUAL_MONTHS, until, zone = own } = part;
    const context = engine.data.context(clientSignal(c));
    const last = until ?? new Calendar(zone).dayOf(context.clock.now()).slice(0, 'YYYY-MM'.length);
    const lenders = await namesOfLender(context, lender);
    const wanted = { currency, lender, lenders, months: monthsUntil(last, months), zone };
    return walkMonths(context, wanted).catch(tooLarge);
  });

  serveTable(app, tables, moneyOperations.discounts, async (c, part) => {
    const { context, wanted } = asked(c, part);
    return discountAudit(context, await wanted()).catch(tooLarge);
  });

  serveTable(app, tables, moneyOperations.radar, async (c, part) => {
    const { context, wanted } = asked(c, part);
    return claimRadar(context, await wanted()).catch(tooLarge);
  });
  return app;

  /**
   * Returns a request's filter with the start and end of its period; `wanted` adds the lender's
   * names.
   */
  function asked(
    c: Context<Env>,
    { from, to, zone = engine.config.sync.zone, currency, lender }: z.infer<typeof partQuery>,
  ) {
    const context = engine.data.context(clientSignal(c));
    const period = { from, to, zone };
    const span = checkedSpan(period);
    const wanted = async () => {
      const lenders = await namesOfLender(context, lender);
      return { currency, lender, lenders, period, span };
    };
    return { context, wanted };
  }
}

/** Rejects a sum that is too large to be exact. A filtered sum may still be exact. */
export function tooLarge(error: unknown): never {
  if (!(error instanceof InexactSumError)) throw error;
  const detail =
    'The sums are too large to be exact: request a shorter period, one currency or one lender.';
  throw new ProblemError('invalid-request', { detail });
}
