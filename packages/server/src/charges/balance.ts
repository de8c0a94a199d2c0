import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';
import type { Money } from '@financing-checkout/contract/money';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract/money';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import type { ChargeOperationRow } from '../store/store.ts';
import type { ChargeContext } from './context.ts';

/** The amounts of a charge, in minor units of one currency. */
interface Balance {
  state: string;
  currency: string;
  authorized: number;
  settled: number;
  refunded: number;
}

/**
 * Returns the exact amounts of a charge.
 * @param currency the checkout's currency; the service states none with a charge
 * @throws {MoneyError} when the currency cannot represent an amount
 */
function balanceOf(charge: Charge, currency: string): Balance {
  const read = (amount: number | string) => fromMajorUnits(amount, currency).value;
  const authorized = read(charge.totalAmount);
  const { settledAmount } = charge;
  // The creation response contains no settled amount, only the state of the charge.
  const settledByState = charge.state === 'Settled' ? authorized : 0;
  const settled = settledAmount === undefined ? settledByState : read(settledAmount);
  const refunded = read(charge.refundedAmount ?? 0);
  return { state: charge.state, currency, authorized, settled, refunded };
}

/** Returns the amounts of a charge, or undefined when the currency cannot represent one of them. */
export function tryBalance(charge: Charge, currency: string): Balance | undefined {
  try {
    return balanceOf(charge, currency);
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}

/** Returns the amounts of a charge. @throws {ProblemError} `service-answer-invalid` */
export function readableBalance(charge: Charge, currency: string): Balance {
  try {
    return balanceOf(charge, currency);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new ProblemError('service-answer-invalid', {
      detail: `The currency cannot represent an amount of the charge: ${error.message}`,
      retrySafe: true,
    });
  }
}

export function leftToSettle({ state, authorized, settled }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, authorized - settled);
}

export function leftToRefund({ state, settled, refunded }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, settled - refunded);
}

/**
 * Returns whether a charge can no longer be settled or refunded. The lender has taken back the
 * money of a charged-back charge: a refund would pay the shopper twice.
 */
function isClosed(state: string): boolean {
  return state === 'Created' || state === 'Voided' || state === 'ChargedBack';
}

const returnedStates = new Set(['Voided', 'ChargedBack', 'Refunded', 'PartiallySettledRefunded']);

/** Returns whether the shopper no longer owes any part of a charge. */
export function isReturned(charge: Charge, currency: string): boolean {
  if (returnedStates.has(charge.state)) return true;
  const balance = tryBalance(charge, currency);
  return balance !== undefined && balance.settled > 0 && balance.settled <= balance.refunded;
}

/**
 * Returns the amount of an operation after checking it against the balance: a charge is never
 * settled beyond its authorized amount or refunded beyond its settled amount.
 * @param amount minor units; a settle without one takes the remaining amount
 * @throws {ProblemError} `charge-not-permitted`, `amount-exceeds-charge`
 */
export function amountOf(
  kind: ChargeOperationKind,
  balance: Balance,
  amount: number | undefined,
): Money {
  const { currency } = balance;
  if (kind === 'void') {
    if (balance.settled > 0 || isClosed(balance.state)) {
      throw new ProblemError('charge-not-permitted', {
        detail:
          balance.settled > 0
            ? 'Part of the charge is settled: refund that part instead.'
            : 'The charge has no authorized amount to void.',
      });
    }
    return { value: balance.authorized, currency };
  }
  const left = kind === 'settle' ? leftToSettle(balance) : leftToRefund(balance);
  if (left === 0) {
    throw new ProblemError('charge-not-permitted', {
      detail: `The charge has no amount left to ${kind}.`,
    });
  }
  if (amount !== undefined && amount > left) {
    throw new ProblemError('amount-exceeds-charge', {
      detail: `At most ${left} minor units of ${currency} are left to ${kind}.`,
      errors: [{ path: 'amount', message: `must be at most ${left}` }],
    });
  }
  return { value: amount ?? left, currency };
}

/**
 * Returns how far operations of one kind have moved a charge, in minor units. Comparing this value
 * later shows whether an operation whose response was lost was executed.
 */
