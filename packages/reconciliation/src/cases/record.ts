import type {
  CaseEventRecord,
  CaseRecord,
  ExceptionCode,
} from '@financing-checkout/contract/reconciliation';
import { caseEventKinds } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import type { CaseFact } from '../facts/case-facts.ts';
import type { TrailEvent } from '../facts/trail.ts';
import { isoTime } from '@financing-checkout/kit';
import { permittedActions, snoozeEnd } from '@financing-checkout/reconciliation-rules';
import { merchantOrderIdOf } from '../platform/order-key.ts';

const DAY_MS = 86_400_000;

/** A case with derived data: whether its currency is assumed, its money at stake, and its merged cases. */
export interface JudgedCase extends CaseFact {
  currencyAssumed?: boolean | undefined;
  /** Undefined if the whole amount is at stake. */
  atStake?: number | undefined;
  together?: CaseRecord['together'];
}

/** Days until a case of each code is due. */
export type CaseDays = Readonly<Record<ExceptionCode, number>>;

/** Returns a case in the API's format. */
export function caseRecord(row: JudgedCase, now: number, days: CaseDays): CaseRecord {
  const { id, orderKey, currency, code, state, amount, count, assignee, reason, alertedAt } = row;
  const merchantOrderId = merchantOrderIdOf(orderKey);
  const snoozedUntil = snoozeEnd(row, now);
  return {
    id,
    revision: row.number,
    orderKey,
    merchantOrderId,
    currency,
    ...(row.currencyAssumed === true ? { currencyAssumed: true } : {}),
    code,
    state,
    amount,
    atStake: row.atStake,
    count,
    since: isoTime(row.since),
    ageDays: Math.max(0, Math.floor((now - row.since) / DAY_MS)),
    dueAt: isoTime(row.openSince + days[code] * DAY_MS),
    snoozedUntil: snoozedUntil === undefined ? undefined : isoTime(snoozedUntil),
    mergedInto: row.mergedInto,
    together: row.together,
    assignee,
    reason,
    openedAt: isoTime(row.openedAt),
    updatedAt: isoTime(row.updatedAt),
    ...(alertedAt === undefined ? {} : { alertedAt: isoTime(alertedAt) }),
    can: permittedActions(row, now, row.together !== undefined),
  };
}

const eventKind = z.enum(caseEventKinds);
const eventDetail = z.record(z.string(), z.unknown());

/**
 * Returns an event in the API's format.
 * @throws for an event that this program did not write; verify the trail then
 */
export function caseEventRecord(event: TrailEvent): CaseEventRecord {
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
