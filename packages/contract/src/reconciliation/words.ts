import { exceptionCodes } from './exceptions.ts';

/**
 * The state of the lenders' payments for the settled amount of the merchant's ledger. An order has
 * exactly one in each currency.
 */
export const fundingAxis = [
  'NONE',
  'UNEXPECTED',
  'UNFUNDED',
  'PARTIALLY_FUNDED',
  'FUNDED',
  'OVER_FUNDED',
] as const;
export type FundingAxis = (typeof fundingAxis)[number];

/** The state of the lenders' reversals. An order has exactly one in each currency. */
export const returnsAxis = [
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'NONE',
] as const;
export type ReturnsAxis = (typeof returnsAxis)[number];

/** The possible headlines of an order: its most severe exception, or its status. */
export const headlines = [
  ...exceptionCodes,
  'PARTIALLY_FUNDED',
  'AWAITING_FUNDING',
  /** Posted before the first ledger line, or while no ledger exists. */
  'BEFORE_LEDGER',
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'FUNDED',
  'NOTHING_DUE',
] as const;
export type Headline = (typeof headlines)[number];

/**
 * Whether a ledger exists. In `set-up`, no ledger line has ever been read, so no funding is judged
 * missing from the ledger.
 */
export const setUpStates = ['set-up', 'ready'] as const;
export type SetUpState = (typeof setUpStates)[number];

/** The states of a sync run, in progress or ended. Only `complete` is a full success. */
export const syncStates = ['running', 'complete', 'partial', 'failed'] as const;
export type SyncState = (typeof syncStates)[number];

/** The states of a day. Only `complete` is a proof. */
export const dayStates = ['complete', 'writing', 'unproven', 'failed', 'stale'] as const;
export type FundingDayState = (typeof dayStates)[number];
