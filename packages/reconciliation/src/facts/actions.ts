import type { ActionKind } from '@financing-checkout/contract/reconciliation';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import type { ChainedEvent, ChainHead } from './chain.ts';
import { isSamePerson, type PersonKey } from './people.ts';
import type { FactTables } from './schema.ts';
import { ofTrail, type TrailFilter } from './trail-filter.ts';

/**
 * An action by a person or a program that does not concern a case. Times are milliseconds since
 * 1970.
 */
export interface NewAction {
  at: number;
  /** Token name, followed by the person if the request names one. */
  actor: string;
  /** The person who signed in. Undefined: the owner of a token, whom `actor` names. */
  person?: PersonKey | undefined;
  kind: ActionKind;
  /** Target of the action: the id of a charge, an operation, a message or an import, or a name. */
  subject: string;
  /** Contains strings, numbers, booleans and null, which JSON represents exactly. */
  detail: ActionDetail;
  /** Idempotency-Key of the request. */
  key?: string | undefined;
  /** Outcome of an action that is complete when it is recorded, such as a sign-in. */
  outcome?: string | undefined;
}

export type ActionDetail = Readonly<Record<string, string | number | boolean | null>>;

/** Result of an action: `done`, a state, or a problem code. */
export interface ActionEnd {
  at: number;
  outcome: string;
  detail?: ActionDetail;
}

/**
 * An event of the action trail, byte for byte, because its hash covers the bytes. An action has one
 * event before it takes effect, and one with its outcome.
 */
export interface ActionEvent extends ChainedEvent {
  at: number;
  actor: string;
  person: PersonKey | undefined;
  kind: string;
  subject: string;
  /** JSON. */
  detail: string;
  /** For an outcome: the number of the event at the beginning of the action. */
  begun: number | undefined;
  outcome: string | undefined;
  key: string | undefined;
}

/**
 * An action with its last outcome. Without one, it is running, or its process ended before the
 * outcome was known.
 */
export interface ActionRow {
  begun: ActionEvent;
  ended: ActionEvent | undefined;
  /** Numbers of all its events, in order. */
  numbers: number[];
}

/**
 * The action trail. Any process may write to it: a lock on the trail's own row excludes other
 * writers.
 */
export interface ActionFacts {
  /**
   * Records an action before it takes effect. A repeated action with the same key is not recorded
   * again.
   * @returns the number of the action; undefined if the key belongs to another action
   */
  beginAction(action: NewAction): Promise<number | undefined>;
  /** Records the outcome of an action, unless it equals the last recorded outcome. */
  endAction(begun: number, end: ActionEnd): Promise<void>;
  /** Matching actions with smaller numbers, newest first. */
  actions(before: number, limit: number, filter?: TrailFilter): Promise<ActionRow[]>;
  /** The end of the trail. */
  actionChain(): Promise<ChainHead>;
  /** Whether the trail has the sign-in with which this caller began a session. */
  hasSignedIn(session: string, caller: Pick<ActionEvent, 'actor' | 'person'>): Promise<boolean>;
  /** Events in trail order. */
  actionEvents(after: number, limit: number): Promise<ActionEvent[]>;
}

/** Returns the authenticated part of an actor. The names of tokens and people contain no comma. */
export function ownerOf(actor: string): string {
  return actor.split(',')[0] ?? actor;
}

/** Returns the SHA-256 of an event, its position in the trail and the previous hash. */
export function actionHash(event: Omit<ActionEvent, 'hash'> & { hash?: string }): string {
  const { seq, at, actor, person, kind, subject, detail, begun, outcome, previous, key } = event;
  return sha256(
    canonicalJson({ seq, at, actor, person, kind, subject, detail, begun, outcome, previous, key }),
  );
}

