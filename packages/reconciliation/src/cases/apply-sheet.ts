import { ProblemError } from '../platform/problem.ts';
import type { CaseChange } from './case-change.ts';
import { type CaseContext, changeCases } from './change-cases.ts';
import { applyOperation } from './operations.ts';
import { eventsByCase } from './replayed-case.ts';
import {
  batchesOf,
  changedSince,
  type PlannedRow,
  type RefusedRow,
  type SheetAction,
  type SheetPlan,
} from './sheet.ts';

/** Rows per transaction: few enough that a person's change does not have to wait. */
const BATCH = 100;

/**
 * Performs the operations of a plan that have not taken effect, all operations of a row together. A row
 * whose case changed after the plan was made is skipped and refused.
 * @param by name of the access token, followed by the person if the request names one
 * @returns the updated plan
 * @throws {LeaseLostError}, {ProblemError} `standby` if the process ends; the changes made so far
 * stay, and uploading the same sheet again applies the rest
 */
export async function applySheet(
  ctx: CaseContext,
  plan: SheetPlan,
  by: string,
): Promise<SheetPlan> {
  const refused: RefusedRow[] = [];
  const pending = plan.planned.filter((row) => wantedOf(row).length > 0);
  for (const batch of batchesOf(pending, BATCH)) {
    if (ctx.signal?.aborted === true) {
      throw new ProblemError('standby', {
        detail: 'The process ends. Repeat the request: it applies the rest of the sheet.',
        retryAfterSeconds: 5,
        retrySafe: true,
      });
    }
    await changeCases(ctx, async (cases) => {
      const changes: CaseChange[] = [];
      for (const row of batch) {
        const fact = await cases.findCase(row.fact.id);
        const wanted = wantedOf(row);
        if (fact?.number === row.fact.number) {
          changes.push(...changesOf(row, wanted, by, ctx.clock.now()));
          continue;
        }
        // Another request may have applied the same sheet.
        const keys = await Promise.all(wanted.map(({ key }) => cases.caseEventOfKey(key)));
        if (keys.every((event) => event !== undefined)) continue;
        const event = (await eventsByCase(cases, [row.fact.id])).get(row.fact.id)?.at(-1);
        refused.push({ line: row.line, fact, refusal: changedSince, event });
      }
      return changes;
    });
  }
  const left = new Set(refused.map(({ line }) => line));
  const planned = plan.planned.filter(({ line }) => !left.has(line)).map(done);
  return { ...plan, planned, refused: [...plan.refused, ...refused] };
}

/** Returns the error for a sheet with other differences than those the person reviewed. */
export function sheetChanged(): ProblemError {
  return new ProblemError('case-sheet-changed', {
    detail:
      'The sheet or its cases changed after the comparison, and nothing was applied: upload the sheet again to see its differences.',
  });
}

/** Returns the actions of a row that have not taken effect. */
function wantedOf({ edits }: PlannedRow): SheetAction[] {
  return edits.flatMap(({ actions }) => actions.filter(({ isDone }) => !isDone));
}

function changesOf(
  { fact }: PlannedRow,
  wanted: readonly SheetAction[],
  by: string,
  now: number,
): CaseChange[] {
  const { number, ...before } = fact;
  // The number changes with the facts that the operations write.
  void number;
  let row = before;
  return wanted.map(({ key, operation }) => {
    const { kind, ...detail } = operation;
    row = applyOperation(row, operation, now);
    return { row, event: { caseId: row.id, kind, actor: by, detail, key } };
  });
}

function done(row: PlannedRow): PlannedRow {
  const edits = row.edits.map(({ actions, ...edit }) => ({
    ...edit,
    actions: actions.map((action) => ({ ...action, isDone: true })),
  }));
  return { ...row, edits };
}
