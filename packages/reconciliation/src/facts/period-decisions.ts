import { withdrawableRequests } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import {
  type Closing,
  type Decision,
  decisionOutcomes,
  type PeriodDecisions,
  type PeriodWork,
  type Reopening,
} from './period-facts.ts';
import { readDetail, type TrailEvent } from './schema.ts';

/** Kinds of actions that decide about a period. Their subject is the period. */
export const periodKinds = [
  'acceptance',
  'close-preparation',
  'close',
  'reopening',
  'request-withdrawal',
] as const;

/** The initial state of a period without decisions. */
export const NO_WORK: PeriodWork = {
  prepared: undefined,
  accepted: {},
  reopening: undefined,
  last: 0,
};

const acceptanceSchema = z.object({ check: z.string(), reason: z.string(), digest: z.string() });
const preparationSchema = z.object({ statements: z.string() });
const closeSchema = z.object({ seq: z.number(), seal: z.string() });
const reopeningSchema = z.object({ reason: z.string().nullable() });
const withdrawalSchema = z.object({ of: z.enum(withdrawableRequests) });

/**
 * Folds the trail's period events, in order, into the current decisions. Ignores events without
 * details, which earlier versions wrote.
 */
export function foldDecisions(events: readonly TrailEvent[]): PeriodDecisions {
  const begun = new Map<number, TrailEvent>();
  const work = new Map<string, PeriodWork>();
  const closings = new Map<number, Closing>();
  const reopenings = new Map<number, Reopening>();
  /** The seal of each closed period. */
  const closed = new Map<string, number>();

  for (const event of events) {
    if (event.begun === undefined) {
      begun.set(event.seq, event);
      continue;
    }
    const first = begun.get(event.begun);
    if (first === undefined) continue;
    const { subject: period } = first;
    const before = work.get(period) ?? NO_WORK;
    if (!decisionOutcomes.some((outcome) => outcome === event.outcome)) continue;
    work.set(period, { ...(decided(first, event, before) ?? before), last: event.seq });
  }
  return { work, closings, reopenings };

  /** Returns a period's decisions after an event; undefined if the event has no effect. */
  function decided(
    first: TrailEvent,
    { at, detail, outcome }: TrailEvent,
    before: PeriodWork,
  ): PeriodWork | undefined {
    const { actor, person, seq: number, subject: period } = first;
    const decision: Decision = { number, actor, person, at };
    const stated = <Schema extends z.ZodType>(schema: Schema) =>
      schema.safeParse({ ...readDetail(first.detail), ...readDetail(detail) }).data;
    switch (`${first.kind} ${outcome}`) {
      case 'acceptance done': {
        const accepted = stated(acceptanceSchema);
        if (accepted === undefined) return undefined;
        const { check, ...of } = accepted;
        return { ...before, accepted: { ...before.accepted, [check]: { ...decision, ...of } } };
      }
      case 'close-preparation done': {
        const prepared = stated(preparationSchema);
        return prepared && { ...before, prepared: { ...decision, ...prepared } };
      }
      case 'close-preparation lapsed':
        if (before.prepared?.number !== number) return undefined;
        return { ...before, prepared: undefined };
      case 'close done': {
        const sealed = stated(closeSchema);
        if (sealed === undefined) return undefined;
        const { seq, seal: hash } = sealed;
        closings.set(seq, { ...decision, period, hash, work: before });
        closed.set(period, seq);
        return NO_WORK;
      }
      case 'reopening asked': {
        const reason = stated(reopeningSchema)?.reason;
        if (typeof reason !== 'string') return undefined;
        return { ...before, reopening: { ...decision, reason } };
      }
      case 'reopening done': {
        const seq = closed.get(period);
        if (seq === undefined) return undefined;
        const reason = stated(reopeningSchema)?.reason;
        const asked = before.reopening;
        if (typeof reason === 'string') {
          reopenings.set(seq, { ...decision, reason, approved: undefined });
        } else if (asked !== undefined) {
          reopenings.set(seq, { ...asked, at, approved: decision });
        } else return undefined;
        closed.delete(period);
        return NO_WORK;
      }
      case 'request-withdrawal done': {
        const of = stated(withdrawalSchema)?.of;
        if (of === undefined) return undefined;
        const left = of === 'preparation' ? { prepared: undefined } : { reopening: undefined };
        return { ...before, ...left };
      }
      default:
        return undefined;
    }
  }
}