/** Parses the detail of an event. Ignores an altered detail, which the hash reveals. */
export function readDetail(detail: string): object {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function actionFacts(db: Kysely<FactTables>): ActionFacts {
  return {
    beginAction: (action) =>
      db.transaction().execute(async (tx) => {
        const head = await lockTrail(tx);
        const detail = JSON.stringify(action.detail);
        const { key, outcome, person } = action;
        const earlier = key === undefined ? undefined : await ofKey(tx, key);
        if (earlier !== undefined) {
          const isSame =
            earlier.actor === action.actor &&
            isSamePerson(earlier.person, person) &&
            earlier.kind === action.kind &&
            earlier.subject === action.subject &&
            earlier.detail === detail;
          return isSame ? earlier.seq : undefined;
        }
        return append(tx, head, { ...action, person, detail, begun: undefined, outcome, key });
      }),

    endAction: (begun, end) =>
      db.transaction().execute(async (tx) => {
        await appendEnd(tx, await lockTrail(tx), begun, end);
      }),

    async actions(before, limit, filter = {}) {
      const begun = await db
        .selectFrom('actions')
        .selectAll()
        .where('begun', 'is', null)
        .where('seq', '<', before)
        .where(ofTrail(filter))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      const numbers = begun.map(({ seq }) => seq);
      const ends =
        numbers.length === 0
          ? []
          : await db
              .selectFrom('actions')
              .selectAll()
              .where('begun', 'in', numbers)
              .orderBy('seq')
              .execute();
      const endsOf = Map.groupBy(ends, (row) => row.begun);
      return begun.map((row) => {
        const own = endsOf.get(row.seq) ?? [];
        const last = own.at(-1);
        const numbers = [row, ...own].map(({ seq }) => seq);
        return { begun: toEvent(row), ended: last && toEvent(last), numbers };
      });
    },

    async actionChain() {
      const row = await db.selectFrom('action_chain').selectAll().executeTakeFirstOrThrow();
      return { seq: row.last_seq, hash: row.last_hash };
    },

    async hasSignedIn(session, { actor, person }) {
      const row = await db
        .selectFrom('actions')
        .selectAll()
        .where('kind', '=', 'sign-in')
        .where('outcome', '=', 'done')
        .where('detail', '=', JSON.stringify({ session }))
        .executeTakeFirst();
      const found = row && toEvent(row);
      return (
        found !== undefined && found.actor === ownerOf(actor) && isSamePerson(found.person, person)
      );
    },

    async actionEvents(after, limit) {
      const rows = await db
        .selectFrom('actions')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(toEvent);
    },
  };
}

/** Excludes all other writers of the trail until the transaction ends. */
export async function lockTrail(tx: Transaction<FactTables>): Promise<ChainHead> {
  const { last_seq: seq, last_hash: hash } = await tx
    .updateTable('action_chain')
    .set((eb) => ({ last_seq: eb.ref('last_seq') }))
    .returning(['last_seq', 'last_hash'])
    .executeTakeFirstOrThrow();
  return { seq, hash };
}

/** Records the outcome of an action in a transaction that has locked the trail. */
export async function appendEnd(
  tx: Transaction<FactTables>,
  head: ChainHead,
  begun: number,
  { at, outcome, detail = {} }: ActionEnd,
): Promise<void> {
  const events = tx.selectFrom('actions').selectAll();
  const first = toEvent(await events.where('seq', '=', begun).executeTakeFirstOrThrow());
  const last = await events
    .where('begun', '=', begun)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const text = JSON.stringify(detail);
  if (last?.outcome === outcome && last.detail === text) return;
  const { actor, person, kind, subject } = first;
  const event = { at, actor, person, kind, subject, begun, outcome, detail: text, key: undefined };
  await append(tx, head, event);
}

async function append(
  tx: Transaction<FactTables>,
  head: ChainHead,
  event: Omit<ActionEvent, keyof ChainedEvent>,
): Promise<number> {
  const { at, actor, person, kind, subject, detail, begun, outcome, key } = event;
  const seq = head.seq + 1;
  const previous = head.hash;
  const hash = actionHash({ ...event, seq, previous });
  await tx
    .insertInto('actions')
    .values({
      seq,
      at,
      actor,
      kind,
      subject,
      detail,
      previous,
      hash,
      begun: begun ?? null,
      outcome: outcome ?? null,
      key: key ?? null,
      person_issuer: person?.issuer ?? null,
      person_subject: person?.subject ?? null,
    })
    .execute();
  await tx.updateTable('action_chain').set({ last_seq: seq, last_hash: hash }).execute();
  return seq;
}

async function ofKey(tx: Transaction<FactTables>, key: string): Promise<ActionEvent | undefined> {
  const row = await tx.selectFrom('actions').selectAll().where('key', '=', key).executeTakeFirst();
  return row && toEvent(row);
}

export function toEvent(row: Selectable<FactTables['actions']>): ActionEvent {
  const { begun, outcome, key, person_issuer: issuer, person_subject: subject, ...event } = row;
  return {
    ...event,
    person: issuer === null || subject === null ? undefined : { issuer, subject },
    begun: begun ?? undefined,
    outcome: outcome ?? undefined,
    key: key ?? undefined,
  };
}
