import {
  type Action,
  actionKinds,
  actionSchema,
  type TrailEntry,
  type trailKinds,
} from '@financing-checkout/contract';
import { isoTime } from '@financing-checkout/kit';
import { RECONCILIATION } from '@financing-checkout/reconciliation-rules';
import { z } from 'zod';
import { caseEventRecord } from '../cases/record.ts';
import type { Engine } from '../engine/engine.ts';
import type { ActionRow } from '../facts/actions.ts';
import type { CaseEventFact } from '../facts/case-facts.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { ordersOfCharges } from '../queries/orders-of-charges.ts';
import { checkedSpan } from './period.ts';

/** The last entries of a page: numbers of an action and of an event of a case. */
export type TrailPosition = readonly [action: number, caseEvent: number];

export interface TrailPart {
  actor?: string | undefined;
  kind?: (typeof trailKinds)[number] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  zone?: string | undefined;
  after?: TrailPosition | undefined;
  limit: number;
}

const START: TrailPosition = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Returns the position of a cursor. */
export function trailPosition([action, caseEvent]: readonly string[]): TrailPosition {
  return [Number(action), Number(caseEvent)];
}

/**
 * Returns a page of the trail of people: both chains, merged by time, newest first, each entry with
 * its order. Entries of the program itself are included only if its name is in the filter.
 */
export async function trailPage(
  engine: Engine,
  signal: AbortSignal,
  part: TrailPart,
): Promise<{ entries: TrailEntry[]; next: TrailPosition | undefined }> {
  const { actor, after = START, from, kind, limit, to, zone = engine.config.sync.zone } = part;
  const filter = {
    actor,
    except: actor === undefined ? RECONCILIATION : undefined,
    kinds: kind && [kind],
    ...checkedSpan({ from, to, zone }),
  };
  const [actions, events] = await Promise.all([
    engine.facts.actions(after[0], limit + 1, filter),
    engine.facts.newestCaseEvents(after[1], limit + 1, filter),
  ]);
  const taken = merged(actions, events).slice(0, limit);
  const ofActions = taken.flatMap(({ action }) => action ?? []);
  const ofCases = taken.flatMap(({ event }) => event ?? []);
  const last: TrailPosition = [
    ofActions.at(-1)?.begun.seq ?? after[0],
    ofCases.at(-1)?.seq ?? after[1],
  ];
  const context = engine.data.context(signal);
  const [orders, cases] = await Promise.all([
    ordersOfCharges(
      context,
      ofActions.map(({ begun }) => begun.subject),
    ),
    casesOf(engine, ofCases),
  ]);
  const entries = taken.flatMap(({ action, event }): TrailEntry[] => {
    if (event !== undefined) return [caseEntry(event, cases.get(event.caseId))];
    if (action === undefined) return [];
    const { actor, at, detail, endedAt, hash, kind, numbers, outcome, person, subject } =
      actionRecord(action);
    const order = orderOf(orders.get(subject));
    const ended = { outcome, endedAt };
    return [
      {
        ...{ chain: 'actions', numbers, at, actor, person, kind, subject, detail, hash },
        ...ended,
        ...order,
      },
    ];
  });
  return { entries, next: actions.length + events.length > limit ? last : undefined };
}

/** Merges two lists, each newest first. */
function merged(actions: readonly ActionRow[], events: readonly CaseEventFact[]) {
  const all: { action?: ActionRow; event?: CaseEventFact }[] = [];
  let [a, e] = [0, 0];
  while (a < actions.length || e < events.length) {
    const [action, event] = [actions[a], events[e]];
    if (event === undefined || (action !== undefined && action.begun.at >= event.at)) {
      all.push({ action });
      a += 1;
    } else {
      all.push({ event });
      e += 1;
    }
  }
  return all;
}

type Case = NonNullable<Awaited<ReturnType<Engine['facts']['findCase']>>>;

/** Returns the cases of events, by their ids. */
export async function casesOf(engine: Engine, events: readonly CaseEventFact[]) {
  const ids = [...new Set(events.map(({ caseId }) => caseId))];
  const found = ids.length === 0 ? [] : await engine.facts.findCases({ ids, limit: ids.length });
  return new Map(found.map((one) => [one.id, one]));
}

/** Returns the order of a case. */
export const orderOf = (orderKey: string | undefined) =>
  orderKey === undefined ? {} : { orderKey, merchantOrderId: merchantOrderIdOf(orderKey) };

function caseEntry(event: CaseEventFact, found: Case | undefined): TrailEntry {
  const { actor, at, detail, hash, kind, seq } = caseEventRecord(event);
  return {
    chain: 'cases',
    numbers: [seq],
    ...{ at, actor, kind, detail, hash, subject: event.caseId },
    ...(found && { code: found.code, currency: found.currency }),
    ...orderOf(found?.orderKey),
  };
}

const kind = z.enum(actionKinds);
const detail = actionSchema.shape.detail;

/**
 * Returns an action in the API's format. An action that was already over when it was recorded has
 * its outcome in its only event.
 * @throws for an event that this program did not write: verify the trail
 */
export function actionRecord({ begun, ended, numbers }: ActionRow): Action {
  const last = ended ?? begun;
  const end =
    last.outcome === undefined ? {} : { outcome: last.outcome, endedAt: isoTime(last.at) };
  return {
    seq: begun.seq,
    numbers,
    at: isoTime(begun.at),
    actor: begun.actor,
    person: begun.person,
    kind: kind.parse(begun.kind),
    subject: begun.subject,
    detail: {
      ...detail.parse(JSON.parse(begun.detail)),
      ...detail.parse(JSON.parse(ended?.detail ?? '{}')),
    },
    ...end,
    hash: last.hash,
  };
}
