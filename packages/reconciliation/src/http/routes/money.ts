import {
  discountAuditSchema,
  radarSchema,
  walkMonthsSchema,
  walkSchema,
} from '@financing-checkout/contract';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { queryOf } from '@financing-checkout/kit/http';
import type { Engine } from '../../engine/engine.ts';
import { ProblemError } from '../../platform/problem.ts';
import { periodWalk } from '../../periods/walk.ts';
import { cashWalk, claimRadar, discountAudit, walkMonths } from '../../queries/money.ts';
import { InexactSumError } from '../../queries/rows.ts';
import { walkCsv, walkSheet } from '../../queries/walk-file.ts';
import { clientSignal } from '../client-signal.ts';
import { type Env, serve } from '../env.ts';
import { namesOfLender } from '../lender.ts';
import { checkedSpan } from '../period.ts';
import { reading } from '../operation.ts';
import { wantedMonths } from '../months.ts';
import { partQuery, walkMonthsQuery, walkQuery } from '../queries.ts';
import { answerUnlessUnchanged } from '../tagged.ts';
import { detailOf, recordFile } from '../trail.ts';

const types = { csv: 'text/csv; charset=utf-8', xlsx: WORKBOOK_TYPE };

const ofPosted = 'Of the fundings posted in the period, by their own moment.';

/** Operations of sums over many orders. */
export const moneyOperations = {
  walk: reading('/walk', 'Cash walk from what was expected to what was posted', walkSchema, {
    description:
      'Also as `format=csv`, with `decimal=comma` for spreadsheets with decimal commas and `bom` for Excel, and as a workbook with `format=xlsx`. The days are in `zone`. With `period`, a period of the books: as it was sealed, or with the adjustments of closed periods if it is closed next.',
    query: walkQuery,
    answers: {
      200: {
        contentTypes: ['application/json', 'text/csv', WORKBOOK_TYPE],
        schema: walkSchema,
      },
    },
  }),
  months: reading('/walk/months', 'What moved in each month, by currency', walkMonthsSchema, {
    description:
      'The amounts of the cash walk of each month that are sums of what moved in it. Months in which nothing moved have no row.',
    query: walkMonthsQuery,
  }),
  discounts: reading(
    '/discounts',
    'Discounts (MDR) compared with the contracts',
    discountAuditSchema,
    { description: ofPosted, query: partQuery },
  ),
  radar: reading('/radar', 'Where the service’s status and the arithmetic disagree', radarSchema, {
    description: ofPosted,
    query: partQuery,
  }),
};

/** Routes for sums over many orders. */
export function moneyRoutes(engine: Engine): Hono<Env> {
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

  serve(app, moneyOperations.months, async (c, input) => {
    const context = engine.data.context(clientSignal(c));
    const part = input.query();
    return answerUnlessUnchanged(c, context, async () =>
      walkMonths(context, await wantedMonths(context, part, engine.config.sync.zone)).catch(
        tooLarge,
      ),
    );
  });

  serve(app, moneyOperations.discounts, async (c, input) => {
    const { context, wanted } = asked(c, input.query());
    return answerUnlessUnchanged(c, context, async () =>
      discountAudit(context, await wanted()).catch(tooLarge),
    );
  });

  serve(app, moneyOperations.radar, async (c, input) => {
    const { context, wanted } = asked(c, input.query());
    return answerUnlessUnchanged(c, context, async () =>
      claimRadar(context, await wanted()).catch(tooLarge),
    );
  });
  return app;

  /**
   * Returns the filter of a request, with the start and end of its period; `wanted` adds the
   * lender's names.
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

/** Rejects a sum that is too large to be exact; a filtered sum may be exact. */
export function tooLarge(error: unknown): never {
  if (!(error instanceof InexactSumError)) throw error;
  const detail =
    'The sums are too large to be exact: request a shorter period, one currency or one lender.';
  throw new ProblemError('invalid-request', { detail });
}
