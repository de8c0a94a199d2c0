import type { LedgerImportRecord } from '@financing-checkout/contract';
import { differenceOf, extraRowsOf, lookAlikesOf, unlistedErrors } from './import-report.ts';
import { answerTo, type Question } from './question.ts';
import type { Shell } from './shell.ts';
import { printable } from '@financing-checkout/kit/cli';

/** Options of an import that answer its questions. */
export interface ImportAnswers {
  extraRows?: 'skip' | 'keep';
  correction?: 'replace' | 'add';
  replace?: true;
  keepBoth?: true;
}

interface ImportQuestion extends Omit<Question<ImportAnswers>, 'afterNo'> {
  /** What the person decides about. */
  list: (report: LedgerImportRecord) => string[];
}

/** The questions of an import, by the code of the error that refuses its file without an answer. */
const questions: Readonly<Record<string, ImportQuestion>> = {
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
 * Imports a file, and asks the person at the terminal each question that it raises. Without a
 * terminal the refusal of the program stands.
 * @returns the last report, and the lines of its lists that were shown
 * @throws {CommandFailure} after a no, for Ctrl-C and at the end of the input: nothing is imported
 */
export async function askUntilClear(
  shell: Shell,
  send: (answers: ImportAnswers) => Promise<LedgerImportRecord>,
): Promise<{ report: LedgerImportRecord; shown: string[] }> {
  const asked = new Set<string>();
  const shown: string[] = [];
  let answers: ImportAnswers = {};
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

/** Returns the code of the first question; undefined if other errors remain after its answer. */
function openQuestion(report: LedgerImportRecord): string | undefined {
  const codes = report.errors.map(({ code }) => code);
  const areQuestions =
    unlistedErrors(report) === 0 && codes.every((code) => Object.hasOwn(questions, code));
  return areQuestions ? codes[0] : undefined;
}
