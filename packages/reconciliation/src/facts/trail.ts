import { setImmediate } from 'node:timers/promises';
import type { ActionKind, CaseEventKind } from '@financing-checkout/contract/reconciliation';
import { RECONCILIATION } from '@financing-checkout/reconciliation-rules';
import { type Kysely, type RawBuilder, sql, type SqlBool, type Transaction } from 'kysely';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { isSamePerson } from './people.ts';
import { type FactTables, GENESIS, trail as trailTable, type TrailEvent } from './schema.ts';

export type { TrailEvent };

/**
 * Details of an event: strings, numbers, booleans, null and lists of them, which JSON represents
 * exactly.
 */
export type EventDetail = Readonly<Record<string, unknown>>;

/** An event to append to the trail. */
export type NewEvent = Omit<TrailEvent, 'seq' | 'kind' | 'detail' | 'previous' | 'hash'> & {
  kind: ActionKind | CaseEventKind;
  detail: EventDetail;
};

/** An action by a person or a program, other than work on cases. */
export type NewAction = Omit<NewEvent, 'number' | 'begun' | 'kind'> & { kind: ActionKind };

/** Result of an action. */
export interface ActionEnd {
  at: number;
  outcome: string;
  detail?: EventDetail;
}

/**
 * An event, with the last outcome of the action that it begins. Without an outcome, the action is
 * running, or its process ended before the outcome was known.
 */
export interface TrailRow {
  begun: TrailEvent;
  ended: TrailEvent | undefined;
  /** Numbers of all the action's events, in order. */
  numbers: number[];
}

