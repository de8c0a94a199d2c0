import type { ChargeOperationKind, FieldError, Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { ProblemError } from '../problem/problem.ts';
import { type Charge, currencyOf } from '../service/charges.ts';

/** What has become of a charge, in minor units of one currency. */
export interface Balance {
  state: string;
  currency: string;
  authorized: number;
  settled: number;
  refunded: number;
}

/**
 * Reads a charge of the service, exactly.
 * @param fallback the currency where the service names none
 * @throws {MoneyError} when an amount cannot be held in the currency
 */
export function balanceOf(charge: Charge, fallback: string): Balance {
  const currency = currencyOf(charge, fallback);
  const read = (amount: number | string) => fromMajorUnits(amount, currency).value;
  const authorized = read(charge.totalAmount);
  const { settledAmount } = charge;
  // Charges made before the service told of parts: the state says whether all of it is settled.
  const settled =
    settledAmount === undefined || settledAmount === null
      ? charge.state === 'Settled'
        ? authorized
        : 0
      : read(settledAmount);
  const refunded = read(charge.refundedAmount ?? 0);
  return { state: charge.state, currency, authorized, settled, refunded };
}

/** As {@link balanceOf}; undefined when an amount cannot be held exactly. */
export function tryBalance(charge: Charge, fallback: string): Balance | undefined {
  try {
    return balanceOf(charge, fallback);
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}

/** As {@link balanceOf}. @throws {ProblemError} `service-answer-invalid` */
export function readableBalance(charge: Charge, fallback: string): Balance {
  try {
    return balanceOf(charge, fallback);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new ProblemError('service-answer-invalid', {
      detail: `An amount of the charge cannot be held in its currency: ${error.message}`,
      retrySafe: true,
    });
  }
}

/** Minor units that can still be settled. */
export function leftToSettle({ state, authorized, settled }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, authorized - settled);
}

/** Minor units that can still be refunded. */
export function leftToRefund({ state, settled, refunded }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, settled - refunded);
}

function isClosed(state: string): boolean {
  return state === 'Created' || state === 'Voided' || state === 'ChargedBack';
}

/**
 * The money an operation moves, checked against what is left: a charge is never settled beyond
 * what was authorized, nor refunded beyond what was settled.
 * @param amount minor units; of a settle without one all that is left
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
            ? 'Something of it is settled: refund that instead.'
            : 'There is nothing left of it to void.',
      });
    }
    return { value: balance.authorized, currency };
  }
  const left = kind === 'settle' ? leftToSettle(balance) : leftToRefund(balance);
  if (left === 0) {
    throw new ProblemError('charge-not-permitted', {
      detail: `There is nothing left of it to ${kind}.`,
    });
  }
  if (amount !== undefined && amount > left) {
    throw new ProblemError('amount-exceeds-charge', {
      detail: `At most ${left} minor units of ${currency} are left to ${kind}.`,
      errors: [tooMuch(left)],
    });
  }
  return { value: amount ?? left, currency };
}

function tooMuch(left: number): FieldError {
  return { path: 'amount', message: `must be at most ${left}` };
}

/**
 * How far an operation of this kind has got, in minor units: it tells afterwards whether one whose
 * answer was lost was done.
 */
export function progressOf(kind: ChargeOperationKind, balance: Balance): number {
  if (kind === 'settle') return balance.settled;
  if (kind === 'refund') return balance.refunded;
  return balance.state === 'Voided' ? balance.authorized : 0;
}
