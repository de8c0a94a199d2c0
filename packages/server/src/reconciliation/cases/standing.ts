import { z } from 'zod';
import { turn } from '../answers/orders.ts';
import type { CaseStore } from './store.ts';

const EVENTS = 500;
const CASES = 100;

/**
 * The first case that stands otherwise than its events say, or is not there: somebody changed it
 * behind the companion's back. What was done after event `end` is left out.
 * @param opened how many cases were opened until there
 */
export async function alteredCase(
  store: Pick<CaseStore, 'caseEvents' | 'findCase' | 'findCases'>,
  environment: string,
  { end, opened }: { end: number; opened: number },
): Promise<{ id: string; seq: number; reason: string } | undefined> {
  let after = '';
  let found = 0;
  for (;;) {
    const cases = await store.findCases({ environment, after, limit: CASES });
    const last = cases.at(-1);
    if (last === undefined) {
      return found < opened ? goneCase(store, environment, end) : undefined;
    }
    const standing = await standingOf(
      store,
      environment,
      cases.map(({ id }) => id),
    );
    for (const row of cases) {
      const { id } = row;
      const told = standing.get(id);
      if (told !== undefined && told.openedAt <= end) found += 1;
      // What was done while this was read is behind the end of what was verified.
      if (told !== undefined && told.seq > end) continue;
      if (told === undefined || compared.some((name) => told[name] !== row[name])) {
        return { id, seq: told?.seq ?? 0, reason: 'is not how the case stands' };
      }
    }
    after = last.id;
    await turn();
  }
}

/** The first case of the trail that nobody finds any more. Cases are never taken away. */
async function goneCase(
  store: Pick<CaseStore, 'caseEvents' | 'findCase'>,
  environment: string,
  end: number,
): Promise<{ id: string; seq: number; reason: string } | undefined> {
  for (let after = 0; after < end;) {
    const page = await store.caseEvents({ environment, after, limit: EVENTS });
    if (page.length === 0) return undefined;
    for (const { caseId: id, kind, seq } of page) {
      after = seq;
      if (kind !== OPENED || (await store.findCase(environment, id)) !== undefined) continue;
      return { id, seq, reason: 'opened a case that is gone' };
    }
    await turn();
  }
  return undefined;
}

/** What a case has and its events tell of. */
const compared = [
  ...(['orderKey', 'currency', 'code', 'state', 'amount', 'count', 'contentHash'] as const),
  ...(['assignee', 'reason'] as const),
] as const;

interface Standing {
  /** Of its last event. */
  seq: number;
  /** Seq of the event that opened it. */
  openedAt: number;
  orderKey: string | undefined;
  currency: string | undefined;
  code: string | undefined;
  state: string | undefined;
  contentHash: string | undefined;
  assignee: string | undefined;
  amount: number | undefined;
  count: number | undefined;
  /** Why it was resolved or ignored; gone once it is open again. */
  reason: string | undefined;
}

/** The kind of the first event of each case. */
export const OPENED = 'opened';

const states = new Map([
  [OPENED, 'open'],
  ['reopened', 'open'],
  ['resolved', 'resolved'],
  ['ignored', 'ignored'],
  ['closed', 'closed'],
]);
const decided = z.object({
  orderKey: z.string().optional(),
  currency: z.string().optional(),
  code: z.string().optional(),
  contentHash: z.string().optional(),
  assignee: z.string().nullable().optional(),
  amount: z.number().optional(),
  count: z.number().optional(),
  reason: z.string().optional(),
});

/** How some cases stand by the trail alone. */
async function standingOf(
  store: Pick<CaseStore, 'caseEvents'>,
  environment: string,
  caseIds: readonly string[],
): Promise<Map<string, Standing>> {
  const found = new Map<string, Standing>();
  for (let after = 0; ;) {
    const page = await store.caseEvents({ environment, caseIds, after, limit: EVENTS });
    for (const { caseId, kind, detail, seq } of page) {
      const before = found.get(caseId);
      const { assignee, reason, ...told } = decided.parse(JSON.parse(detail));
      const state = states.get(kind) ?? before?.state;
      found.set(caseId, {
        seq,
        openedAt: before?.openedAt ?? seq,
        state,
        orderKey: told.orderKey ?? before?.orderKey,
        currency: told.currency ?? before?.currency,
        code: told.code ?? before?.code,
        amount: told.amount ?? before?.amount,
        count: told.count ?? before?.count,
        reason: state === 'open' ? undefined : (reason ?? before?.reason),
        contentHash: told.contentHash ?? before?.contentHash,
        assignee: kind === 'assigned' ? (assignee ?? undefined) : before?.assignee,
      });
      after = seq;
    }
    if (page.length < EVENTS) return found;
  }
}
