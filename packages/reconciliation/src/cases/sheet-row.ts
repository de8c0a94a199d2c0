import {
  type CaseAction,
  caseOperations,
  type CaseSheetField,
  type CaseSheetRefusalCode,
  type CaseState,
} from '@financing-checkout/contract/reconciliation';
import { withoutGuard } from '@financing-checkout/contract/money';
import type { Case } from '@financing-checkout/reconciliation-rules';
import type { CaseFact } from '../facts/case-facts.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';

/** A row of an edited case export. */
export interface SheetRow {
  /** Line number in the file, starting at 1. */
  line: number;
  /** Cell texts by column. */
  cells: Readonly<Record<string, string>>;
  /** Why the cells cannot be read. */
  problem?: string;
}

/** The values of a case that a sheet shows and a person can edit. */
export type SheetBase = Pick<Case, 'state' | 'assignee' | 'reason' | 'mergedInto'>;

/** An edited cell and the operations that it requests. */
export interface SheetEdit {
  field: CaseSheetField;
  before: string;
  after: string;
  operations: CaseAction[];
}

/** Why a row is not applied. The message is a phrase that follows the line number. */
export class SheetRefusal {
  readonly refusal: CaseSheetRefusalCode;
  readonly message: string;
  readonly column: string | undefined;

  constructor(refusal: CaseSheetRefusalCode, message: string, column?: string) {
    this.refusal = refusal;
    this.message = message;
    this.column = column;
  }
}

/** Columns that a sheet must have. */
export const sheetColumns = ['case', 'revision', 'state', 'assignee', 'reason', 'note'] as const;

/** The errors that a spreadsheet shows in place of text that starts like a formula. */
const formulaError = /^#(?:N\/A|NAME\?|NULL!|NUM!|REF!|VALUE!|DIV\/0!|SPILL!|CALC!)$/i;

const states: Readonly<Record<string, 'open' | 'resolved' | 'ignored'>> = {
  open: 'open',
  resolved: 'resolved',
  ignored: 'ignored',
};

/** Limits on what a sheet may change. */
export interface SheetRules {
  /** Whether cases may be assigned to a person with this name. */
  isKnown: (name: string) => boolean;
}

/**
 * Returns the edited cells of a row.
 * @param base the case as it was when the sheet was exported
 */
export function editsOf(
  { cells }: SheetRow,
  base: SheetBase,
  rules: SheetRules,
): SheetEdit[] | SheetRefusal {
  const edits: SheetEdit[] = [];
  for (const edit of [decisionOf(cells, base), assignmentOf(cells, base, rules), noteOf(cells)]) {
    if (edit instanceof SheetRefusal) return edit;
    if (edit !== undefined) edits.push(edit);
  }
  return edits;
}

type Edit = SheetEdit | SheetRefusal | undefined;
type Cells = SheetRow['cells'];

function decisionOf(cells: Cells, base: SheetBase): Edit {
  const text = cellOf(cells, 'state').toLowerCase();
  const reason = textOf(cells, 'reason', base.reason);
  if (reason instanceof SheetRefusal) return reason;
  const state: CaseState | undefined = text === base.state ? base.state : states[text];
  if (state === undefined) {
    return new SheetRefusal(
      'state-unknown',
      `has the state "${shortened(text)}": write open, resolved or ignored`,
      'state',
    );
  }
  if (state === base.state) {
    if (reason === undefined) return undefined;
    return mergedRefusal(base, 'reason') ?? reasonOnly(base, reason);
  }
  const merged = mergedRefusal(base, 'state');
  if (merged !== undefined) return merged;
  const kind = state === 'open' ? 'reopened' : state;
  if (kind === 'closed' || base.state === 'closed') {
    return new SheetRefusal(
      'state-not-permitted',
      'changes the state of a closed case: its exception is gone, so restore the state',
      'state',
    );
  }
  // The previous decision's reason does not apply to a new decision.
  if (reason === undefined || reason === '') {
    return new SheetRefusal(
      'reason-missing',
      'has a changed state and no new reason: write it in the column reason',
      'reason',
    );
  }
  const operations: CaseAction[] = [
    // A decision never replaces another one: the trail must show the reopening in between.
    ...(kind === 'reopened' || base.state === 'open'
      ? []
      : [{ kind: 'reopened', reason } as const]),
    { kind, reason },
  ];
  return { field: 'state', before: base.state, after: state, operations };
}

/** Returns why a decision on a merged case is refused. */
function mergedRefusal(
  { mergedInto, state }: SheetBase,
  column: 'state' | 'reason',
): SheetRefusal | undefined {
  if (mergedInto === undefined || state === 'closed') return undefined;
  return new SheetRefusal(
    'case-merged',
    `changes the ${column} of a case that is handled with ${mergedInto}: decide on that one, or split this one from it`,
    column,
  );
}

/** Corrects a decision's reason with a new decision, so that the trail keeps both. */
function reasonOnly(base: SheetBase, reason: string): Edit {
  const { state } = base;
  if (state === 'open') {
    return new SheetRefusal(
      'reason-without-decision',
      'has a reason and the state open: set the state to resolved or ignored, or move the text to the column note',
      'state',
    );
  }
  if (state === 'closed') {
    return new SheetRefusal(
      'state-not-permitted',
      'changes the reason of a closed case: move the text to the column note',
      'reason',
    );
  }
  if (reason === '') {
    return new SheetRefusal(
      'reason-missing',
      `has no reason and the state ${state}: restore the reason, or set the state to open with a reason`,
      'reason',
    );
  }
  const operations: CaseAction[] = [
    { kind: 'reopened', reason },
    { kind: state, reason },
  ];
  return { field: 'reason', before: base.reason ?? '', after: reason, operations };
}

