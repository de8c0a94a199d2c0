import type { ChargeOperationKind, FieldError, Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';

/** The amounts of a charge, in minor units of one currency. */
export interface Balance {
  state: string;
  currency: string;
  authorized: number;
  settled: number;
  refunded: number;
}

/**
 * Reads the amounts of a charge, exactly.
 * @param currency of the checkout: the service states none with a charge
 * @throws {MoneyError} when an amount cannot be held in the currency
 */
export function balanceOf(charge: Charge, currency: string): Balance {
  const read = (amount: number | string) => fromMajorUnits(amount, currency).value;
  const authorized = read(charge.totalAmount);
  const { settledAmount } = charge;
  // The answer that creates a charge states no parts: its state says whether all of it is settled.
  const settledByState = charge.state === 'Settled' ? authorized : 0;
  const settled = settledAmount === undefined ? settledByState : read(settledAmount);
  const refunded = read(charge.refundedAmount ?? 0);
  return { state: charge.state, currency, authorized, settled, refunded };
}

/** As {@link balanceOf}; undefined when an amount cannot be held exactly. */
export function tryBalance(charge: Charge, currency: string): Balance | undefined {
  try {
    return balanceOf(charge, currency);
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}

/** As {@link balanceOf}. @throws {ProblemError} `service-answer-invalid` */
export function readableBalance(charge: Charge, currency: string): Balance {
  try {
    return balanceOf(charge, currency);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new ProblemError('service-answer-invalid', {
      detail: `An amount of the charge cannot be held in its currency: ${error.message}`,
      retrySafe: true,
    });
  }
}

/** Returns the minor units that can still be settled. */
export function leftToSettle({ state, authorized, settled }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, authorized - settled);
}

/** Returns the minor units that can still be refunded. */
export function leftToRefund({ state, settled, refunded }: Balance): number {
  return isClosed(state) ? 0 : Math.max(0, settled - refunded);
}

/**
 * Returns whether no money of a charge can be moved. Of a charged-back one the lender took the money:
 * a refund would pay the shopper twice.
 */
function isClosed(state: string): boolean {
  return state === 'Created' || state === 'Voided' || state === 'ChargedBack';
}

/**
 * Returns the money that an operation moves, checked against the balance: a charge is never settled
 * beyond the authorized amount, nor refunded beyond the settled amount.
 * @param amount minor units; a settle without one takes all that is left
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
            ? 'A part of the charge is settled: refund that part instead.'
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
 * Returns how far operations of one kind have moved a charge, in minor units: the difference shows
 * afterwards whether an operation whose answer was lost was done.
 */
export function progressOf(kind: ChargeOperationKind, balance: Balance): number {
  if (kind === 'settle') return balance.settled;
  if (kind === 'refund') return balance.refunded;
  return balance.state === 'Voided' ? balance.authorized : 0;
}
