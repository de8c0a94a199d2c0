import type { CaseState } from '@financing-checkout/contract';
import type { CaseReader, CaseRow } from '../facts/case-facts.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseContext, changeCases } from './change-cases.ts';
import type { NewCaseEvent } from './trail.ts';

/** An action by a person on a case. */
export type CaseOperation =
  | { kind: 'assigned'; assignee: string | null }
  | { kind: 'noted'; note: string }
  /**
   * The lines of the case's order belong to another order: a fact of the ledger, with an import of
   * its own.
   */
  | { kind: 'corrected'; order: string }
  | { kind: 'resolved' | 'ignored' | 'reopened'; reason: string };

export interface CaseRequest {
  caseId: string;
  operation: CaseOperation;
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  /** Idempotency-Key: repeated requests with the same key take effect once. */
  key: string;
}

/**
 * Performs an action on a case. An ignored or resolved case keeps its state until its content
 * changes; see `followExceptions`.
 * @throws {ProblemError} `case-not-found`, `case-not-permitted`, `idempotency-key-reused`
 * @throws {LeaseLostError}
 */
export async function operateOnCase(
  ctx: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  request: CaseRequest,
): Promise<CaseRow> {
  const { caseId, operation, by, key } = request;
  const { kind, ...detail } = operation;
  const event: NewCaseEvent = { caseId, kind, actor: by, detail, key };
  let result: CaseRow | undefined;
  await changeCases(ctx, async (cases) => {
    const found = await cases.findCase(caseId);
    if (found === undefined) throw new ProblemError('case-not-found');
    // The number changes with the fact that the action writes.
    const { number, ...row } = found;
    void number;
    result = row;
    if (await isRepeated(cases, event)) return [];
    result = applyOperation(row, operation, ctx.clock.now());
    return [{ row: result, event }];
  });
  if (result === undefined) throw new TypeError('A case action returned no result.');
  return result;
}

async function isRepeated(cases: CaseReader, event: NewCaseEvent): Promise<boolean> {
  const earlier = await cases.caseEventOfKey(event.key ?? '');
  if (earlier === undefined) return false;
  const same =
    earlier.caseId === event.caseId &&
    earlier.kind === event.kind &&
    earlier.actor === event.actor &&
    earlier.detail === JSON.stringify(event.detail);
  if (!same) throw new ProblemError('idempotency-key-reused');
  return true;
}

export const permitted: Record<'resolved' | 'ignored' | 'reopened', readonly CaseState[]> = {
  resolved: ['open', 'ignored'],
  ignored: ['open', 'resolved'],
  reopened: ['resolved', 'ignored'],
};

/** @throws {ProblemError} `case-not-permitted` */
export function applyOperation(row: CaseRow, operation: CaseOperation, now: number): CaseRow {
  switch (operation.kind) {
    case 'assigned':
      return { ...row, assignee: operation.assignee ?? undefined, updatedAt: now };
    case 'noted':
    case 'corrected':
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
