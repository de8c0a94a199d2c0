import type { JudgedOrder } from '@financing-checkout/reconciliation-rules';

/**
 * Whether the exceptions permit conclusions. `incomplete`: a day is unproven, or some orders were
 * not judged since it was proven. `rebuilding`: the analytics database lacks facts.
 */
export type SourceState = 'complete' | 'incomplete' | 'rebuilding';

/**
 * Exceptions in the analytics database. The record store calls `state`, `judged` and `stakes`
 * within a transaction; they must not use the record store themselves, or they would deadlock.
 */
export interface ExceptionSource {
  state(): Promise<SourceState>;
  /**
   * Finds orders whose exceptions differ from the mirrored cases: new, gone, changed in content,
   * amount or count, or back after the case was closed. The mirror may lag behind the record store:
   * an order reported needlessly only costs time, and one that is missed appears in the next pass.
   */
  changedOrders(signal?: AbortSignal): AsyncIterable<readonly string[]>;
  /** Returns the money at stake of mirrored cases, by ID. */
  stakes(caseIds: readonly string[]): Promise<Map<string, number>>;
  /** Returns those orders of a list that are not dirty, including orders without a status. */
  judged(orderKeys: readonly string[]): Promise<JudgedOrder[]>;
}
