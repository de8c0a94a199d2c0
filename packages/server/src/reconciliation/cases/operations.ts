import type { CaseState } from '@financing-checkout/contract';
import { ProblemError } from '../../problem/problem.ts';
import { changeCases, type CaseContext } from './follow.ts';
import type { CaseRow } from './rows.ts';
import type { NewCaseEvent } from './trail.ts';

/** What a person does to a case. */
export type CaseOperation =
  | { kind: 'assigned'; assignee: string | null }
  | { kind: 'noted'; note: string }
  | { kind: 'resolved' | 'ignored' | 'reopened'; reason: string };

export interface CaseRequest {
  caseId: string;
  operation: CaseOperation;
  /** Who does it: see `actorOf` of the back office. */
  by: string;
  /** Idempotency-Key: done again with the same one, it is done once. */
  key: string;
}

/**
 * Does something to a case. An ignored or resolved case stays so while its content is what was
 * decided on; see `followExceptions`.
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `idempotency-key-reused`
 */
export async function operateOnCase(ctx: CaseContext, request: CaseRequest): Promise<CaseRow> {
  const { caseId, operation, by, key } = request;
  const { kind, ...detail } = operation;
  const event: NewCaseEvent = { caseId, kind, actor: by, detail, key };
  let result: CaseRow | undefined;
  await changeCases(ctx, async (store) => {
    const row = await store.findCase(ctx.environment, caseId);
    if (row === undefined) throw new ProblemError('case-not-found');
    result = row;
    if (await isRepeated({ ...ctx, store }, event)) return [];
    result = operated(row, operation, ctx.clock.now());
    return [{ row: result, event }];
  });
  if (result === undefined) throw new TypeError('A case was neither found nor missed.');
  return result;
}

async function isRepeated(ctx: CaseContext, event: NewCaseEvent): Promise<boolean> {
  const earlier = await ctx.store.caseEventOfKey(ctx.environment, event.key ?? '');
  if (earlier === undefined) return false;
  const same =
    earlier.caseId === event.caseId &&
    earlier.kind === event.kind &&
    earlier.actor === event.actor &&
    earlier.detail === JSON.stringify(event.detail);
  if (!same) throw new ProblemError('idempotency-key-reused');
  return true;
}

const permitted: Record<'resolved' | 'ignored' | 'reopened', readonly CaseState[]> = {
  resolved: ['open', 'ignored'],
  ignored: ['open', 'resolved'],
  reopened: ['resolved', 'ignored'],
};

function operated(row: CaseRow, operation: CaseOperation, now: number): CaseRow {
  switch (operation.kind) {
    case 'assigned':
      return { ...row, assignee: operation.assignee ?? undefined, updatedAt: now };
    case 'noted':
      return { ...row, updatedAt: now };
    case 'resolved':
    case 'ignored':
    case 'reopened': {
      const { kind, reason } = operation;
      if (!permitted[kind].includes(row.state)) {
        throw new ProblemError('case-not-permitted', {
          detail: `The case is ${row.state}; only one that is ${permitted[kind].join(' or ')} can be ${kind}.`,
        });
      }
      return kind === 'reopened'
        ? { ...row, state: 'open', reason: undefined, updatedAt: now }
        : { ...row, state: kind, reason, updatedAt: now };
    }
  }
}
