import type { ExceptionRow } from '../facts/case-facts.ts';

/**
 * Whether conclusions may be drawn from the exceptions. `incomplete`: a day is not proven, or not all
 * orders were judged since it was. `rebuilding`: the analytics database does not have all facts yet.
 */
export type SourceState = 'complete' | 'incomplete' | 'rebuilding';

/** The exceptions of an order of which all lines were judged. */
export interface JudgedOrder {
  orderKey: string;
  /** Of each currency. */
  exceptions: readonly ExceptionRow[];
  /**
   * Whether the status is of all there is: a record of the order in quarantine, or lines without a status
   * may hide an exception.
   */
  isWhole: boolean;
  /** Whether its currency is a guess. @default false */
  currencyAssumed?: boolean;
}

/**
 * Exceptions, as the analytics database has them. `state` and `judged` are asked within a transaction of
 * the record store, and must not use the record store themselves: they would wait for that transaction.
 */
export interface ExceptionSource {
  state(): Promise<SourceState>;
  /**
   * Finds the orders whose exceptions are others than those of the mirrored cases: new, gone, of other
   * content, amount or count, or back after the case was closed. The mirror may be behind the record
   * store: an order too many costs time, one too few comes with the next pass.
   */
  changedOrders(signal?: AbortSignal): AsyncIterable<readonly string[]>;
  /** Returns the orders of a list without those that are dirty. An order without a status is returned. */
  judged(orderKeys: readonly string[]): Promise<JudgedOrder[]>;
}
