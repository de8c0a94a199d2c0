import { type AlarmKind, alarmKinds } from '@financing-checkout/contract/reconciliation';
import { RECONCILIATION } from '@financing-checkout/reconciliation-rules';
import type { Clock } from '@financing-checkout/kit';
import { z } from 'zod';
import { readDetail } from '../facts/schema.ts';
import type { EventDetail, TrailFacts } from '../facts/trail.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';

/** An alarm of the trail. */
export interface Alarm {
  /** Number of its event in the trail. */
  number: number;
  kind: AlarmKind;
  /** When it was raised, in milliseconds since 1970. */
  at: number;
  detail: EventDetail;
}

const PAGE = 500;
const kinds = z.enum(alarmKinds);
const details = z.record(z.string(), z.unknown());
const acknowledged = z.object({ alarm: z.number() });

/** Raises an alarm, unless the trail has one with the same finding. Any process may do so. */
export async function raiseAlarm(
  { facts, clock }: { facts: Pick<TrailFacts, 'beginAction'>; clock: Clock },
  subject: AlarmKind,
  detail: EventDetail,
): Promise<void> {
  await facts.beginAction({
    at: clock.now(),
    kind: 'alarm',
    subject,
    actor: RECONCILIATION,
    detail,
    outcome: 'found',
    key: `alarm ${sha256(canonicalJson([subject, detail]))}`,
  });
}

/** Returns the alarms that nobody has acknowledged, newest first. */
export async function standingAlarms(facts: Pick<TrailFacts, 'trail'>): Promise<Alarm[]> {
  const found: Alarm[] = [];
  const dealtWith = new Set<number>();
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await facts.trail(before, PAGE, { kinds: ['alarm', 'acknowledgement'] });
    for (const { begun, ended } of page) {
      const { at, kind, seq: number, subject } = begun;
      const detail = details.parse(readDetail(begun.detail));
      if (kind === 'acknowledgement') {
        if (ended?.outcome === 'done') dealtWith.add(acknowledged.parse(detail).alarm);
      } else if (!dealtWith.has(number)) {
        found.push({ number, kind: kinds.parse(subject), at, detail });
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found;
    before = last.begun.seq;
  }
}

const finding = z.object({
  kind: z.string().optional(),
  chargeId: z.string().optional(),
  operationId: z.string().optional(),
  seq: z.number().optional(),
  reason: z.string().optional(),
});

/** Describes the finding of an alarm. */
export function alarmText({ detail }: Pick<Alarm, 'detail'>): string {
  const { chargeId, kind, operationId, reason, seq } = finding.parse(detail);
  if (chargeId === undefined)
    return reason === undefined ? `entry ${seq}` : `event ${seq} ${reason}`;
  const what = kind === 'charge' ? 'charge' : `${kind} of charge`;
  return `${what} ${chargeId}${operationId === undefined ? '' : `, operation ${operationId}`}`;
}
