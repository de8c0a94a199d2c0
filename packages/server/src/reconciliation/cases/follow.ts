import type { Clock } from '../../clock/clock.ts';
import type { Logger } from '../../observe/logger.ts';
import type { CaseRow, ExceptionPlace, ExceptionRow } from './rows.ts';
import type { CaseStore } from './store.ts';
import { chainEvents, type NewCaseEvent } from './trail.ts';

export interface CaseContext {
  environment: string;
  store: CaseStore;
  clock: Clock;
  logger: Logger;
  /** Ends a pass between two transactions; the next one goes on. */
  signal?: AbortSignal;
}

/** What a pass over the exceptions did, in cases. */
export interface CasePass {
  opened: number;
  changed: number;
  reopened: number;
  closed: number;
}

/** Who writes the trail when no person does. */
export const COMPANION = 'reconciliation';

/** Cases changed in one transaction: short enough that a checkout's own does not wait. */
const BATCH = 200;

/**
 * Brings cases in line with exceptions: one without a case opens one, one whose content is another
 * than its case was decided on opens it again, and a case whose exception is gone closes. Any number
 * of companions may do it at once.
 * @param options.complete whether all data is there; while it is not, nothing is closed: what is
 *   not seen may only not be read yet
 */
export async function followExceptions(
  ctx: CaseContext,
  options: { complete: boolean },
): Promise<CasePass> {
  const pass: CasePass = { opened: 0, changed: 0, reopened: 0, closed: 0 };
  let after: ExceptionPlace | undefined;
  while (!ctx.signal?.aborted) {
    const from = after;
    // Read by each try: an exception may have gone meanwhile, and another companion closed its case.
    let page: ExceptionRow[] = [];
    await changeCases(ctx, async (store) => {
      page = await store.exceptions(ctx.environment, from, BATCH);
      const cases = await store.casesOfExceptions(ctx.environment, page);
      const known = new Map(cases.map((row) => [placeOf(row), row]));
      const now = ctx.clock.now();
      return page.flatMap((exception) =>
        follow(exception, known.get(placeOf(exception)), { ...options, now }),
      );
    }).then((changes) => count(pass, changes));
    after = page.at(-1);
    if (after === undefined) break;
  }
  if (options.complete) await closeGone(ctx, pass);
  if (pass.opened + pass.changed + pass.reopened + pass.closed > 0) {
    ctx.logger.log('info', 'cases-followed', {
      count: pass.opened + pass.changed + pass.reopened + pass.closed,
    });
  }
  return pass;
}

async function closeGone(ctx: CaseContext, pass: CasePass): Promise<void> {
  let after = '';
  while (!ctx.signal?.aborted) {
    const gone = await ctx.store.casesWithoutException(ctx.environment, after, BATCH);
    const last = gone.at(-1);
    if (last === undefined) return;
    const from = after;
    await changeCases(ctx, async (store) => {
      const now = ctx.clock.now();
      const still = await store.casesWithoutException(ctx.environment, from, BATCH);
      return still
        .filter(({ id }) => id <= last.id)
        .map((row) => ({
          row: { ...row, state: 'closed' as const, updatedAt: now },
          event: event(row.id, 'closed', { was: row.state, why: 'the exception is gone' }),
        }));
    }).then((changes) => count(pass, changes));
    after = last.id;
  }
}

/** A case as it is to be, and the event that says so. */
export interface CaseChange {
  row: CaseRow;
  event: NewCaseEvent;
  /** A message to finance that goes with it. */
  message?: { id: string; caseId: string; body: string };
}

/**
 * Writes changes of cases with their events. When somebody else changed a case meanwhile, `decide`
 * is asked again, and nobody changes one until that is written: however many do it at once, each is
 * asked twice at most.
 * @param decide reads the cases it decides on from the store it is given
 */
export async function changeCases(
  ctx: CaseContext,
  decide: (store: CaseStore) => Promise<CaseChange[]>,
): Promise<CaseChange[]> {
  const changes = await tryToChange(ctx, decide);
  if (changes) return changes;
  return ctx.store.withCasesHeld(ctx.environment, async (store) => {
    const held = await tryToChange({ ...ctx, store }, decide);
    if (held === undefined) throw new TypeError('Cases were changed while they were held.');
    return held;
  });
}

/** Undefined, and nothing written: somebody else was faster. */
async function tryToChange(
  { environment, store, clock }: CaseContext,
  decide: (store: CaseStore) => Promise<CaseChange[]>,
): Promise<CaseChange[] | undefined> {
  const seen = await store.caseChain(environment);
  const changes = await decide(store);
  if (changes.length === 0) return changes;
  const now = clock.now();
  // Hashed before the transaction, which then only writes.
  const { events, head } = await chainEvents(
    environment,
    seen,
    changes.map((change) => change.event),
    now,
  );
  const cases = changes.map(({ row }) => row);
  const messages = changes.flatMap(({ message }) => message ?? []);
  const written = await store.writeCases({
    environment,
    seen,
    head,
    events,
    cases,
    messages,
    now,
  });
  return written ? changes : undefined;
}

function follow(
  exception: ExceptionRow,
  known: CaseRow | undefined,
  { complete, now }: { complete: boolean; now: number },
): CaseChange[] {
  const { orderKey, currency, code, amount, count, contentHash } = exception;
  const detail = { amount, count, contentHash };
  if (known === undefined) {
    const id = newCaseId(now);
    const row: CaseRow = {
      ...exception,
      id,
      state: 'open',
      assignee: undefined,
      reason: undefined,
      openedAt: now,
      updatedAt: now,
      alertedAt: undefined,
    };
    return [{ row, event: event(id, 'opened', { orderKey, currency, code, ...detail }) }];
  }
  const changed = known.contentHash !== contentHash;
  // While data is missing, less of the same content is known to be late.
  const isToldAnew = complete && (known.amount !== amount || known.count !== count);
  if (!changed && known.state !== 'closed' && !(isToldAnew && known.state === 'open')) return [];
  const row = { ...known, ...exception, updatedAt: now };
  if (known.state === 'open') {
    return [{ row, event: event(known.id, 'changed', { ...detail, amountBefore: known.amount }) }];
  }
  // Whoever decided on it decided on something else; and whoever was told thinks that it has ended.
  const why = changed ? 'its content has changed' : 'the exception is back';
  return [
    {
      row: { ...row, state: 'open', reason: undefined, alertedAt: undefined },
      event: event(known.id, 'reopened', { ...detail, was: known.state, why }),
    },
  ];
}

function event(
  caseId: string,
  kind: NewCaseEvent['kind'],
  detail: NewCaseEvent['detail'],
): NewCaseEvent {
  return { caseId, kind, actor: COMPANION, detail };
}

const counted = {
  opened: 'opened',
  changed: 'changed',
  reopened: 'reopened',
  closed: 'closed',
} as const;

function count(pass: CasePass, changes: readonly CaseChange[]): void {
  for (const { event } of changes) {
    if (event.kind in counted) pass[event.kind as keyof CasePass] += 1;
  }
}

function placeOf({ orderKey, currency, code }: ExceptionPlace): string {
  return JSON.stringify([orderKey, currency, code]);
}

/** Begins with the time: in the order of their ids cases are in the order they were opened in. */
function newCaseId(now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `case_${now.toString(36).padStart(9, '0')}${random}`;
}
