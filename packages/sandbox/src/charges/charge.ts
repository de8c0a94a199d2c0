import type { EnvironmentName } from '../environments/environment.ts';

/** Source: docs.chargeafter.com, Charge API, charge state. */
export type ChargeState =
  | 'Created'
  | 'Authorized'
  | 'PartiallySettled'
  | 'Settled'
  | 'PartiallyRefunded'
  | 'PartiallySettledPartiallyRefunded'
  | 'SettledPartiallyRefunded'
  | 'Refunded'
  | 'PartiallySettledRefunded'
  | 'Voided'
  | 'ChargedBack';

/** Source: docs.chargeafter.com, Charge API, transaction type. */
export type TransactionType =
  'Authorize' | 'Settle' | 'Refund' | 'Void' | 'Chargeback' | 'Reversal';

/** Source: docs.chargeafter.com, Charge API, transaction state. */
export type TransactionState =
  | 'Scheduled'
  | 'Pending'
  | 'PendingConsumer'
  | 'PendingMerchant'
  | 'Accepted'
  | 'Completed'
  | 'Failed';

/** What a charge has been through, in minor units. */
export interface ChargeBalance {
  state: ChargeState;
  /** Authorized in all. */
  total: number;
  settled: number;
  refunded: number;
}

export interface Charge extends ChargeBalance {
  id: string;
  environment: EnvironmentName;
  applicationId: string;
  merchantOrderId: string;
  currency: string;
  lenderId: string;
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
  /** Minor units of the charge's currency. */
  amount: number;
  /** Merchant discount of this transaction, minor units. */
  discount: number;
  merchantTransactionId: string | null;
  createdAt: number;
  /** When the lender funds it; null for what moves no money, or once it is funded. */
  fundAt: number | null;
}

/** An operation the charge does not permit: at this stage, or for this amount. */
export interface Refusal {
  refused: 'stage' | 'amount';
  reason: string;
}

const closed: readonly ChargeState[] = ['Created', 'Voided', 'ChargedBack'];

/** Settles `amount`, or without one all that is left. */
export function settle(charge: ChargeBalance, amount?: number): ChargeBalance | Refusal {
  const left = charge.total - charge.settled;
  if (closed.includes(charge.state) || left === 0) {
    return notNow(`A charge that is ${charge.state} cannot be settled.`);
  }
  const settled = amount ?? left;
  if (settled > left) {
    return { refused: 'amount', reason: 'is more than what is authorized and not settled' };
  }
  return moved({ ...charge, settled: charge.settled + settled });
}

/** Refunds `amount` of what is settled. */
export function refund(charge: ChargeBalance, amount: number): ChargeBalance | Refusal {
  const left = charge.settled - charge.refunded;
  if (closed.includes(charge.state) || left === 0) {
    return notNow(`A charge that is ${charge.state} cannot be refunded.`);
  }
  if (amount > left) {
    return { refused: 'amount', reason: 'is more than what is settled and not refunded' };
  }
  return moved({ ...charge, refunded: charge.refunded + amount });
}

/** Voids a charge of which nothing is settled. */
export function voidCharge(charge: ChargeBalance): ChargeBalance | Refusal {
  if (charge.state !== 'Authorized' && charge.state !== 'Created') {
    return notNow(`A charge that is ${charge.state} cannot be voided.`);
  }
  return { ...charge, state: 'Voided' };
}

/**
 * The state that the amounts amount to: settled and refunded are two axes. `PartiallyRefunded` is
 * in the service's list without a rule that leads to it, so it is never answered.
 */
function moved(balance: ChargeBalance): ChargeBalance {
  const { total, settled, refunded } = balance;
  const whole = settled === total;
  if (refunded === 0) return { ...balance, state: whole ? 'Settled' : 'PartiallySettled' };
  if (refunded === settled) {
    return { ...balance, state: whole ? 'Refunded' : 'PartiallySettledRefunded' };
  }
  return {
    ...balance,
    state: whole ? 'SettledPartiallyRefunded' : 'PartiallySettledPartiallyRefunded',
  };
}

function notNow(reason: string): Refusal {
  return { refused: 'stage', reason };
}