/** Filter for trail entries. */
export interface TrailFilter {
  subject?: string | undefined;
  /** Part of the actor's name, in any letter case. */
  actor?: string | undefined;
  /** Only entries by people, or only those by the program itself. */
  by?: 'people' | 'program' | undefined;
  kinds?: readonly string[] | undefined;
  /** Entries with a greater number. */
  beyond?: number | undefined;
  /** Milliseconds since 1970; `to` is exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Number of entries of a kind, with the numbers of the first and the last one. */
export interface TrailCount {
  kind: ActionKind | CaseEventKind;
  count: number;
  first: number;
  last: number;
}

export interface EventQuery {
  subjects?: readonly string[];
  kinds?: readonly string[];
  /** Only events with a greater seq. */
  after: number;
  limit: number;
}

/** The end of the trail. */
export interface TrailHead {
  /** 0 if there are no events yet. */
  seq: number;
  hash: string;
}

/** An Idempotency-Key belongs to another request. */
export class KeyReusedError extends Error {
  override readonly name = 'KeyReusedError';
}

/**
 * Returns the authenticated part of an actor, up to the first comma: names of tokens and people
 * contain none.
 */
export function ownerOf(actor: string): string {
  return actor.split(',')[0] ?? actor;
}

/** Returns the SHA-256 of an event, its position in the trail and the previous hash. */
export function hashOf(event: Omit<TrailEvent, 'hash'> & { hash?: string }): string {
  return sha256(canonicalJson({ ...event, hash: undefined }));
}

export type TrailFacts = ReturnType<typeof trailFacts>;

/**
 * The trail: one hash chain with the events of cases, period decisions, money operations, imports,
 * exports and sign-ins. Any process may append to it; a lock on its head excludes other writers.
 */
export function trailFacts(db: Kysely<FactTables>) {
  const events = () => db.selectFrom('trail').selectAll();
  return {
    /**
     * Records an action before it takes effect. Repeating an action with the same key records
     * nothing.
     * @returns the number of the action; undefined if the key belongs to another action
     */
    async beginAction(action: NewAction) {
      try {
        const [seq] = await db.transaction().execute((tx) => append(tx, [action]));
        return seq;
      } catch (error) {
        if (error instanceof KeyReusedError) return undefined;
        throw error;
      }
    },

    /** Records the outcome of an action, unless it equals the last recorded outcome. */
    endAction: (begun: number, end: ActionEnd) =>
      db.transaction().execute((tx) => appendEnd(tx, begun, end)),

    /** Returns matching entries with smaller numbers, newest first. */
    async trail(before: number, limit: number, filter: TrailFilter = {}): Promise<TrailRow[]> {
      const begun = await events()
        .where('begun', 'is', null)
        .where('seq', '<', before)
        .where(matching(filter))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      // A case event has no outcome.
      const numbers = begun.flatMap(({ number, seq }) => (number === undefined ? [seq] : []));
      const ends =
        numbers.length === 0
          ? []
          : await events().where('begun', 'in', numbers).orderBy('seq').execute();
      const endsOf = Map.groupBy(ends, (row) => row.begun);
      return begun.map((row) => {
        const own = endsOf.get(row.seq) ?? [];
        const last = own.at(-1);
        const numbers = [row, ...own].map(({ seq }) => seq);
        return { begun: trailTable.read(row), ended: last && trailTable.read(last), numbers };
      });
    },

    /** Counts matching entries by kind, in the order of their first ones. */
    async trailCounts(filter: TrailFilter): Promise<TrailCount[]> {
      const rows = await db
        .selectFrom('trail')
        .select((eb) => [
          'kind',
          eb.fn.countAll<number>().as('count'),
          eb.fn.min('seq').as('first'),
          eb.fn.max('seq').as('last'),
        ])
        .where('begun', 'is', null)
        .where(matching(filter))
        .groupBy('kind')
        .orderBy('first')
        .execute();
      return rows.map((row) => ({ ...row, kind: row.kind as TrailCount['kind'] }));
    },

    /** Returns events in trail order. */
    async trailEvents({ after, kinds, limit, subjects }: EventQuery): Promise<TrailEvent[]> {
      let query = events().where('seq', '>', after);
      if (subjects !== undefined) query = query.where('subject', 'in', subjects);
      if (kinds !== undefined) query = query.where('kind', 'in', kinds);
      return (await query.orderBy('seq').limit(limit).execute()).map(trailTable.read);
    },

    async eventOfKey(key: string): Promise<TrailEvent | undefined> {
      const row = await events().where('key', '=', key).executeTakeFirst();
      return row && trailTable.read(row);
    },

    /** Returns the end of the trail, and the greatest event number, which differs in an altered trail. */
    trailHead: (): Promise<TrailHead & { last: number }> =>
      // One statement, so that both values are from the same moment.
      db
        .selectFrom('trailHead')
        .select((eb) => [
          'seq',
          'hash',
          sql<number>`coalesce(${eb.selectFrom('trail').select(eb.fn.max('seq').as('last'))}, 0)`.as(
            'last',
          ),
        ])
        .executeTakeFirstOrThrow(),

    /** Returns whether the trail contains the sign-in with which this caller began a session. */
    async hasSignedIn(session: string, { actor, person }: Pick<NewEvent, 'actor' | 'person'>) {
      const row = await events()
        .where('kind', '=', 'sign-in')
        .where('outcome', '=', 'done')
        .where('detail', '=', JSON.stringify({ session }))
        .executeTakeFirst();
      const found = row && trailTable.read(row);
      return (
        found !== undefined && found.actor === ownerOf(actor) && isSamePerson(found.person, person)
      );
    },
  };
}

/** Rows per statement: SQLite accepts 32,766 parameters. */
const BATCH = 500;

export function batchesOf<Item>(items: readonly Item[], size = BATCH): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/**
 * Appends events. Excludes all other writers of the trail until the transaction ends, so it must be
 * its last step.
 * @returns the number of each event; if the same event already had its key, the earlier number
 * @throws {KeyReusedError} if a different event has its key
 */
export async function append(
  tx: Transaction<FactTables>,
  events: readonly NewEvent[],
): Promise<number[]> {
  let { hash, seq } = await lockTrail(tx);
  const keys = events.flatMap(({ key }) => key ?? []);
  const known =
    keys.length === 0
      ? []
      : await tx.selectFrom('trail').selectAll().where('key', 'in', keys).execute();
  const byKey = new Map(known.map((row) => [row.key, trailTable.read(row)]));
  const rows: TrailEvent[] = [];
  const numbers = events.map((event) => {
    const text = JSON.stringify(event.detail);
    const earlier = event.key === undefined ? undefined : byKey.get(event.key);
    if (earlier !== undefined) {
      const isSame =
        earlier.actor === event.actor &&
        isSamePerson(earlier.person, event.person) &&
        earlier.kind === event.kind &&
        earlier.subject === event.subject &&
        earlier.detail === text;
      if (!isSame) throw new KeyReusedError('The Idempotency-Key belongs to another request.');
      return earlier.seq;
    }
    seq += 1;
    const next = { ...event, seq, detail: text, previous: hash };
    hash = hashOf(next);
    rows.push({ ...next, hash });
    return seq;
  });
  for (const batch of batchesOf(rows)) {
    await tx.insertInto('trail').values(batch.map(trailTable.write)).execute();
  }
  if (rows.length > 0) await tx.updateTable('trailHead').set({ seq, hash }).execute();
  return numbers;
}

/** Excludes all other writers of the trail until the transaction ends. */
export function lockTrail(tx: Transaction<FactTables>): Promise<TrailHead> {
  return tx
    .updateTable('trailHead')
    .set((eb) => ({ seq: eb.ref('seq') }))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
}

/** Records the outcome of an action, unless it equals the last recorded outcome. */
export async function appendEnd(
  tx: Transaction<FactTables>,
  begun: number,
  { at, outcome, detail = {} }: ActionEnd,
): Promise<void> {
  // Two ends of one action must be written one after the other.
  await lockTrail(tx);
  const events = tx.selectFrom('trail').selectAll();
  const first = trailTable.read(await events.where('seq', '=', begun).executeTakeFirstOrThrow());
  const last = await events
    .where('begun', '=', begun)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last?.outcome === outcome && last.detail === JSON.stringify(detail)) return;
  const { actor, kind, person, subject } = first;
  await append(tx, [
    { at, subject, kind: kind as ActionKind, actor, person, begun, outcome, detail },
  ]);
}

