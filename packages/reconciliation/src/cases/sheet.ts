import type { CaseAction } from '@financing-checkout/contract/reconciliation';
import { applyEvents, type Case } from '@financing-checkout/reconciliation-rules';
import {
  type CaseEventFact,
  type CaseFact,
  type CaseReader,
  toCaseEvent,
} from '../facts/case-facts.ts';
import { batchesOf } from '../facts/trail.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import {
  contradictionOf,
  editedOrderOf,
  editsOf,
  keyOfRow,
  type SheetBase,
  type SheetEdit,
  SheetRefusal,
  type SheetRow,
  type SheetRules,
} from './sheet-row.ts';

/** An operation of a row, with the Idempotency-Key derived from the row and the operation. */
export interface SheetAction {
  operation: CaseAction;
  key: string;
  /** Whether the operation has already taken effect. */
  isDone: boolean;
}

/** A row with edited cells. */
export interface PlannedRow {
  line: number;
  /** The current state of the case. */
  fact: CaseFact;
  edits: PlannedEdit[];
}

export interface PlannedEdit extends Omit<SheetEdit, 'operations'> {
  actions: SheetAction[];
}

/** A row that is not applied. */
export interface RefusedRow {
  line: number;
  /** Undefined: the row names no known case. */
  fact: CaseFact | undefined;
  refusal: SheetRefusal;
  /** The event that made the case differ from the sheet. */
  event?: CaseEventFact | undefined;
}

/** The changes that a sheet requests. */
export interface SheetPlan {
  digest: string;
  rows: number;
  planned: PlannedRow[];
  refused: RefusedRow[];
}

/**
 * Compares an edited case export with the cases, and writes nothing. Each row is compared with its
 * case at the exported revision: a row without edited cells requests nothing, and an edited row is
 * refused if others have changed the case since. Keys identify operations from an earlier upload of
 * the same sheet.
 */
export async function planSheet(
  cases: CaseReader,
  rows: readonly SheetRow[],
  rules: SheetRules,
): Promise<SheetPlan> {
  const ids = [...new Set(rows.map((row) => keyOfRow(row).caseId))];
  const facts = await factsOf(cases, ids);
  const changed = rows.flatMap((row) => {
    const { caseId, revision } = keyOfRow(row);
    const fact = facts.get(caseId);
    return fact === undefined || fact.number === revision ? [] : [caseId];
  });
  const events = new Map<string, CaseEventFact[]>();
  for (const batch of batchesOf([...new Set(changed)])) {
    const found = await cases.caseEvents(batch);
    for (const [id, own] of Map.groupBy(found, ({ subject }) => subject)) events.set(id, own);
  }
  const linesOf = Map.groupBy(rows, (row) => keyOfRow(row).caseId);
  const planned: PlannedRow[] = [];
  const refused: RefusedRow[] = [];
  for (const row of rows) {
    const { caseId } = keyOfRow(row);
    const fact = facts.get(caseId);
    const others = (linesOf.get(caseId) ?? []).filter(({ line }) => line !== row.line);
    const found = planRow(row, { fact, events: events.get(caseId) ?? [], others, rules });
    if (found === undefined) continue;
    if ('refusal' in found) refused.push(found);
    else planned.push(found);
  }
  return { digest: digestOf(planned, refused), rows: rows.length, planned, refused };
}

interface RowContext {
  fact: CaseFact | undefined;
  /** Events of the case, if its revision differs from the row's. */
  events: readonly CaseEventFact[];
  /** Other rows of the same case. */
  others: readonly SheetRow[];
  rules: SheetRules;
}

function planRow(
  row: SheetRow,
  { fact, events, others, rules }: RowContext,
): PlannedRow | RefusedRow | undefined {
  const { line } = row;
  const refuse = (refusal: SheetRefusal, event?: CaseEventFact): RefusedRow => ({
    line,
    fact,
    refusal,
    event,
  });
  if (row.problem !== undefined) return refuse(new SheetRefusal('row-unreadable', row.problem));
  const { revision } = keyOfRow(row);
  if (fact === undefined) {
    return refuse(
      new SheetRefusal(
        'case-unknown',
        'names no case of this record store: restore the column case, or export the cases again',
        'case',
      ),
    );
  }
  const base = baseOf(fact, revision, events);
  if (base === undefined || revision === undefined) {
    return refuse(
      new SheetRefusal(
        'revision-unknown',
        'names no revision of its case: restore the column revision, or export the cases again',
        'revision',
      ),
    );
  }
  const edited = editedOrderOf(row, fact);
  if (edited !== undefined) return refuse(edited);
  const edits = editsOf(row, base, rules);
  if (edits instanceof SheetRefusal) return refuse(edits);
  const [edit] = edits;
  if (edit === undefined) return undefined;
  const contradiction = contradictionOf(row, fact);
  if (contradiction !== undefined) return refuse(contradiction);
  const [other] = others;
  if (other !== undefined) {
    return refuse(
      new SheetRefusal('case-repeated', `names the case of line ${other.line}: keep one row of it`),
    );
  }
  const since = events.filter(({ number }) => number > revision);
  const keys = new Set(since.flatMap(({ key }) => key ?? []));
  const actions = edits.map(({ operations, ...rest }) => ({
    ...rest,
    actions: operations.map((operation): SheetAction => {
      const key = keyOf(fact.id, revision, operation);
      return { operation, key, isDone: keys.has(key) };
    }),
  }));
  const all = actions.flatMap((one) => one.actions);
  const own = new Set(all.map(({ key }) => key));
  // An alert to finance changes nothing that the sheet shows.
  const foreign = since.filter(({ key, kind }) => !own.has(key ?? '') && kind !== 'alerted');
  if (foreign.length > 0 && !all.every(({ isDone }) => isDone)) {
    return refuse(changedSince, foreign.at(-1));
  }
  return { line, fact, edits: actions };
}

/** The refusal for an edited row whose case changed after the export. */
export const changedSince = new SheetRefusal(
  'case-changed',
  'has edits of a case that was changed after the export: export the cases again',
);

/** Returns the case at a row's revision; undefined if the case never had this revision. */
function baseOf(
  fact: CaseFact,
  revision: number | undefined,
  events: readonly CaseEventFact[],
): SheetBase | undefined {
  if (fact.number === revision) return fact;
  const at = events.findIndex(({ number }) => number === revision);
  const then = new Map<string, Case>();
  applyEvents(
    then,
    events.slice(0, at + 1).flatMap((event) => toCaseEvent(event) ?? []),
  );
  return then.get(fact.id);
}

/** Returns the same key for each upload of a sheet, so that an operation takes effect once. */
function keyOf(caseId: string, revision: number, operation: CaseAction): string {
  return `sheet-${sha256(canonicalJson({ caseId, revision, operation }))}`;
}

/**
 * Returns a digest that does not change while the sheet is applied, so that an interrupted request
 * can be repeated.
 */
function digestOf(planned: readonly PlannedRow[], refused: readonly RefusedRow[]): string {
  return sha256(
    canonicalJson({
      planned: planned.map(({ edits, line }) => [
        line,
        ...edits.flatMap(({ actions }) => actions.map(({ key }) => key)),
      ]),
      refused: refused.map(({ line, refusal: { refusal, column } }) => [line, refusal, column]),
    }),
  );
}

async function factsOf(cases: CaseReader, ids: readonly string[]): Promise<Map<string, CaseFact>> {
  const found = new Map<string, CaseFact>();
  for (const batch of batchesOf(ids)) {
    for (const fact of await cases.findCases({ ids: batch, limit: batch.length })) {
      found.set(fact.id, fact);
    }
  }
  return found;
}
