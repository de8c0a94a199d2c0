import type { CaseState, ExceptionCode } from '@financing-checkout/contract/reconciliation';
import type { FactNumber } from './fact-number.ts';
import type { ChainHead } from './chain.ts';
import type { TrailFilter } from './trail-filter.ts';

/**
 * An exception of an order in one currency. Amounts are minor units, and times are milliseconds
 * since 1970.
 */
export interface ExceptionRow {
  orderKey: string;
  currency: string;
  code: ExceptionCode;
  amount: number;
  count: number;
  since: number;
  /** Hash that changes with the lines of the order. */
  contentHash: string;
}

/** A case: at most one per order, currency and code. */
export interface CaseRow extends ExceptionRow {
  id: string;
  state: CaseState;
  assignee: string | undefined;
  reason: string | undefined;
  openedAt: number;
  /** Time at which the case was opened, or reopened by reconciliation. */
  openSince: number;
  updatedAt: number;
  alertedAt: number | undefined;
  /** End of the snooze, and the content at that time: see `snoozeEnd`. */
  snoozedUntil: number | undefined;
  snoozedContent: string | undefined;
  /** The main case: see `merge.ts`. */
  mergedInto: string | undefined;
  /** People whom notes mention, until they act on the case. */
  mentions: readonly string[];
}

/** The current state of a case, with the number of its last change. */
export interface CaseFact extends CaseRow {
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
  /** Restricts the query to these cases. */
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

/** Reads cases and their audit trail. Filtered queries go to the analytics database. */
export interface CaseReader {
  /** Returns the end of the audit trail. */
  caseChain(): Promise<ChainHead>;
  findCase(id: string): Promise<CaseFact | undefined>;
  findCases(query: CaseQuery): Promise<CaseFact[]>;
  casesOfOrders(orderKeys: readonly string[]): Promise<CaseFact[]>;
  /** Returns the cases merged into one of these, including closed ones. */
  casesMergedInto(ids: readonly string[]): Promise<CaseFact[]>;
  /** Returns open cases whose main case is not open, or is itself merged. */
  casesLeftMerged(limit: number): Promise<CaseFact[]>;
  caseEvents(query: CaseEventQuery): Promise<CaseEventFact[]>;
  /** Returns matching events with smaller numbers, newest first. */
  newestCaseEvents(before: number, limit: number, filter: TrailFilter): Promise<CaseEventFact[]>;
  caseEventOfKey(key: string): Promise<CaseEventFact | undefined>;
  /** Returns the events whose keys begin with a text of ASCII characters. */
  caseEventsOfKeys(prefix: string): Promise<CaseEventFact[]>;
  /** Returns the persons to whom cases are assigned. */
  assignees(): Promise<string[]>;
}

/** Changes to be written together, with one event and one fact per case. */
export interface CaseChanges {
  /** The end of the trail after the events. */
  head: ChainHead;
  events: readonly CaseEvent[];
  /** The case of each event, in the same order. */
  cases: readonly CaseRow[];
  alerts: readonly NewAlert[];
  now: number;
}

/** Access to cases within a transaction that excludes other changes of cases. */
export interface CaseWriter extends CaseReader {
  writeCases(changes: CaseChanges): Promise<void>;
}

/** A message for finance to queue. */
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
