import { ProblemError } from '../platform/problem.ts';
import { type CaseChange, type CaseContext, changeCases } from './change-cases.ts';
import { applyOperation } from './operations.ts';
import { eventsByCase } from './replayed-case.ts';
import {
  batchesOf,
  changedSince,
  type PlannedRow,
  type RefusedRow,
  type SheetPlan,
} from './sheet.ts';

/** Rows per transaction: short enough that a person's change does not wait. */
const BATCH = 100;

/**
 * Performs the operations of a plan that have not taken effect, those of a row together. A row whose
 * case was changed since the plan was made is left out and refused.
 * @param by name of the access token, followed by the person if the request names one
 * @returns the plan as it stands afterwards
 * @throws {LeaseLostError}, {ProblemError} `standby` if the process ends; what is done so far stays,
 * and the same sheet applies the rest
 */
export async function applySheet(
  ctx: CaseContext,
  plan: SheetPlan,
  by: string,
): Promise<SheetPlan> {
  const refused: RefusedRow[] = [];
  const isPending = ({ edits }: PlannedRow) =>
    edits.some(({ actions }) => actions.some(({ isDone }) => !isDone));
  const pending = plan.planned.filter(isPending);
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
        const wanted = row.edits.flatMap(({ actions }) => actions.filter(({ isDone }) => !isDone));
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

function changesOf(
  { fact }: PlannedRow,
  wanted: readonly PlannedRow['edits'][number]['actions'][number][],
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
