import type { z } from 'zod';
import type { EnvironmentName } from '../environments/environment.ts';
import type {
  answeredChargeStates,
  transactionState,
  transactionType,
} from '../published/values.ts';

export type ChargeState = (typeof answeredChargeStates)[number];
export type TransactionType = z.output<typeof transactionType>;
export type TransactionState = z.output<typeof transactionState>;

/** The state and the running totals of a charge, in minor units. */
export interface ChargeBalance {
  state: ChargeState;
  /** The authorized amount. */
  total: number;
  /** The part of the total that is no longer authorized. */
  voided: number;
  settled: number;
  refunded: number;
  /** The sum of all chargebacks. */
  chargedBack: number;
  /** The part of the chargebacks that was reversed: the merchant won all or part of a dispute. */
  reversed: number;
}

/** The running totals of a new charge. */
export const noSums = { voided: 0, settled: 0, refunded: 0, chargedBack: 0, reversed: 0 };

export interface Charge extends ChargeBalance {
  id: string;
  environment: EnvironmentName;
  applicationId: string;
  merchantOrderId: string;
  /** Sales channel of the order, such as `E_COMMERCE`. */
  channel: string;
  storeId: string | null;
  /** The settle that was requested with the charge; null if there is none. */
  settleId: string | null;
  currency: string;
  lenderId: string;
  /** Merchant discount rate at the creation of the charge. */
  discountBasisPoints: number;
  productType: string;
  promoCode: string | null;
  tags: Record<string, string>;
  createdAt: number;
  updatedAt: number;
}

export interface Transaction {
  id: string;
  environment: EnvironmentName;
  chargeId: string;
  type: TransactionType;
  state: TransactionState;
  /** In minor units of the charge's currency. */
  amount: number;
  /** Merchant discount of this transaction, in minor units. */
  discount: number;
  merchantTransactionId: string | null;
  /** The lender's reference of a synthetic transaction; null for a regular transaction. */
  reconciliationId: string | null;
  createdAt: number;
  /** When the lender will fund it; null if it moves no money, or is already funded. */
  fundAt: number | null;
}

/** Why the charge does not permit an operation: its state, or the amount. */
export interface Refusal {
  refused: 'stage' | 'amount';
  reason: string;
}

const closed: readonly ChargeState[] = ['Created', 'Voided', 'ChargedBack'];

/**
 * Returns the state as GET and PATCH format it, in upper case with underscores. Creations, settles,
 * refunds and voids use Pascal case (reference: Charge API, charge states).
 */
export function upperCaseState(state: ChargeState): string {
  // The documented list has this state as one word.
  if (state === 'ChargedBack') return 'CHARGEDBACK';
  return state.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** Settles `amount`, by default the remainder. */
export function settle(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  const left = charge.total - charge.voided - charge.settled;
  if (closed.includes(charge.state) || left === 0) {
    return refusal(`A charge that is ${charge.state} cannot be settled.`);
  }
  return add(charge, 'settled', amount ?? left, left, 'authorized and not settled');
}

/** Refunds `amount` of the settled total, by default the remainder. */
export function refund(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  const left = charge.settled - charge.refunded;
  if (closed.includes(charge.state) || left === 0) {
    return refusal(`A charge that is ${charge.state} cannot be refunded.`);
  }
  return add(charge, 'refunded', amount ?? left, left, 'settled and not refunded');
}

/**
 * Charges back `amount` for the lender, by default the settled total that is neither refunded nor
 * charged back. The lender may also charge back a refunded amount, which pays the shopper twice.
 */
export function chargeBack(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  const most = charge.settled - openChargeback(charge);
  if (most === 0) return refusal(`A charge that is ${charge.state} cannot be charged back.`);
  const taken = amount ?? Math.max(most - charge.refunded, 0);
  if (taken === 0) {
    return { refused: 'amount', reason: 'is needed: all that is settled is refunded already' };
  }
  return add(charge, 'chargedBack', taken, most, 'settled and not charged back');
}

/** Reverses `amount` of the lender's chargebacks, by default all of them. */
export function reverse(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  const open = openChargeback(charge);
  if (open === 0) return refusal('A charge without an open chargeback has nothing to reverse.');
  return add(charge, 'reversed', amount ?? open, open, 'charged back and not reversed');
}

function add(
  charge: ChargeBalance,
  sum: 'settled' | 'refunded' | 'chargedBack' | 'reversed',
  amount: number,
  most: number,
  rest: string,
): ChargeBalance | Refusal {
  if (amount > most) return { refused: 'amount', reason: `is more than what is ${rest}` };
  return withState({ ...charge, [sum]: charge[sum] + amount });
}

function openChargeback({ chargedBack, reversed }: ChargeBalance): number {
  return chargedBack - reversed;
}

/** Reverts the effect of a settle, refund or void that failed. */
export function undo(
  charge: ChargeBalance,
  { type, amount }: Pick<Transaction, 'type' | 'amount'>,
): ChargeBalance {
  const settled = charge.settled - (type === 'Settle' ? amount : 0);
  const refunded = charge.refunded - (type === 'Refund' ? amount : 0);
  const voided = charge.voided - (type === 'Void' ? amount : 0);
  const left = { ...charge, settled, refunded, voided };
  return settled === 0 ? { ...left, state: 'Authorized' } : withState(left);
}

/**
 * Voids `amount` of a charge without settles, by default the whole charge. A partially voided
 * charge stays Authorized for the remainder: the list of states has no value for it.
 */
export function voidCharge(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  if (charge.state !== 'Authorized' && charge.state !== 'Created') {
    return refusal(`A charge that is ${charge.state} cannot be voided.`);
  }
  const left = charge.total - charge.voided;
  const taken = amount ?? left;
  if (taken > left) {
    return { refused: 'amount', reason: 'is more than what is authorized and not voided' };
  }
  const state = taken === left ? 'Voided' : charge.state;
  return { ...charge, voided: charge.voided + taken, state };
}

/**
 * Returns the balance with the state that its totals imply. Settled and refunded totals vary
 * independently. The service lists `PartiallyRefunded` but defines no rule, so it never occurs. The
 * list has no value for a partial chargeback either: a charge is ChargedBack once nothing is left
 * to refund.
 */
function withState(balance: ChargeBalance): ChargeBalance {
  const { total, voided, settled, refunded } = balance;
  const open = openChargeback(balance);
  if (open > 0 && open >= settled - refunded) return { ...balance, state: 'ChargedBack' };
  const whole = settled === total - voided;
  if (refunded === 0) return { ...balance, state: whole ? 'Settled' : 'PartiallySettled' };
  if (refunded === settled) {
    return { ...balance, state: whole ? 'Refunded' : 'PartiallySettledRefunded' };
  }
  return {
    ...balance,
    state: whole ? 'SettledPartiallyRefunded' : 'PartiallySettledPartiallyRefunded',
  };
}

function refusal(reason: string): Refusal {
  return { refused: 'stage', reason };
}
