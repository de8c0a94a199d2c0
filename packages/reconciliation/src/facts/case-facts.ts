import type { CaseState } from '@financing-checkout/contract';
import type { Case, CaseEvent as Event, Cases } from '@financing-checkout/reconciliation-rules';
import type { FactNumber } from './fact-number.ts';
import type { ChainHead } from './chain.ts';
import type { TrailFilter } from './trail-filter.ts';

/** The current state of a case, with the number of its last change. */
export interface CaseFact extends Case {
  number: FactNumber;
}

/** An event of the audit trail, byte for byte, because its hash covers the bytes. */
export interface CaseEvent {
  seq: number;
  caseId: string;
  at: number;
  kind: string;
  actor: string;
  /** JSON. */
  detail: string;
  /** Hash of the previous event. */
  previous: string;
  hash: string;
  /** Idempotency-Key of the request that caused the event. */
  key: string | undefined;
}

/** An event with the number of its fact, which is the number of the case until its next event. */
export interface CaseEventFact extends CaseEvent {
  number: FactNumber;
}

export interface CaseQuery {
  /** Only these cases. */
  ids?: readonly string[] | undefined;
  state?: CaseState | undefined;
  /** Only cases without an alert to finance. */
  unalerted?: boolean | undefined;
  /** Cases after this id. */
  after?: string | undefined;
  limit: number;
}

export interface CaseEventQuery {
  caseIds?: readonly string[];
  /** Events with a greater seq. */
  after: number;
  limit: number;
}

/** Reads cases and their audit trail. The analytics database answers filtered queries. */
export interface CaseReader {
  /** Returns the end of the audit trail. */
  caseChain(): Promise<ChainHead>;
  findCase(id: string): Promise<CaseFact | undefined>;
  /** Returns cases by id. */
  findCases(query: CaseQuery): Promise<CaseFact[]>;
  casesOfOrders(orderKeys: readonly string[]): Promise<CaseFact[]>;
  /** Returns the cases that are handled with one of these, those that are closed included. */
  casesMergedInto(ids: readonly string[]): Promise<CaseFact[]>;
  /** Returns events in trail order. */
  caseEvents(query: CaseEventQuery): Promise<CaseEventFact[]>;
  /** Returns matching events with smaller numbers, newest first. */
  newestCaseEvents(before: number, limit: number, filter: TrailFilter): Promise<CaseEventFact[]>;
  caseEventOfKey(key: string): Promise<CaseEventFact | undefined>;
  /** Returns the persons to whom cases are assigned. */
  assignees(): Promise<string[]>;
}

/** Access to cases within a transaction that excludes other changes of cases. */
export interface CaseWriter extends CaseReader {
  /**
   * Writes events, each as one fact, and the cases that they make: see `fold`.
   * @param known the cases of the events before them, as read in this transaction
   */
  record(events: readonly Event[], known: Cases, alerts?: readonly NewAlert[]): Promise<void>;
}

/** A message to finance that is to be sent. */
export interface NewAlert {
  id: string;
  /** Empty if the message does not concern a case. */
  caseId: string;
  body: string;
}

export type AlertState = 'waiting' | 'delivered' | 'dead';

/** Delivery state of a message. */
export interface AlertRow {
  id: string;
  caseId: string;
  createdAt: number;
  tries: number;
  /** Undefined if the message was delivered or abandoned. */
  nextAttemptAt: number | undefined;
  deliveredAt: number | undefined;
  /** Reason for the last failure. */
  reason: string | undefined;
}

/** A due message. */
export interface DueAlert extends NewAlert {
  /** Number of this attempt. */
  tries: number;
}