function matching({
  actor,
  beyond,
  by,
  from,
  kinds,
  subject,
  to,
}: TrailFilter): RawBuilder<SqlBool> {
  const pattern = `%${(actor ?? '').toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
  const conditions = [
    sql`1 = 1`,
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
    ...(actor === undefined ? [] : [sql`lower(actor) like ${pattern} escape '!'`]),
    ...(by === 'people' ? [sql`actor <> ${RECONCILIATION}`] : []),
    ...(by === 'program' ? [sql`actor = ${RECONCILIATION}`] : []),
    ...(kinds === undefined ? [] : [sql`kind in (${sql.join(kinds)})`]),
    ...(beyond === undefined ? [] : [sql`seq > ${beyond}`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** The first event that does not fit the chain. */
export interface BrokenLink {
  seq: number;
  /** Undefined: the event is missing. */
  subject?: string | undefined;
  reason: string;
}

export interface ChainCheck {
  /** The last valid event. */
  head: TrailHead;
  broken?: BrokenLink;
}

/**
 * Verifies the chain by recomputing each hash, which reveals events that were changed, removed,
 * inserted, moved, or appended after its end.
 * @param onEvent called with each valid event; returns why this program cannot have written it
 * @param after the last event that was verified
 */
export async function verifyChain(
  facts: Pick<TrailFacts, 'trailHead' | 'trailEvents'>,
  onEvent: (event: TrailEvent) => string | undefined = () => undefined,
  after: TrailHead = { seq: 0, hash: GENESIS },
): Promise<ChainCheck> {
  const end = await facts.trailHead();
  let head = after;
  while (head.seq < end.seq) {
    const page = await facts.trailEvents({ after: head.seq, limit: BATCH });
    for (const event of page) {
      if (head.seq === end.seq) break;
      const { hash, previous, seq, subject } = event;
      const expected = head.seq + 1;
      const reason =
        seq !== expected
          ? 'is missing'
          : previous !== head.hash
            ? 'does not follow the previous event'
            : hash !== hashOf(event)
              ? 'was changed'
              : onEvent(event);
      if (reason !== undefined) {
        return { head, broken: { seq: expected, reason, ...(seq === expected && { subject }) } };
      }
      head = { seq, hash };
    }
    if (page.length === 0) return { head, broken: { seq: head.seq + 1, reason: 'is missing' } };
    // Lets the process answer requests while it verifies a long trail.
    await setImmediate();
  }
  if (head.hash !== end.hash) {
    return { head, broken: { seq: end.seq, reason: 'is not where the chain ended' } };
  }
  if (end.last > end.seq) {
    return { head, broken: { seq: end.seq + 1, reason: 'is after the end of the chain' } };
  }
  return { head };
}
