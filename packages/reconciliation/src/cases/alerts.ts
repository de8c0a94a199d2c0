import type { CaseAlert } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import {
  type Case,
  type CaseEvent,
  DIGITS_OF_UNKNOWN,
  RECONCILIATION,
  snoozeEnd,
} from '@financing-checkout/reconciliation-rules';
import type { NewAlert } from '../facts/alert-facts.ts';
import type { CaseQuery } from '../facts/case-facts.ts';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { type CaseContext, timedId } from './change-cases.ts';
import type { ExceptionSource } from './exception-source.ts';
import type { JudgedCase } from './record.ts';

/** When to alert finance about a case. Amounts are in minor units of the case's currency. */
export interface AlertPolicy {
  /**
   * Amount from which a case triggers an immediate alert, by currency; `default` for all others.
   * Undefined: never.
   */
  amount: { default: number | undefined; currencies: Readonly<Record<string, number>> };
  /** Age in days from which any open case triggers an alert. Undefined: never. */
  days: number | undefined;
}

/**
 * Scales an amount of unknown currency to hundredths, because `default` is in the minor unit of most
 * currencies.
 */
const UNITS_OF_UNKNOWN = 10 ** (DIGITS_OF_UNKNOWN - 2);

const BATCH = 200;
const DAY_MS = 86_400_000;

/**
 * Queues a message to finance for each open case that exceeds a threshold: once, and again only
 * after the case was closed and reopened. An alert cannot be recalled, so none is queued while the
 * analytics database is rebuilt, nor for an order that is waiting to be judged. A snoozed or merged
 * case triggers an alert only once it is back in the queue. The amount threshold is compared with
 * the money at stake: an order with two cases exceeds it only once.
 * @returns the number of cases @throws {LeaseLostError}
 */
export async function alertCases(
  ctx: CaseContext & { environment: Environment },
  source: Pick<ExceptionSource, 'state' | 'judged' | 'stakes'>,
  policy: AlertPolicy,
): Promise<number> {
  const { amount, days } = policy;
  const bySize = amount.default !== undefined || Object.keys(amount.currencies).length > 0;
  if (!bySize && days === undefined) return 0;
  let alerted = 0;
  let after: string | undefined = '';
  while (after !== undefined && !ctx.signal?.aborted) {
    const query: CaseQuery = { state: 'open', unalerted: true, after, limit: BATCH };
    const page = await ctx.facts.findCases(query);
    const now = ctx.clock.now();
    if (page.some((row) => causeOf(row, policy, now) !== undefined)) {
      alerted += await ctx.facts.changeCases(ctx.fence, async (cases) => {
        if ((await source.state()) === 'rebuilding') return 0;
        // A person may have decided a case since the page was read.
        const found = (await cases.findCases(query)).filter((row) => causeOf(row, policy, now));
        const stakes = await source.stakes(found.map(({ id }) => id));
        const due = found.flatMap((one) => {
          const stake = stakes.get(one.id) ?? Infinity;
          const row = { ...one, atStake: stake < Math.abs(one.amount) ? stake : undefined };
          const cause = causeOf(row, policy, now);
          return cause === undefined ? [] : [{ row, cause }];
        });
        const orders = await source.judged([...new Set(due.map(({ row }) => row.orderKey))]);
        const assumed = new Set(
          orders.filter((order) => order.currencyAssumed).map(({ orderKey }) => orderKey),
        );
        const current = new Set(orders.flatMap(({ exceptions }) => exceptions.map(contentKeyOf)));
        const alerts = due
          .filter(({ row }) => current.has(contentKeyOf(row)))
          .map(({ row, cause }) => {
            const alert = { ...row, currencyAssumed: assumed.has(row.orderKey) };
            return alertOf(ctx.environment, alert, cause, now);
          })
          .map((alert) => ({ alert, message: timedId('msg', now) }));
        await cases.record(
          alerts.map(({ alert, message }) => eventOf(alert, message, now)),
          new Map(found.map((one) => [one.id, one])),
          alerts.map(({ alert, message }): NewAlert => {
            const { caseId } = alert.data;
            return { id: message, caseId, body: JSON.stringify(alert) };
          }),
        );
        return alerts.length;
      });
    }
    after = page.length < BATCH ? undefined : page.at(-1)?.id;
  }
  return alerted;
}

function eventOf(
  { data: { amount, caseId, cause } }: CaseAlert,
  message: string,
  at: number,
): CaseEvent {
  const detail = { cause, amount, message };
  return { caseId, at, kind: 'alerted', actor: RECONCILIATION, detail };
}

function causeOf(
  row: Case & Pick<JudgedCase, 'atStake'>,
  { amount, days }: AlertPolicy,
  now: number,
): 'amount' | 'age' | undefined {
  if (row.mergedInto !== undefined || snoozeEnd(row, now) !== undefined) return undefined;
  const least = Object.hasOwn(amount.currencies, row.currency)
    ? amount.currencies[row.currency]
    : amount.default;
  const size = (row.atStake ?? Math.abs(row.amount)) / (row.currency === '' ? UNITS_OF_UNKNOWN : 1);
  if (least !== undefined && size >= least) return 'amount';
  return days !== undefined && now - row.since >= days * DAY_MS ? 'age' : undefined;
}

/** Returns a key for an exception and its content in the last pass. */
function contentKeyOf(row: Pick<Case, 'orderKey' | 'currency' | 'code' | 'contentHash'>): string {
  return JSON.stringify([row.orderKey, row.currency, row.code, row.contentHash]);
}

function alertOf(
  environment: Environment,
  row: JudgedCase,
  cause: 'amount' | 'age',
  now: number,
): CaseAlert {
  const merchantOrderId = merchantOrderIdOf(row.orderKey);
  return {
    type: 'reconciliation.case.alert',
    timestamp: isoTime(now),
    data: {
      environment,
      caseId: row.id,
      code: row.code,
      merchantOrderId,
      currency: row.currency,
      ...(row.currencyAssumed === true ? { currencyAssumed: true } : {}),
      amount: row.amount,
      atStake: row.atStake,
      count: row.count,
      since: isoTime(row.since),
      cause,
    },
  };
}
