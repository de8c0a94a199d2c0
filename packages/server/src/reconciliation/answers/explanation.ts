import type { CaseRecord, Environment, OrderExplanation } from '@financing-checkout/contract';
import {
  type AgreedDiscount,
  agreedDiscounts,
  type OrderLines,
  reconcileOrder,
  type Suggestion,
} from '@financing-checkout/reconciliation-rules';
import { isoTime } from '../../clock/clock.ts';
import { compareTexts } from '../../compare-texts.ts';
import { caseRecord } from '../cases/record.ts';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { CaseEvent } from '../cases/rows.ts';
import type { JudgingPolicy } from '../policy.ts';
import { MOST_LINES_OF_ONE } from '../recompute/lines.ts';
import type { CaseStore } from '../cases/store.ts';
import type { LedgerStore } from '../../store/ledger.ts';
import type { LedgerLineStore } from '../ledger/store.ts';
import type { WithdrawnLine } from '../ledger/withdrawal.ts';
import { turn, withExceptions } from './orders.ts';
import type { LinesRow } from './rows.ts';
import type { AnswerStore } from './store.ts';
import { suggestionsFor } from './suggestions.ts';
import { unsettledOf, unsettledSentence } from './unsettled.ts';

type Moment = OrderExplanation['timeline'][number];

const MAX_CURRENCIES = 200;
const MAX_CASES = 1_000;
const EVENTS_AT_A_TIME = 2_000;

const WITHOUT_CURRENCY =
  'Nobody knows the currency of these fundings, and they are in no sum: the order is in several, or in none that is known.';

const NOT_YET = 'Its lines have changed and are not computed yet.';
const NOT_EXACT =
  'It has no status, and is in no sum: its amounts are too large to be summed exactly. Correct its lines.';
const TOO_LONG = `It has no status, and is in no sum: more than ${MOST_LINES_OF_ONE} lines name it as their order. Give each the order it is of.`;

/** Everything there is about an order. Undefined: nothing is known of it. */
export async function explainOrder(
  store: AnswerStore & CaseStore & Pick<LedgerLineStore, 'withdrawnLines'> & LedgerStore,
  environment: Environment,
  orderKey: string,
  { now, policy }: { now: number; policy: JudgingPolicy },
): Promise<OrderExplanation | undefined> {
  const { rows } = await store.orderStatuses({
    environment,
    orderKeys: [orderKey],
    limit: MAX_CURRENCIES,
  });
  const statuses = await withExceptions(store, environment, rows);
  const lines = await store.linesOfOrders(environment, [orderKey]);
  const cases = await store.findCases({ environment, orderKey, limit: MAX_CASES });
  const withdrawn = await store.withdrawnLines(environment, orderKey);
  const unsettled = await unsettledOf(store, environment, orderKey);
  const known = [statuses.length, lines.length, cases.length, withdrawn.length, unsettled.size];
  if (known.every((count) => count === 0)) return undefined;
  const caseIds = cases.map(({ id }) => id);
  const events = cases.length === 0 ? [] : await eventsOf(store, environment, caseIds);
  const records = cases.map((row) => caseRecord(row, now));
  const merchantOrderId = merchantOrderIdOf(orderKey);
  const isTooLong = hasTooManyLines(lines);
  const currencies = new Set([
    ...[...statuses, ...lines].map(({ currency }) => currency),
    ...unsettled.keys(),
  ]);
  const suggestions = new Map<string, Suggestion[]>();
  for (const status of rows) {
    const own = lines.find(({ currency }) => currency === status.currency);
    if (own === undefined) continue;
    const found = await suggestionsFor(store, environment, { status, lines: own }, policy);
    suggestions.set(status.currency, found);
  }
  return {
    orderKey,
    ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
    currencies: [...currencies].sort().map((currency) => {
      const status = statuses.find((one) => one.currency === currency);
      const own = lines.find((one) => one.currency === currency);
      // The service may have been asked past this companion, and the books say so.
      const isSettled = own?.ledger.some(({ type }) => type === 'Settle');
      const authorised = isSettled === true ? undefined : unsettled.get(currency);
      return {
        ...(status === undefined ? {} : { status }),
        currency,
        reasons: [
          ...(status?.reasons ??
            (own ? [whyWithoutStatus(currency, own, { isTooLong, policy })] : [])),
          ...(authorised === undefined ? [] : [unsettledSentence(authorised, currency)]),
        ],
        ledger: ledgerOf(own),
        fundings: fundingsOf(own),
        // Of one that has no status nothing can be said.
        discounts: own && status ? discountsOf({ ...own, merchantOrderId }, policy, now) : [],
        suggestions: (suggestions.get(currency) ?? []).map(toSuggestion),
      };
    }),
    cases: records,
    timeline: timelineOf(lines, withdrawn, records, events),
  };
}

