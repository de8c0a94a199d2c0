import type { CaseState, ExceptionCode } from '@financing-checkout/contract';
import { caseStates, exceptionCodes } from '@financing-checkout/contract';
import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { CaseEventsTable, CasesTable } from '../../store/schema.ts';

/** An exception of an order in one currency. Amounts are minor units, times milliseconds. */
export interface ExceptionRow {
  orderKey: string;
  currency: string;
  code: ExceptionCode;
  amount: number;
  count: number;
  since: number;
  /** Changes with the lines it rests on. */
  contentHash: string;
}

/** A case as it is kept: at most one for each order, currency and code. */
export interface CaseRow extends ExceptionRow {
  id: string;
  state: CaseState;
  assignee: string | undefined;
  reason: string | undefined;
  openedAt: number;
  updatedAt: number;
  alertedAt: number | undefined;
}

/** An event as it stands in the trail: to the letter, since its hash is of the letters. */
export interface CaseEvent {
  seq: number;
  caseId: string;
  at: number;
  kind: string;
  actor: string;
  /** JSON. */
  detail: string;
  /** Hash of the event before. */
  previous: string;
  hash: string;
  /** Idempotency-Key of the request it was made by. */
  key: string | undefined;
}

/** Orders things by what they are about: where reading goes on. */
export interface ExceptionPlace {
  orderKey: string;
  currency: string;
  code: string;
}

const exceptionCode = z.enum(exceptionCodes);
export const caseState = z.enum(caseStates);

export function toException(row: {
  order_key: string;
  currency: string;
  code: string;
  amount: number | string;
  count: number | string;
  since: number | string;
  content_hash: string;
}): ExceptionRow {
  return {
    orderKey: row.order_key,
    currency: row.currency,
    code: exceptionCode.parse(row.code),
    amount: Number(row.amount),
    count: Number(row.count),
    since: Number(row.since),
    contentHash: row.content_hash,
  };
}

export function toCase(row: Selectable<CasesTable>): CaseRow {
  return {
    ...toException(row),
    id: row.id,
    state: caseState.parse(row.state),
    assignee: row.assignee ?? undefined,
    reason: row.reason ?? undefined,
    openedAt: Number(row.opened_at),
    updatedAt: Number(row.updated_at),
    alertedAt: row.alerted_at === null ? undefined : Number(row.alerted_at),
  };
}

export function fromCase(environment: string, row: CaseRow): Insertable<CasesTable> {
  return {
    id: row.id,
    environment,
    order_key: row.orderKey,
    currency: row.currency,
    code: row.code,
    merchant_order_id: merchantOrderIdOf(row.orderKey) ?? null,
    state: row.state,
    amount: row.amount,
    count: row.count,
    since: row.since,
    content_hash: row.contentHash,
    assignee: row.assignee ?? null,
    reason: row.reason ?? null,
    opened_at: row.openedAt,
    updated_at: row.updatedAt,
    alerted_at: row.alertedAt ?? null,
  };
}

export function toEvent(row: Selectable<CaseEventsTable>): CaseEvent {
  return {
    seq: Number(row.seq),
    caseId: row.case_id,
    at: Number(row.at),
    kind: row.kind,
    actor: row.actor,
    detail: row.detail,
    previous: row.previous,
    hash: row.hash,
    key: row.key ?? undefined,
  };
}

export function fromEvent(environment: string, event: CaseEvent): Insertable<CaseEventsTable> {
  return {
    environment,
    seq: event.seq,
    case_id: event.caseId,
    at: event.at,
    kind: event.kind,
    actor: event.actor,
    detail: event.detail,
    previous: event.previous,
    hash: event.hash,
    key: event.key ?? null,
  };
}
