import { applyEvents, type CaseEvent, decide } from '@financing-checkout/reconciliation-rules';
import { batchesOf } from '../facts/trail.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CaseContext, withRelated } from './change-cases.ts';
import { refusedAs } from './operations.ts';
import {
  changedSince,
  type PlannedRow,
  type RefusedRow,
  type SheetAction,
  type SheetPlan,
} from './sheet.ts';

/** Rows per transaction: so few that a person's change does not have to wait. */
const BATCH = 100;

/**
 * Performs the operations of a plan that have not taken effect yet, all operations of a row
 * together. Skips and refuses a row whose case changed after the plan was made.
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
    await ctx.facts.changeCases(ctx.fence, async (cases) => {
      const ids = batch.map(({ fact }) => fact.id);
      const found = await cases.findCases({ ids, limit: ids.length });
      const numbers = new Map(found.map(({ id, number }) => [id, number]));
      const known = await withRelated(cases, found);
      const after = new Map(known);
      const events: CaseEvent[] = [];
      for (const row of batch) {
        const { fact } = row;
        const wanted = wantedOf(row);
        if (numbers.get(fact.id) === fact.number) {
          for (const { key, operation } of wanted) {
            const request = { caseId: fact.id, operation, by, key };
            const decided = decide(after, request, ctx.clock.now());
            if ('problem' in decided) throw refusedAs(decided.problem);
            applyEvents(after, decided.events);
            events.push(...decided.events);
          }
          continue;
        }
        // Another request may have applied the same sheet.
        const keys = await Promise.all(wanted.map(({ key }) => cases.eventOfKey(key)));
        if (keys.every((event) => event !== undefined)) continue;
        const event = (await cases.caseEvents([fact.id])).at(-1);
        refused.push({ line: row.line, fact, refusal: changedSince, event });
      }
      await cases.record(events, known);
    });
  }
  const left = new Set(refused.map(({ line }) => line));
  const planned = plan.planned.filter(({ line }) => !left.has(line)).map(done);
  return { ...plan, planned, refused: [...plan.refused, ...refused] };
}

/** Returns the error for a sheet whose differences are not those that the person reviewed. */
export function sheetChanged(): ProblemError {
  return new ProblemError('case-sheet-changed', {
    detail:
      'The sheet or its cases changed after the comparison, and nothing was applied: upload the sheet again to see its differences.',
  });
}

/** Returns the actions of a row that have not taken effect yet. */
function wantedOf({ edits }: PlannedRow): SheetAction[] {
  return edits.flatMap(({ actions }) => actions.filter(({ isDone }) => !isDone));
}

function done(row: PlannedRow): PlannedRow {
  const edits = row.edits.map(({ actions, ...edit }) => ({
    ...edit,
    actions: actions.map((action) => ({ ...action, isDone: true })),
  }));
  return { ...row, edits };
}