/** Why nothing is said of an order in one currency. It does not help to wait where it cannot be judged. */
function whyWithoutStatus(
  currency: string,
  own: LinesRow,
  { isTooLong, policy }: { isTooLong: boolean; policy: JudgingPolicy },
): string {
  if (currency === '') return WITHOUT_CURRENCY;
  if (isTooLong) return TOO_LONG;
  return isSummable(own, policy) ? NOT_YET : NOT_EXACT;
}

/** As a pass does: see `readLines`. */
function hasTooManyLines(lines: readonly LinesRow[]): boolean {
  let [fundings, ledger] = [0, 0];
  for (const row of lines) {
    if (row.currency !== '') fundings += row.fundings.length;
    ledger += row.ledger.length;
  }
  return Math.max(fundings, ledger) > MOST_LINES_OF_ONE;
}

function isSummable(order: LinesRow, policy: JudgingPolicy): boolean {
  try {
    reconcileOrder(
      { ...order, merchantOrderId: undefined },
      { ...policy, now: 0, complete: false },
    );
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** All that was done to some cases. A case has as many events as somebody adds notes. */
async function eventsOf(
  store: CaseStore,
  environment: string,
  caseIds: readonly string[],
): Promise<CaseEvent[]> {
  const events: CaseEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? 0;
    const page = await store.caseEvents({ environment, caseIds, after, limit: EVENTS_AT_A_TIME });
    events.push(...page);
    if (page.length < EVENTS_AT_A_TIME) return events;
    await turn();
  }
}

function toSuggestion({
  orderKey,
  amount,
  daysApart,
}: Suggestion): OrderExplanation['currencies'][number]['suggestions'][number] {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return {
    orderKey,
    ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
    open: amount,
    daysApart,
  };
}

/** None of an order that cannot be summed any more, and whose status of before still stands. */
function discountsOf(
  order: OrderLines,
  policy: JudgingPolicy,
  now: number,
): OrderExplanation['currencies'][number]['discounts'] {
  let agreed: AgreedDiscount[];
  try {
    agreed = agreedDiscounts(order, { ...policy, now, complete: true });
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
  return agreed.map(
    ({ productType, promoCode, basisPoints, perSettle, from, kept, ...discount }) => ({
      ...discount,
      ...(productType === undefined ? {} : { productType }),
      ...(promoCode === undefined ? {} : { promoCode }),
      agreedBasisPoints: basisPoints,
      ...(perSettle === 0 ? {} : { agreedPerSettle: perSettle }),
      ...(from === undefined ? {} : { agreedFrom: isoTime(from) }),
      variance: kept,
    }),
  );
}

function ledgerOf(lines: LinesRow | undefined): OrderExplanation['currencies'][number]['ledger'] {
  return (lines?.ledger ?? [])
    .toSorted((a, b) => a.occurredAt - b.occurredAt)
    .map(({ occurredAt, transactionId, merchantTransactionId, ...line }) => ({
      ...line,
      occurredAt: isoTime(occurredAt),
      ...(transactionId === undefined ? {} : { transactionId }),
      ...(merchantTransactionId === undefined ? {} : { merchantTransactionId }),
    }));
}

function fundingsOf(
  lines: LinesRow | undefined,
): OrderExplanation['currencies'][number]['fundings'] {
  return (lines?.fundings ?? [])
    .toSorted((a, b) => a.fundedAt - b.fundedAt)
    .map(({ fundedAt, updatedAt, ...funding }) => ({
      // What is not known is left out.
      ...(JSON.parse(JSON.stringify(funding)) as typeof funding),
      fundedAt: isoTime(fundedAt),
      updatedAt: isoTime(updatedAt),
    }));
}

function timelineOf(
  lines: readonly LinesRow[],
  withdrawn: readonly WithdrawnLine[],
  cases: readonly CaseRecord[],
  events: readonly CaseEvent[],
): Moment[] {
  const codes = new Map(cases.map(({ id, code }) => [id, code]));
  const moments: Moment[] = [
    ...lines.flatMap(({ currency, ledger }) =>
      ledger.map(({ amount, id, occurredAt, type }) => ({
        at: isoTime(occurredAt),
        source: 'ledger' as const,
        what: type,
        amount,
        currency,
        id,
      })),
    ),
    ...withdrawn.map(({ actor, amount, currency, id, type, withdrawnAt }) => ({
      at: isoTime(withdrawnAt),
      source: 'ledger' as const,
      what: `${type} withdrawn`,
      amount,
      currency,
      id,
      ...(actor === null ? {} : { by: actor }),
    })),
    ...lines.flatMap(({ currency, fundings }) =>
      fundings.map((funding) => ({
        at: isoTime(funding.fundedAt),
        source: 'funding' as const,
        what: funding.transactionType,
        amount: funding.transactionAmount,
        currency,
        status: funding.status,
        lender: funding.lenderName,
        id: funding.id,
      })),
    ),
    ...events.map(({ actor, at, caseId, kind }) => ({
      at: isoTime(at),
      source: 'case' as const,
      what: `${codes.get(caseId) ?? 'case'} ${kind}`,
      id: caseId,
      by: actor,
    })),
  ];
  return moments.sort((a, b) => compareTexts(a.at, b.at));
}
