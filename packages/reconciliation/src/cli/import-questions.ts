import type { LedgerImportRecord, LedgerOptions } from '@financing-checkout/contract';
import {
  differenceOf,
  extraRowsOf,
  lookAlikesOf,
  sheetCellsOf,
  unlistedErrors,
} from './import-report.ts';
import { answerTo, type Question } from './question.ts';
import type { Shell } from './shell.ts';
import { printable } from '@financing-checkout/kit/cli';

interface ImportQuestion extends Omit<Question<LedgerOptions>, 'afterNo'> {
  /** Lists what the user decides about. */
  list: (report: LedgerImportRecord) => string[];
}

/**
 * Questions of an import, keyed by the error code that rejects the file while the question is
 * unanswered.
 */
const questions: Readonly<Record<string, ImportQuestion>> = {
  'sheet-cells': {
    list: sheetCellsOf,
    text: 'shown: read what the sheet shows; stored: read all that the file has, also hidden rows; no: import nothing',
    answers: { shown: { cells: 'shown' }, stored: { cells: 'stored' } },
  },
  'extra-rows': {
    list: extraRowsOf,
    text: 'Leave these rows out? yes; keep: read them as lines; no: import nothing',
    answers: { yes: { extraRows: 'skip' }, keep: { extraRows: 'keep' } },
  },
  correction: {
    list: differenceOf,
    text: 'replace: the file replaces the earlier lines; add: all of them count; no: import nothing',
    answers: { replace: { correction: 'replace' }, add: { correction: 'add' } },
  },
  'look-alikes': {
    list: lookAlikesOf,
    text: 'replace: the file replaces these ledger lines; both: all of them count; no: import nothing',
    answers: { replace: { replace: true }, both: { keepBoth: true } },
  },
};

const afterNo = 'The ledger is unchanged.';

/**
 * Imports a file, and asks the user at the terminal each question that the file raises. Without a
 * terminal, the rejection by the program stands.
 * @returns the last report, and the lines of its lists that were shown
 * @throws {CommandFailure} if the user declines, on Ctrl-C and at end of input: nothing is imported
 */
export async function askUntilClear(
  shell: Shell,
  send: (answers: LedgerOptions) => Promise<LedgerImportRecord>,
): Promise<{ report: LedgerImportRecord; shown: string[] }> {
  const asked = new Set<string>();
  const shown: string[] = [];
  let answers: LedgerOptions = {};
  for (;;) {
    const report = await send(answers);
    const code = openQuestion(report);
    const question = code === undefined ? undefined : questions[code];
    if (!shell.prompt || code === undefined || !question || asked.has(code)) {
      return { report, shown };
    }
    asked.add(code);
    const list = question.list(report);
    for (const line of list) shell.print(printable(line));
    shown.push(...list);
    answers = { ...answers, ...(await answerTo(shell.prompt, { ...question, afterNo })) };
  }
}

/** Returns the code of the first question, or undefined if other errors would remain. */
function openQuestion(report: LedgerImportRecord): string | undefined {
  const codes = report.errors.map(({ code }) => code);
  const areQuestions =
    unlistedErrors(report) === 0 && codes.every((code) => Object.hasOwn(questions, code));
  return areQuestions ? codes[0] : undefined;
}
