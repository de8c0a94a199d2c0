import { type Policy, WHOLE_PPM } from '@financing-checkout/reconciliation-rules';
import type { BulkConnection, Value } from './bulk.ts';
import { agreedMillionths, wide } from './contract-rate.ts';
import { type Fragment, from, type Scope, within } from './scope.ts';
import type { OrderPlace, Survey } from './survey.ts';

/** Of one settle that is funded once (`paidInFull` of the rules): decided by the database. */
export async function surveyInDatabase(
  bulk: BulkConnection,
  scope: Scope,
  policy: Policy,
): Promise<Survey> {
  const survey: Survey = { paid: [], others: [] };
  const query = fundedOrders(scope, policy);
  for (const row of await bulk.rows(query.sql, query.parameters)) {
    const place = placeOf(row);
    if (row[2] === 0) {
      survey.others.push(place);
      continue;
    }
    survey.paid.push({
      ...place,
      settle: Number(row[3]),
      refund: 0,
      discount: Number(row[4]),
      net: Number(row[5]),
      stood: row[2] === 2,
    });
  }
  for (const { sql, parameters } of [unfundedOrders(scope), statusesWithoutLines(scope)]) {
    for (const row of await bulk.rows(sql, parameters)) survey.others.push(placeOf(row));
  }
  return survey;
}

function fundedOrders(scope: Scope, policy: Policy): Fragment {
  const agreed = agreedMillionths(policy);
  const lines = within('l', scope);
  const ledger = `left join ledger_lines l on l.environment = f.environment and ${lines.sql}
    and l.order_key = f.order_key and l.currency = f.currency`;
  const statuses = within('s', scope);
  const fundings = from('fundings', 'f', scope, ledger);
  const isPaid = `f.status = 'RECONCILED' and f.transaction_type = 'Settle'
    and f.transaction_amount > 0 and f.transaction_id > ''
    and f.transaction_amount - f.discount_amount = f.net_amount
    and l.type = 'Settle' and l.amount = f.transaction_amount
    and l.transaction_id = f.transaction_id`;
  // Less than a unit away from what was agreed exactly, which is null where nothing was.
  const isAgreed =
    agreed && policy.contracts.length > 0
      ? `and coalesce(abs(${wide('f.discount_amount')} * ${WHOLE_PPM}
          - (${agreed.sql})) < ${WHOLE_PPM}, 1 = 1)`
      : '';
  const paid = agreed ? `case when ${isPaid} ${isAgreed} then 1 else 0 end` : '0';
  const orders = `
    select f.order_key, f.currency, count(*) as lines, min(${paid}) as paid,
      min(f.transaction_amount) as amount, min(f.discount_amount) as discount,
      min(f.net_amount) as net
    ${fundings.sql} and f.currency <> ''
    group by f.order_key, f.currency`;
  return {
    sql: `
      select o.order_key, o.currency,
        case when o.lines <> 1 or o.paid <> 1 then 0 when s.order_key is null then 1 else 2 end,
        o.amount, o.discount, o.net
      from (${orders}) o
      left join order_statuses s
        on s.environment = ? and ${statuses.sql}
        and s.order_key = o.order_key and s.currency = o.currency
      where s.order_key is null or not (o.lines = 1 and o.paid = 1
        and s.headline = 'FUNDED' and s.funding = 'FUNDED' and s.returns = 'NONE'
        and s.expected_settle = o.amount and s.funded_settle = o.amount
        and s.discount = o.discount and s.net = o.net and s.expected_refund = 0
        and s.funded_refund = 0 and s.funded_chargeback = 0 and s.funded_reversal = 0
        and s.awaiting = 0 and s.recheck_at is null and s.lines_hash = '')`,
    parameters: [
      ...(agreed && policy.contracts.length > 0 ? agreed.parameters : []),
      ...lines.parameters,
      ...fundings.parameters,
      scope.environment,
      ...statuses.parameters,
    ],
  };
}

function unfundedOrders(scope: Scope): Fragment {
  return except(placesIn('ledger_lines', scope), placesIn('fundings', scope));
}

function statusesWithoutLines(scope: Scope): Fragment {
  return except(
    placesIn('order_statuses', scope),
    placesIn('fundings', scope),
    placesIn('ledger_lines', scope),
  );
}

function placesIn(table: string, scope: Scope): Fragment {
  const { sql, parameters } = from(table, 't', scope);
  return { sql: `select t.order_key, t.currency ${sql}`, parameters };
}

/** What the first has, and none of the others. */
function except(...parts: readonly Fragment[]): Fragment {
  return {
    sql: parts.map(({ sql }) => sql).join(' except '),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

function placeOf([orderKey, currency]: readonly Value[]): OrderPlace {
  return { orderKey: String(orderKey), currency: String(currency) };
}
