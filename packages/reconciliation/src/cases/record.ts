import type { CaseEventRecord, CaseRecord } from '@financing-checkout/contract';
import { caseEventKinds } from '@financing-checkout/contract';
import { z } from 'zod';
import type { CaseEvent, CaseRow } from '../facts/case-facts.ts';
import { isoTime } from '../platform/clock.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';

const DAY_MS = 86_400_000;

/** A case, with what judging says of its currency. */
export interface JudgedCase extends CaseRow {
  currencyAssumed?: boolean | undefined;
}

/** Returns a case as the API gives it. */
export function caseRecord(row: JudgedCase, now: number): CaseRecord {
  const { id, orderKey, currency, code, state, amount, count, assignee, reason, alertedAt } = row;
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return {
    id,
    orderKey,
    ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
    currency,
    ...(row.currencyAssumed === true ? { currencyAssumed: true } : {}),
    code,
    state,
    amount,
    count,
    since: isoTime(row.since),
    ageDays: Math.max(0, Math.floor((now - row.since) / DAY_MS)),
    ...(assignee === undefined ? {} : { assignee }),
    ...(reason === undefined ? {} : { reason }),
    openedAt: isoTime(row.openedAt),
    updatedAt: isoTime(row.updatedAt),
    ...(alertedAt === undefined ? {} : { alertedAt: isoTime(alertedAt) }),
  };
}

const eventKind = z.enum(caseEventKinds);
const eventDetail = z.record(z.string(), z.unknown());

/**
 * Returns an event as the API gives it.
 * @throws when the event is not as this program writes it: verify the trail
 */
export function caseEventRecord(event: CaseEvent): CaseEventRecord {
  const { seq, at, kind, actor, detail, hash } = event;
  return {
    seq,
    at: isoTime(at),
    kind: eventKind.parse(kind),
    actor,
    detail: eventDetail.parse(JSON.parse(detail)),
    hash,
  };
}
