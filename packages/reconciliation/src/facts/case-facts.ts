import type { CaseState } from '@financing-checkout/contract/reconciliation';
import type { Case, CaseEvent, Cases } from '@financing-checkout/reconciliation-rules';
import type { FactNumber } from './fact-number.ts';
import type { AlertRow, StoredCase, TrailEvent } from './schema.ts';

/** The current state of a case, with the number of its last change. */
export interface CaseFact extends Case {
  number: FactNumber;
}

export type { AlertRow, StoredCase };

/** An event of a case in the trail. Its number is the case's number until the next event. */
export interface CaseEventFact extends TrailEvent {
  number: FactNumber;
}

export interface CaseQuery {
  /** Restricts the query to these cases. */
  ids?: readonly string[] | undefined;
  state?: CaseState | undefined;
  /** Only cases without an alert to finance. */
  unalerted?: boolean | undefined;
  /** Cases after this id. */
  after?: string | undefined;
  limit: number;
}

/** Reads cases. The analytics database answers filtered queries. */
export interface CaseReader {
  findCase(id: string): Promise<CaseFact | undefined>;
  findCases(query: CaseQuery): Promise<CaseFact[]>;
  casesOfOrders(orderKeys: readonly string[]): Promise<CaseFact[]>;
  /** Returns the cases merged into one of these, including closed ones. */
  casesMergedInto(ids: readonly string[]): Promise<CaseFact[]>;
  /** Returns events of cases in trail order. */
  caseEvents(ids: readonly string[]): Promise<CaseEventFact[]>;
  eventOfKey(key: string): Promise<TrailEvent | undefined>;
  /** Returns cases as stored, in id order, so that they can be verified. */
  storedCases(after: string, limit: number): Promise<StoredCase[]>;
  /** Returns the events of cases whose keys begin with an ASCII text. */
  eventsOfKeys(prefix: string): Promise<CaseEventFact[]>;
  /** Returns the people to whom cases are assigned. */
  assignees(): Promise<string[]>;
}

/** Access to cases within a transaction that excludes other case changes. */
export interface CaseWriter extends CaseReader {
  /**
   * Writes events, each as one fact, and the resulting cases: see `fold`.
   * @param known the cases before these events, as read in this transaction
   */
  record(events: readonly CaseEvent[], known: Cases, alerts?: readonly NewAlert[]): Promise<void>;
}

/** A message to queue for finance. */
export interface NewAlert {
  id: string;
  /** Empty if the message does not concern a case. */
  caseId: string;
  body: string;
}

export type AlertState = 'waiting' | 'delivered' | 'dead';

/** A due message. */
export interface DueAlert extends NewAlert {
  /** Number of this attempt. */
  tries: number;
}
