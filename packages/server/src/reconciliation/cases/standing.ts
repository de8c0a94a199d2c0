import { z } from 'zod';
import { turn } from '../answers/orders.ts';
import type { CaseStore } from './store.ts';

const EVENTS = 500;
const CASES = 100;

/**
 * The first case that stands otherwise than its last events say: somebody changed it behind the
 * companion's back. Only cases that were not changed after event `end` are looked at.
 */
export async function alteredCase(
  store: Pick<CaseStore, 'caseEvents' | 'findCases'>,
  environment: string,
  end: number,
): Promise<{ id: string; seq: number } | undefined> {
  let after = '';
  for (;;) {
    const cases = await store.findCases({ environment, after, limit: CASES });
    const last = cases.at(-1);
    if (last === undefined) return undefined;
    const standing = await standingOf(
      store,
      environment,
      cases.map(({ id }) => id),
    );
    for (const { id, state, contentHash, assignee, amount, reason } of cases) {
      const told = standing.get(id);
      // What was done while this was read is behind the end of what was verified.
      if (told !== undefined && told.seq > end) continue;
      const same =
        told?.state === state &&
        told.contentHash === contentHash &&
        told.assignee === assignee &&
        told.amount === amount &&
        told.reason === reason;
      if (!same) return { id, seq: told?.seq ?? 0 };
    }
    after = last.id;
    await turn();
  }
}

interface Standing {
  seq: number;
  state: string | undefined;
  contentHash: string | undefined;
  assignee: string | undefined;
  amount: number | undefined;
  /** Why it was resolved or ignored; gone once it is open again. */
  reason: string | undefined;
}

const states = new Map([
  ['opened', 'open'],
  ['reopened', 'open'],
  ['resolved', 'resolved'],
  ['ignored', 'ignored'],
  ['closed', 'closed'],
]);
const decided = z.object({
  contentHash: z.string().optional(),
  assignee: z.string().nullable().optional(),
  amount: z.number().optional(),
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
      const { contentHash, assignee, amount, reason } = decided.parse(JSON.parse(detail));
      const state = states.get(kind) ?? before?.state;
      found.set(caseId, {
        seq,
        state,
        amount: amount ?? before?.amount,
        reason: state === 'open' ? undefined : (reason ?? before?.reason),
        contentHash: contentHash ?? before?.contentHash,
        assignee: kind === 'assigned' ? (assignee ?? undefined) : before?.assignee,
      });
      after = seq;
    }
    if (page.length < EVENTS) return found;
  }
}
