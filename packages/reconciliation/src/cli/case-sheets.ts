import {
  type CaseSheet,
  type CaseSheetDifference,
  type CaseSheetRefusal,
  caseSheetSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  CommandFailure,
  flag,
  type OptionTable,
  type OptionValues,
  type Register,
  shared,
  type TableColumn,
} from '@financing-checkout/kit/cli';
import { ask, writerOf } from './ask.ts';
import { by, sheet as form } from './options.ts';
import { queryOf } from './outcome.ts';
import { answerTo } from './question.ts';
import { piecesOf, refuseUnreadable } from './sent-file.ts';
import type { Shell } from './shell.ts';
import { orderColumn, show } from './tables.ts';

const options = {
  yes: flag('apply the differences without asking'),
  skipRefused: flag('apply the other rows although some are refused'),
  newPersons: flag('permit assignees without a token and without a case'),
  by,
  ...form,
  json: shared.json(),
} satisfies OptionTable;
type Options = OptionValues<typeof options>;

/** Adds `cases upload`, which applies an edited case export. */
export const addUpload: Register<Shell> = (cases, shell) => {
  const definition = {
    usage: 'upload <file>',
    description: 'take back an edited export of cases (CSV or .xlsx): show the differences, apply',
    options,
    help: `Edit state, assignee, reason and note of the export, and leave case and revision as they are. The command
compares the file with the cases, prints each difference and each refused row with its line, and asks. A row is
refused if its case was changed after the export, and if its order is edited: import a corrected file of the
ledger instead. Without a terminal and with --json the differences are applied only with --yes. The same file may
be uploaded again: each difference takes effect once.

Example:
  financing-reconcile export cases --state open --format csv --bom --output cases.csv
  financing-reconcile cases upload cases.csv`,
  };
  addCommand(cases, definition, async (given, file: string) => {
    refuseUnreadable(file);
    const person = await writerOf(shell, given.by);
    const send = (digest?: string) => sendSheet(shell, file, { ...given, by: person, digest });
    const found = await send();
    const isWanted = await decide(shell, found, given);
    const sheet = isWanted ? await send(found.digest) : found;
    if (given.json) shell.print(JSON.stringify(sheet));
    else printResult(shell, found, sheet);
    const late = sheet.refusals.length - found.refusals.length;
    if (late > 0) {
      throw new CommandFailure(
        `${rowsAre(late)} refused because someone changed the case meanwhile: export the cases again.`,
      );
    }
  });
};

function sendSheet(
  shell: Shell,
  file: string,
  query: Record<string, unknown> & { digest: string | undefined },
): Promise<CaseSheet> {
  const names = ['by', 'newPersons', 'sheet', 'delimiter', 'encoding', 'digest'];
  const ifCut =
    query.digest === undefined
      ? 'the sheet was only compared, and nothing was applied'
      : 'the differences may be applied. Run the same command again: differences that were applied are recognized';
  return ask(shell, {
    method: 'POST',
    path: '/cases/sheet',
    query: queryOf(query, names),
    upload: { pieces: piecesOf(file), ifCut },
    schema: caseSheetSchema,
  });
}

/**
 * Shows what a sheet would change, and returns whether to apply it.
 * @throws {CommandFailure} if rows are refused, if the user declines, and if there is no user to
 * ask
 */
async function decide(shell: Shell, found: CaseSheet, given: Options): Promise<boolean> {
  const { differences, refusals } = found;
  const pending = differences.filter(({ applied }) => !applied);
  const refuse = (message: string) => {
    if (given.json) shell.print(JSON.stringify(found));
    return new CommandFailure(message);
  };
  if (!given.json) {
    if (pending.length > 0) show(shell, {}, pending, differenceColumns, '');
    if (refusals.length > 0) show(shell, {}, refusals, refusalColumns, '');
  }
  if (refusals.length > 0 && !given.skipRefused) {
    const [it, names] = [refusals.length === 1 ? 'it' : 'them', newPersonsHint(refusals)];
    throw refuse(
      `${rowsAre(refusals.length)} refused, and nothing was applied: correct ${it}, or apply the others with --skip-refused.${names}`,
    );
  }
  if (pending.length === 0) return false;
  if (given.yes) return true;
  const what = differencesOf(pending);
  if (!shell.prompt || given.json) {
    throw refuse(`Nothing was applied: to apply ${what} without a question, add --yes.`);
  }
  return answerTo(shell.prompt, {
    text: `Apply ${what}? yes; no: change nothing`,
    answers: { yes: true },
    afterNo: 'The cases are unchanged.',
  });
}

function newPersonsHint(refusals: readonly CaseSheetRefusal[]): string {
  return refusals.some(({ refusal }) => refusal === 'person-unknown')
    ? ' --new-persons permits new persons.'
    : '';
}

/** Prints the result of a sheet. @param found the sheet before it was applied */
function printResult(shell: Shell, found: CaseSheet, sheet: CaseSheet): void {
  const pending = new Set(found.differences.filter(({ applied }) => !applied).map(keyOf));
  if (pending.size === 0) {
    const why =
      found.differences.length > 0 ? 'all differences are applied already' : 'no cell is edited';
    shell.print(`Nothing to apply: ${why}.`);
    return;
  }
  const known = new Set(found.refusals.map(({ line }) => line));
  const late = sheet.refusals.filter(({ line }) => !known.has(line));
  if (late.length > 0) show(shell, {}, late, refusalColumns, '');
  const applied = sheet.differences.filter((one) => pending.has(keyOf(one)));
  const refused = sheet.refusals.length;
  shell.print(
    `Applied ${differencesOf(applied)}${refused === 0 ? '' : `; ${rowsAre(refused)} refused`}.`,
  );
}

const keyOf = ({ field, line }: CaseSheetDifference) => `${line} ${field}`;

function rowsAre(count: number): string {
  return `${count} ${count === 1 ? 'row is' : 'rows are'}`;
}

function differencesOf(differences: readonly CaseSheetDifference[]): string {
  const count = differences.length;
  const cases = new Set(differences.map(({ caseId }) => caseId)).size;
  return `${count} ${count === 1 ? 'difference' : 'differences'} of ${cases} ${cases === 1 ? 'case' : 'cases'}`;
}

const lineColumn = {
  head: 'LINE',
  cell: ({ line }: { line: number }) => String(line),
  align: 'right',
} as const;

const differenceColumns: TableColumn<CaseSheetDifference>[] = [
  lineColumn,
  orderColumn,
  { head: 'EXCEPTION', cell: ({ code }) => code },
  { head: 'COLUMN', cell: ({ field }) => field },
  { head: 'BEFORE', cell: ({ before }) => before },
  { head: 'AFTER', cell: ({ after }) => after },
  { head: 'REASON', cell: ({ reason }) => reason ?? '' },
];

const refusalColumns: TableColumn<CaseSheetRefusal>[] = [
  lineColumn,
  { head: 'ORDER', cell: ({ merchantOrderId, orderKey }) => merchantOrderId ?? orderKey ?? '' },
  { head: 'COLUMN', cell: ({ column }) => column ?? '' },
  {
    head: 'REFUSED: THE ROW …',
    cell: ({ at, by, message }) =>
      by === undefined ? message : `${message} (${by}, ${at ?? 'at an unknown time'})`,
  },
];
