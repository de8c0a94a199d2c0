import {
  type OpenAmount,
  type Policy,
  type Suggestion,
  suggestionRange,
  suggestMatches,
} from '@financing-checkout/reconciliation-rules';
import type { LinesRow, StatusRow } from './rows.ts';
import type { AnswerStore } from './store.ts';

/** Of a common price there may be many: those nearest in time are looked at. */
const MAX_CANDIDATES = 200;

/** Orders whose money may be this one's, or the other way round. */
export async function suggestionsFor(
  store: AnswerStore,
  environment: string,
  { status, lines }: { status: StatusRow; lines: LinesRow },
  policy: Pick<Policy, 'tolerance'>,
): Promise<Suggestion[]> {
  const open = openOf(status, lines);
  // Whose currency nobody knows is not compared with anything.
  if (open === undefined || status.currency === '') return [];
  const range = suggestionRange(open.amount, policy);
  if (Math.abs(open.amount) <= range) return [];
  const candidates = await store.openOrders({
    environment,
    currency: status.currency,
    least: -open.amount - range,
    most: -open.amount + range,
    near: open.at,
    limit: MAX_CANDIDATES,
  });
  const found = await store.linesOfOrders(
    environment,
    candidates.map(({ orderKey }) => orderKey),
  );
  const amounts = candidates.map((candidate) => {
    const { orderKey, currency } = candidate;
    const own = found.find((one) => one.orderKey === orderKey && one.currency === currency);
    return own && openOf(candidate, own);
  });
  return suggestMatches(
    open,
    amounts.filter((amount) => amount !== undefined),
    policy,
  );
}

/** What is open of an order, at the time of its last line of the side that has more. */
function openOf(
  { orderKey, expected, funded }: StatusRow,
  { ledger, fundings }: LinesRow,
): OpenAmount | undefined {
  const amount = expected.settle - funded.settle;
  const times =
    amount > 0
      ? ledger.filter(({ type }) => type === 'Settle').map(({ occurredAt }) => occurredAt)
      : fundings.map(({ fundedAt }) => fundedAt);
  return times.length === 0 ? undefined : { orderKey, amount, at: Math.max(...times) };
}
