import {
  type LedgerImportRecord,
  type LedgerOptions,
  ledgerOptions,
  type LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import { typedOptions } from './import-options.ts';
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
  list: (report: LedgerImportRecord) => string[];
}

/** Import questions, keyed by the error code that rejects the file until the question is answered. */
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

/** An import and its preview, with the user's options and answers. */
interface Import {
  stated: LedgerOptions;
  send: (answers: LedgerOptions) => Promise<LedgerImportRecord>;
  preview: (answers: LedgerOptions) => Promise<LedgerPreview>;
}

/**
 * Imports a file, and asks the user at the terminal to answer open questions. Without a terminal,
 * the rejection is final.
 * @returns the last report, and the lines of its lists that were shown
 * @throws {CommandFailure} if the user declines, on Ctrl-C and at end of input: nothing is imported
 */
export async function askUntilClear(
  shell: Shell,
  started: Import,
): Promise<{ report: LedgerImportRecord; shown: string[] }> {
  const asked = new Set<string>();
  const shown: string[] = [];
  let answers: LedgerOptions = {};
  for (;;) {
    const report = await started.send(answers);
    const code = openQuestion(report);
    if (!shell.prompt || code === undefined || asked.has(code)) return { report, shown };
    asked.add(code);
    const question = questions[code];
    if (question === undefined) {
      const more = await askHowToRead(shell, shell.prompt, started);
      if (more === undefined) return { report, shown };
      answers = { ...answers, ...more };
      continue;
    }
    const list = question.list(report);
    for (const line of list) shell.print(printable(line));
    shown.push(...list);
    answers = { ...answers, ...(await answerTo(shell.prompt, { ...question, afterNo })) };
  }
}

/** Code for a file whose columns, units or sheet are unclear, or that cannot be read at all. */
const UNREADABLE = 'file-unreadable';

/**
 * Asks how to read a file: for its sheet, for approval of the proposal, and for options that the
 * proposal leaves open. Undefined if there is nothing to ask.
 */
async function askHowToRead(
  shell: Shell,
  prompt: NonNullable<Shell['prompt']>,
  { preview, stated }: Import,
): Promise<LedgerOptions | undefined> {
  let answers: LedgerOptions = {};
  let found = await preview(answers);
  if (found.questions.includes('sheet')) {
    const sheets = (found.sheets ?? []).map((sheet) => [sheet.toLowerCase(), { sheet }] as const);
    const text = `${(found.sheets ?? []).join(', ')}: the sheet to import; no: import nothing`;
    answers = await answerTo(prompt, { text, answers: Object.fromEntries(sheets), afterNo });
    found = await preview(answers);
  }
  const { preset, ...proposal } = found.proposal;
  // With a preset, the columns come from the preset.
  const proposed = preset === undefined ? proposal : { ...proposal, preset, map: undefined };
  const news = Object.entries(proposed).filter(
    ([name, value]) =>
      value !== undefined && !(name in stated && name !== 'map') && !(name in answers),
  );
  if (news.length === 0 && Object.keys(answers).length === 0) return undefined;
  const options: LedgerOptions = Object.fromEntries(news);
  if (news.length > 0) {
    shell.print(printable(`proposed: ${typedOptions(options)}`));
    const text = 'yes: read the file so; no: import nothing';
    answers = {
      ...answers,
      ...(await answerTo(prompt, { text, answers: { yes: options }, afterNo })),
    };
  }
  for (const name of ['units', 'dates', 'type'] as const) {
    if (!found.questions.includes(name)) continue;
    const option = ledgerOptions.shape[name];
    const choices = option.unwrap().options;
    const text = `${choices.join(', ')}: ${option.meta()?.description}; no: import nothing`;
    const own = Object.fromEntries(choices.map((choice) => [choice, { [name]: choice }]));
    answers = { ...answers, ...(await answerTo(prompt, { text, answers: own, afterNo })) };
  }
  return answers;
}

/** Returns the code of the first question, or undefined if answering would leave other errors. */
function openQuestion(report: LedgerImportRecord): string | undefined {
  const codes = report.errors.map(({ code }) => code);
  const areQuestions =
    unlistedErrors(report) === 0 &&
    codes.every((code) => code === UNREADABLE || Object.hasOwn(questions, code));
  return areQuestions ? codes[0] : undefined;
}
