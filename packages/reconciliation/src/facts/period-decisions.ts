import { withdrawableRequests } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import { type PersonKey, readDetail, type TrailEvent } from './schema.ts';

/** A decision about a period, as recorded in the trail. */
export interface Decision {
  /** Number of the action in the trail. */
  number: number;
  /** The token's owner, followed by the person if a request named one. */
  actor: string;
  /** The person who signed in; undefined: a token's owner. */
  person: PersonKey | undefined;
  /** When the decision took effect, in milliseconds since 1970. */
  at: number;
}

/** A prepared close. */
export interface Preparation extends Decision {
  /** SHA-256 of the statements. */
  statements: string;
}

/** A request to reopen a closed period, or an accepted finding. */
export interface Reasoned extends Decision {
  reason: string;
}

export interface Acceptance extends Reasoned {
  /** SHA-256 of the accepted records. */
  digest: string;
}

export interface Reopening extends Reasoned {
  /** Undefined if one person reopened it alone. */
  approved: Decision | undefined;
}

/** Decisions about a period since it was last closed or reopened. */
export interface PeriodWork {
  prepared: Preparation | undefined;
  /** Keyed by the check to which they apply. */
  accepted: Readonly<Record<string, Acceptance>>;
  reopening: Reasoned | undefined;
  /** Number of the last event that changed the work, or 0. New decisions are based on it. */
  last: number;
}

/** The close of a period, as recorded in the trail. */
export interface Closing extends Decision {
  period: string;
  hash: string;
  /** The decisions before the close. */
  work: PeriodWork;
}

/** People's decisions about periods, derived from the trail alone. */
export interface PeriodDecisions {
  /** Keyed by period. */
  work: ReadonlyMap<string, PeriodWork>;
  /** Keyed by the number of the seal. */
  closings: ReadonlyMap<number, Closing>;
  reopenings: ReadonlyMap<number, Reopening>;
}

/** Kinds of actions that decide about a period. Their subject is the period. */
export const periodKinds = [
  'acceptance',
  'close-preparation',
  'close',
  'reopening',
  'request-withdrawal',
] as const;

/** Outcomes of actions that take effect. All others are refusals and failures. */
export const decisionOutcomes = ['done', 'asked', 'lapsed'] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];

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
