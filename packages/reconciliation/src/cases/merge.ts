import type { CaseReader, CaseRow } from '../facts/case-facts.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseChange, RECONCILIATION } from './case-change.ts';
import type { NewCaseEvent } from './trail.ts';

/**
 * A merged case is handled together with another case, its main case. It keeps its state, and leaves the
 * open queue. Decisions on the main case, and its reopening, apply to both. The merge ends when a person
 * splits the case, or when the case is open and its main case is not.
 */

/** Why a merge, a split or an action on a merged case is refused. */
type MergeRefusal =
  | 'merged'
  | 'not-merged'
  | 'has-merged'
  | 'into-itself'
  | 'main-merged'
  | 'main-not-open'
  | 'other-currency';

/** Returns the error for an action on a merged case. */
export function mergedProblem(
  { mergedInto = '', state }: Pick<CaseRow, 'mergedInto' | 'state'>,
  action: string,
): ProblemError {
  return new ProblemError('case-not-permitted', {
    detail: `The case is handled with ${mergedInto}: use that case, or split this one from it first.`,
    parameters: { state, action, cause: 'merged', use: mergedInto },
  });
}

/** Returns the error for a split of a case that is not merged. */
export function notMergedProblem({ state }: Pick<CaseRow, 'state'>): ProblemError {
  return refused(state, 'split', 'not-merged', 'The case is not handled with another one.');
}

function refused(
  state: string,
  action: string,
  cause: MergeRefusal,
  detail: string,
  use?: string,
): ProblemError {
  const parameters = { state, action, cause };
  return new ProblemError('case-not-permitted', {
    detail,
    parameters: use === undefined ? parameters : { ...parameters, use },
  });
}

/**
 * Returns the main case for a merge.
 * @throws {ProblemError} `case-not-permitted`, `invalid-request` for an unknown case
 */
async function mainOf(cases: CaseReader, row: CaseRow, into: string): Promise<CaseRow> {
  const refuse = (cause: MergeRefusal, detail: string, use?: string) =>
    refused(row.state, 'merged', cause, detail, use);
  if (into === row.id) throw refuse('into-itself', 'A case cannot be merged into itself.');
  const main = await cases.findCase(into);
  if (main === undefined) {
    const errors = [{ path: 'into', message: 'must be the id of a case' }];
    throw new ProblemError('invalid-request', { errors });
  }
  const own = await cases.casesMergedInto([row.id]);
  if (own.some(({ state }) => state !== 'closed')) {
    throw refuse(
      'has-merged',
      'Other cases are handled with this one: merge the other case into this one, or split them first.',
    );
  }
  const { currency, mergedInto, state } = main;
  if (mergedInto !== undefined) {
    throw refuse(
      'main-merged',
      `${into} is handled with ${mergedInto}: merge into that case.`,
      mergedInto,
    );
  }
  if (state !== 'open') {
    throw refuse('main-not-open', `${into} is ${state}: choose an open case.`);
  }
  if (currency !== row.currency) {
    throw refuse(
      'other-currency',
      `${into} has another currency: choose a case of the same one, so that they have one total.`,
    );
  }
  return main;
}

interface Merge {
  /** The case that is merged or split, before the change. */
  row: CaseRow;
  /** Undefined for a split. */
  into: string | undefined;
  actor: string;
  now: number;
}

/**
 * Returns the entry of a merge or a split in the trail of the main case, which changes its revision:
 * a decision based on the previous revision is refused.
 * @throws {ProblemError} `case-not-permitted`, `invalid-request`
 */
export async function changesOfMain(
  cases: CaseReader,
  { row, into, actor, now }: Merge,
): Promise<CaseChange[]> {
  const main =
    into === undefined
      ? await cases.findCase(row.mergedInto ?? '')
      : await mainOf(cases, row, into);
  if (main === undefined) return [];
  const kind = into === undefined ? 'lost' : 'gained';
  const event = { caseId: main.id, kind, actor, detail: { case: row.id } } as const;
  return [{ row: { ...main, updatedAt: now }, event }];
}

/** Returns the changes of merged cases that result from changes of their main cases. */
export async function changesOfMerged(
  cases: CaseReader,
  changes: readonly CaseChange[],
  now: number,
): Promise<CaseChange[]> {
  const causes = changes.filter(({ event }) => follows.has(event.kind));
  const rows = new Map(changes.map(({ row }) => [row.id, row]));
  const found = await cases.casesMergedInto([...new Set(causes.map(({ row }) => row.id))]);
  const followed: CaseChange[] = [];
  for (const { event, row: main } of causes) {
    for (const { id, mergedInto, ...rest } of found) {
      const row = rows.get(id) ?? { id, mergedInto, ...rest };
      const change = row.mergedInto === main.id ? followMain(row, main.id, event, now) : undefined;
      if (change === undefined) continue;
      rows.set(id, change.row);
      followed.push(change);
    }
  }
  return followed;
}

const follows = new Set<string>(['resolved', 'ignored', 'reopened', 'closed']);

function followMain(
  row: CaseRow,
  mainId: string,
  { actor, detail, kind }: NewCaseEvent,
  now: number,
): CaseChange | undefined {
  const reason = typeof detail.reason === 'string' ? detail.reason : undefined;
  if ((kind === 'resolved' || kind === 'ignored') && row.state === 'open') {
    return {
      row: { ...row, state: kind, reason, updatedAt: now },
      event: { caseId: row.id, kind, actor, detail: { ...detail, with: mainId } },
    };
  }
  if (kind === 'reopened' && (row.state === 'resolved' || row.state === 'ignored')) {
    const why = { was: row.state, why: 'its main case is open again', with: mainId };
    return {
      row: { ...row, state: 'open', reason: undefined, updatedAt: now },
      event: {
        caseId: row.id,
        kind,
        actor,
        detail: reason === undefined ? why : { reason, with: mainId },
      },
    };
  }
  return kind === 'closed' && row.state === 'open' ? splitFromMain(row, now) : undefined;
}

/** Returns the change that splits an open case from a main case that is not open. */
export function splitFromMain(row: CaseRow, now: number): CaseChange {
  const detail = { from: row.mergedInto ?? '', why: 'its main case is not open' };
  return {
    row: { ...row, mergedInto: undefined, updatedAt: now },
    event: { caseId: row.id, kind: 'split', actor: RECONCILIATION, detail },
  };
}
