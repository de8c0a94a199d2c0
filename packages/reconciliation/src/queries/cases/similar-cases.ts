import type { SimilarCases } from '@financing-checkout/contract/reconciliation';
import { lenderNames, lenderOf } from '@financing-checkout/reconciliation-rules';
import { caseRecord } from '../../cases/record.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { caseConditions, caseTerms, casesWithDue, toCase } from './cases.ts';
import { lendersOfOrders } from '../basis/lenders.ts';
import { whereOf } from '../basis/filter.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { select, whole } from '../basis/rows.ts';

const LISTED = 5;
/** Number of places for open cases. Unused places go to the other group. */
const OF_OPEN = 3;

/**
 * Returns cases of the same code and lender: open ones with the most money first, then the most
 * recently decided ones. The lender is that of the order's last funding; without a funding, cases of
 * the same code are similar.
 */
export async function similarCases(
  ctx: QueryContext,
  { id, code, orderKey }: Pick<CaseFact, 'id' | 'code' | 'orderKey'>,
): Promise<SimilarCases> {
  const terms = caseTerms(ctx);
  return ctx.database.read(async (connection) => {
    const name = (await lendersOfOrders(connection, [orderKey])).get(orderKey);
    const lender = name === undefined ? undefined : lenderOf(name, ctx.policy);
    const names = lender === undefined ? undefined : lenderNames(lender, ctx.policy);
    const { conditions, parameters } = caseConditions({ code, lender: names }, terms);
    const rows = await select(
      connection,
      `with others as (select *, state = 'open' as is_open
          from ${casesWithDue(terms)}
          ${whereOf([...conditions, 'id <> $id', `state <> 'closed'`])}),
        ranked as (select *, count(*) over () as total, row_number() over (partition by is_open
          order by case when is_open then stake else updated_at end desc, id) as place
          from others)
      select * from (select * from ranked
        order by case when is_open then place > ${OF_OPEN} else place > ${LISTED - OF_OPEN} end, place
        limit ${LISTED})
      order by is_open desc, place`,
      { ...parameters, id },
    );
    return {
      lender,
      count: whole(rows[0]?.total ?? 0),
      cases: rows.map((row) => caseRecord(toCase(row), terms.now, terms.days)),
    };
  }, ctx.signal);
}