function assignmentOf(cells: Cells, base: SheetBase, { isKnown }: SheetRules): Edit {
  const name = textOf(cells, 'assignee', base.assignee);
  if (name === undefined || name instanceof SheetRefusal) return name;
  if (name !== '' && !caseOperations.assign.body.safeParse({ assignee: name }).success) {
    return invalid('assignee', 'is longer than 200 characters, or holds characters that are none');
  }
  if (name !== '' && !isKnown(name)) {
    return new SheetRefusal(
      'person-unknown',
      `assigns the case to "${shortened(name)}", who has no token and no case: correct the name, or permit new persons`,
      'assignee',
    );
  }
  const operations: CaseAction[] = [{ kind: 'assigned', assignee: name === '' ? null : name }];
  return { field: 'assignee', before: base.assignee ?? '', after: name, operations };
}

function noteOf(cells: Cells): Edit {
  const note = textOf(cells, 'note', undefined);
  if (note === undefined || note instanceof SheetRefusal) return note;
  return { field: 'note', before: '', after: note, operations: [{ kind: 'noted', note }] };
}

function textOf(
  cells: Cells,
  column: 'assignee' | 'reason' | 'note',
  base: string | undefined,
): string | undefined | SheetRefusal {
  const cell = cellOf(cells, column);
  const text = withoutGuard(cell).trim();
  if ([cell, text].some((one) => folded(one) === folded(base ?? ''))) return undefined;
  if (formulaError.test(text)) {
    return invalid(
      column,
      `is ${text}: the spreadsheet read the text as a formula, so write it anew`,
    );
  }
  if (
    column !== 'assignee' &&
    text !== '' &&
    !caseOperations.note.body.safeParse({ note: text }).success
  ) {
    return invalid(column, 'is longer than 4,000 characters, or holds characters that are none');
  }
  return text;
}

function invalid(column: string, message: string): SheetRefusal {
  return new SheetRefusal(
    'text-invalid',
    `has a text in the column ${column} that ${message}`,
    column,
  );
}

/** Normalizes whitespace, because spreadsheets change line endings and workbook cells have none. */
function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function cellOf(cells: Cells, column: string): string {
  return (Object.hasOwn(cells, column) ? (cells[column] ?? '') : '').trim();
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns the id and the revision of the case that a row names. */
export function keyOfRow({ cells }: SheetRow): { caseId: string; revision: number | undefined } {
  const revision = cellOf(cells, 'revision');
  return {
    caseId: cellOf(cells, 'case'),
    revision: /^\d{1,15}$/.test(revision) ? Number(revision) : undefined,
  };
}

/**
 * Returns the refusal for a row whose order was edited. A sheet cannot change orders; corrections
 * are imported.
 */
export function editedOrderOf(
  { cells }: SheetRow,
  { orderKey }: CaseFact,
): SheetRefusal | undefined {
  const stated = Object.entries({ order: merchantOrderIdOf(orderKey) ?? '', order_key: orderKey });
  for (const [column, value] of stated) {
    const cell = cellOf(cells, column);
    if (!Object.hasOwn(cells, column) || isStated(cell, value) || mayBeNumber(cell, value))
      continue;
    return new SheetRefusal(
      'order-edited',
      `has "${shortened(cell)}" in the column ${column} and a case of "${shortened(value)}": to move imported lines to another order, import a corrected file, which shows what changes and asks; restore the value here`,
      column,
    );
  }
  return undefined;
}

/** Returns whether a spreadsheet may have turned a text such as `00012345` into this number. */
function mayBeNumber(cell: string, value: string): boolean {
  const isRounded = /^\d(?:[.,]\d+)?E\+\d+$/i.test(cell);
  return isRounded || (cell !== '' && Number(cell.replace(',', '.')) === Number(value));
}

/** Returns whether a cell contains a text, with or without the export's guard. */
function isStated(cell: string, value: string): boolean {
  return [cell, withoutGuard(cell)].some((text) => text.trim() === value.trim());
}

/**
 * Returns the refusal for a row that names a different order, currency or exception than its case:
 * a spreadsheet changed an ID, or a column was sorted without the others.
 */
export function contradictionOf(
  { cells }: SheetRow,
  { code, currency, orderKey }: CaseFact,
): SheetRefusal | undefined {
  const order = merchantOrderIdOf(orderKey) ?? '';
  const stated = Object.entries({ order, order_key: orderKey, currency, exception: code });
  for (const [column, value] of stated) {
    if (!Object.hasOwn(cells, column)) continue;
    const cell = cellOf(cells, column);
    if (isStated(cell, value)) continue;
    return new SheetRefusal(
      'row-contradicts',
      `has "${shortened(cell)}" in the column ${column} and a case of "${shortened(value)}": a spreadsheet changed the value, or the row is mixed with another one, so restore it`,
      column,
    );
  }
  return undefined;
}
