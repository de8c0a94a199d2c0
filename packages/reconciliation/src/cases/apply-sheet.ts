import type { CaseWriter, OrderCorrection } from '../facts/case-facts.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CaseChange } from './case-change.ts';
import { type CaseContext, changeCases, writeChanges } from './change-cases.ts';
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
 * Moves imported lines to their corrected orders, all or none.
 * @returns undefined: the ledger has changed and refuses a correction
 */
export type CorrectOrders = (
  corrections: readonly OrderCorrection[],
  written: {
    actor: string;
    digest: string;
    changeCases: (cases: CaseWriter) => Promise<void>;
  },
) => Promise<number | undefined>;

export interface SheetApplication {
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  correctOrders: CorrectOrders;
}

/**
 * Performs the operations of a plan that have not taken effect, with those of a row together. Rows
 * with a corrected order come first, in one transaction with their lines. Any other row whose case
 * changed after the plan was made is skipped and refused.
 * @returns the updated plan
 * @throws {LeaseLostError}, {ProblemError} `standby` if the process ends; the changes made so far
 * stay, and uploading the same sheet again applies the rest
 * @throws {ProblemError} `case-sheet-changed` if a correction was not applied; nothing is done then
 */
export async function applySheet(
  ctx: CaseContext,
  plan: SheetPlan,
  { by, correctOrders }: SheetApplication,
): Promise<SheetPlan> {
  const refused: RefusedRow[] = [];
  const pending = plan.planned.filter((row) => wantedOf(row).length > 0);
  const corrected = pending.filter(isCorrected);
  if (corrected.length > 0) await applyCorrections(ctx, corrected, { by, correctOrders });
  const others = pending.filter((row) => !isCorrected(row));
  for (const batch of batchesOf(others, BATCH)) {
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

const isCorrected = ({ edits }: PlannedRow) => edits.some(({ move }) => move !== undefined);

async function applyCorrections(
  ctx: CaseContext,
  rows: readonly PlannedRow[],
  { by, correctOrders }: SheetApplication,
): Promise<void> {
  const corrections = rows.flatMap(({ edits }) =>
    edits.flatMap(({ move }) => move?.correction ?? []),
  );
  const now = ctx.clock.now();
  const count = await correctOrders(corrections, {
    actor: by,
    digest: sha256(canonicalJson(rows.flatMap((row) => wantedOf(row).map(({ key }) => key)))),
    async changeCases(cases) {
      const changes: CaseChange[] = [];
      for (const row of rows) {
        const fact = await cases.findCase(row.fact.id);
        if (fact?.number !== row.fact.number) throw sheetChanged();
        changes.push(...changesOf(row, wantedOf(row), by, now));
      }
      await writeChanges(cases, changes, now);
    },
  });
  if (count === undefined) throw sheetChanged();
}

/** Returns the error for a sheet that differs from what the person has reviewed. */
export function sheetChanged(): ProblemError {
  return new ProblemError('case-sheet-changed', {
    detail:
      'The sheet, its cases or their lines changed after the comparison, and nothing was applied: upload the sheet again to see its differences.',
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
