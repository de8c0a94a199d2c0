import {
  type Claims,
  exceptionCodes,
  exceptions,
} from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { caseOrder } from '../cases/case-order.ts';
import { caseConditions, caseRows, caseTerms, casesWithDue } from '../cases/cases.ts';
import { type LinesOfOrder, linesOfOrders } from './order-lines.ts';
import { whereOf } from '../basis/filter.ts';
import type { Place } from '../basis/keyset.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { select, sumOrNull, text, whole, word } from '../basis/rows.ts';

type Claim = Claims['claims'][number];

/** The order of claims: that in which the cases were opened. */
export const claimOrder = caseOrder('opened');

interface ClaimsPart {
  /** All names of the lender. */
  lenders: readonly string[];
  after: Place | undefined;
  /** Number of cases. */
  limit: number;
}

/**
 * Returns open cases of a lender in the order in which they were opened, each with the ledger of its
 * order and the fundings of this lender alone.
 */
export async function claimsOf(
  ctx: QueryContext,
  { after, lenders, limit }: ClaimsPart,
): Promise<{ claims: Claim[]; next: Place | undefined }> {
  const filter = { state: 'open', lender: lenders } as const;
  return ctx.database.read(async (connection) => {
    const part = { order: claimOrder, after, limit: limit + 1 };
    const found = await caseRows(connection, filter, caseTerms(ctx), part);
    const page = found.slice(0, limit);
    const lines = await linesOfOrders(connection, [
      ...new Set(page.map(({ orderKey }) => orderKey)),
    ]);
    const byOrder = Map.groupBy(lines, ({ orderKey }) => orderKey);
    const claims = page.flatMap(({ amount, code, currency, id, orderKey }) => {
      const of = {
        orderKey,
        merchantOrderId: merchantOrderIdOf(orderKey),
        caseId: id,
        code,
        exception: exceptions[code].en.name,
        currency,
        difference: amount,
      };
      const own = byOrder.get(orderKey)?.find((one) => one.currency === currency);
      const rows = own === undefined ? [] : linesFor(own, lenders);
      return rows.length === 0 ? [of] : rows.map((line) => ({ ...of, ...line }));
    });
    return { claims, next: found.length > limit ? page.at(-1)?.place : undefined };
  }, ctx.signal);
}

type Ids = Pick<Claim, 'transactionId' | 'merchantTransactionId' | 'lenderReferenceId'>;
const idsOf = ({ lenderReferenceId, merchantTransactionId, transactionId }: Ids): Ids => ({
  transactionId,
  merchantTransactionId,
  lenderReferenceId,
});

function linesFor(
  { fundings, ledger }: LinesOfOrder,
  lenders: readonly string[],
): Partial<Claim>[] {
  const sent = ledger.map((line) => ({
    side: 'sent' as const,
    type: line.type as string,
    amount: line.amount,
    time: line.occurredAt,
    ...idsOf(line),
  }));
  const posted = fundings
    .filter(({ lenderName }) => lenders.includes(lenderName))
    .map((line) => ({
      side: 'posted' as const,
      type: line.transactionType,
      amount: line.transactionAmount,
      time: line.fundedAt,
      ...idsOf(line),
    }));
  return [...sent, ...posted]
    .sort((one, other) => one.time - other.time)
    .map(({ time, ...line }) => ({ ...line, at: isoTime(time) }));
}

/** Returns the sums of the open cases of a lender by exception, currency and direction. */
export async function sumsOfClaims(
  ctx: QueryContext,
  lenders: readonly string[],
): Promise<Claims['sums']> {
  const terms = caseTerms(ctx);
  const { conditions, parameters } = caseConditions({ state: 'open', lender: lenders }, terms);
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `select code, currency, sum(amount) as difference, count(*) as cases, sum(count) as count
        from ${casesWithDue(terms)} ${whereOf(conditions)}
        group by code, currency, sign(amount) order by currency, difference`,
        parameters,
      ),
    ctx.signal,
  );
  const severity = (code: (typeof exceptionCodes)[number]) => exceptionCodes.indexOf(code);
  return rows
    .map((row) => ({
      code: word('code', row.code),
      currency: text(row.currency),
      difference: row.currency === '' ? null : sumOrNull(row.difference),
      cases: whole(row.cases),
      count: whole(row.count),
    }))
    .sort((one, other) => severity(one.code) - severity(other.code));
}