export function progressOf(kind: ChargeOperationKind, balance: Balance): number {
  if (kind === 'settle') return balance.settled;
  if (kind === 'refund') return balance.refunded;
  return balance.state === 'Voided' ? balance.authorized : 0;
}

/**
 * Returns a balance that includes each operation that the service has accepted from this companion.
 * The charge may not show a pending transaction yet, and the amount of that transaction must not be
 * spent twice.
 */
export async function withAccepted(
  ctx: ChargeContext,
  kind: 'settle' | 'refund',
  balance: Balance,
  { chargeId, requestId }: { chargeId: string; requestId?: string },
): Promise<Balance> {
  const operations = await ctx.store.findChargeOperations(ctx.environment, chargeId);
  const accepted = operations.filter((each) => each.kind === kind && each.state === 'accepted');
  const before = accepted[0]?.progressBefore ?? 0;
  const shown = progressOf(kind, balance);
  let counted = before + sumOf(accepted);
  if (counted > shown) {
    const valid: ChargeOperationRow[] = [];
    for (const operation of accepted) {
      if (!(await hasFailed(ctx, operation, requestId))) valid.push(operation);
    }
    counted = before + sumOf(valid);
  }
  const progress = Math.max(shown, counted);
  return kind === 'settle' ? { ...balance, settled: progress } : { ...balance, refunded: progress };
}

/** Returns whether an accepted operation that the charge does not show has since failed. */
async function hasFailed(
  ctx: ChargeContext,
  { attentionAt, chargeId, isWithCharge, merchantTransactionId }: ChargeOperationRow,
  requestId: string | undefined,
): Promise<boolean> {
  // A settle that was requested with its charge has no transaction with our id. Once the companion
  // no longer follows it and the charge does not show it, its amount is free for another settle.
  if (isWithCharge) return attentionAt === undefined;
  const found = await ctx.service.transaction(merchantTransactionId, {
    priority: 'charge',
    requestId,
  });
  if (found.kind !== 'accepted') return false;
  return found.body.chargeId === chargeId && found.body.state === 'Failed';
}

function sumOf(operations: readonly ChargeOperationRow[]): number {
  return operations.reduce((total, { amount }) => total + (amount?.value ?? 0), 0);
}

/** Currency of a charge's amounts. The service does not state a currency with a charge. */
interface ChargeCurrency {
  currency: string;
  /** Whether the currency is assumed: none of the companion's records confirms it. */
  isAssumed: boolean;
}

/**
 * Returns the currency of a charge: the currency of its checkout; otherwise its order's only
 * currency in the ledger and the checkouts; otherwise the stated or default currency, marked as
 * assumed.
 * @param stated ISO 4217 code that the caller states for a charge of unknown currency
 */
export async function currencyOf(
  ctx: ChargeContext,
  { id, merchantOrderId }: Charge,
  stated: string | undefined,
): Promise<ChargeCurrency> {
  const { environment, store } = ctx;
  const checkout = await store.findCheckoutOfCharge(environment, id);
  const known =
    checkout?.amount.currency ??
    (await store.currenciesOfOrders(environment, [merchantOrderId])).get(merchantOrderId);
  if (known !== undefined) return { currency: known, isAssumed: false };
  return { currency: stated ?? ctx.defaultCurrency, isAssumed: true };
}

/**
 * Refuses to move money in a currency that is assumed or differs from the stated one.
 * @throws {ProblemError} `charge-currency-unclear`
 */
export function requireCertain(
  { currency, isAssumed }: ChargeCurrency,
  stated: string | undefined,
): void {
  if (stated === undefined ? !isAssumed : stated === currency) return;
  throw new ProblemError(
    'charge-currency-unclear',
    stated === undefined
      ? {
          detail:
            'The companion did not create this charge, and the service states no currency: send the currency of the charge as `currency`. Nothing was done.',
          errors: [{ path: 'currency', message: 'is required for this charge' }],
        }
      : {
          detail: `The order of this charge is in ${currency}, and the request states ${stated}. Nothing was done.`,
          errors: [{ path: 'currency', message: `must be ${currency}` }],
        },
  );
}
