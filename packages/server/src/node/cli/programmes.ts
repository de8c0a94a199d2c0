import { readFileSync } from 'node:fs';
import { repaymentOf, toMajorUnits } from '@financing-checkout/contract/money';
import { type ProgrammeFile } from '@financing-checkout/contract/storefront';
import {
  addCommand,
  CommandFailure,
  printable,
  printTable,
  reasonOf,
  type Register,
  type Shell,
  type TableColumn,
} from '@financing-checkout/kit/cli';
import { ProgrammeFileError, readProgrammeFile } from '../../programmes/file.ts';

type Programme = ProgrammeFile['programmes'][number];

/**
 * Registers `programmes`, which validates a file of lenders' programmes before the companion reads
 * it.
 */
export const registerProgrammes: Register<Shell> = (program, shell) => {
  const programmes = program
    .command('programmes')
    .description('check a file of lenders’ programmes');
  const definition = {
    usage: 'check <file>',
    words: [{ text: 'such as the one that FINANCING_PROGRAMMES_FILE names' }],
    description:
      'print the programmes of a file, with the payments at its smallest and largest amount',
    help: `Compare the payments with the lender's sheet: the companion, the pages and this command compute them
alike. Where the last payment differs, it follows after a comma. A programme whose smallest amount is
too small for its number of payments shows no payment there: raise "amount.min".

Exit code 1: the file cannot be read or used; the message names each field.`,
  };
  addCommand(programmes, definition, (_, file: string) => check(shell, file));
};

function check(shell: Shell, path: string): void {
  const { programmes } = read(path);
  if (programmes.length === 0) shell.say('The file has no programme.');
  else printTable(shell, columns, programmes);
  for (const programme of programmes) {
    for (const amount of new Set([programme.amount.min, programme.amount.max])) {
      if (repaymentOf(amount, programme) !== undefined) continue;
      shell.say(
        printable(
          `note: ${programme.id} has no ${programme.payments.count} payments for ${toMajorUnits({ value: amount, currency: programme.currency })} ${programme.currency}: the amount is too small, or its total too large.`,
        ),
      );
    }
  }
}

function read(path: string): ProgrammeFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The file cannot be read: ${reasonOf(error)}`);
  }
  try {
    return readProgrammeFile(text);
  } catch (error) {
    if (!(error instanceof ProgrammeFileError)) throw error;
    throw new CommandFailure(`${path} cannot be used: ${error.message}`);
  }
}

const columns: TableColumn<Programme>[] = [
  { head: 'programme', cell: ({ id }) => id },
  { head: 'lender', cell: ({ lender }) => lender.name },
  { head: 'APR %', cell: ({ apr = '' }) => apr, align: 'right' },
  { head: 'lease cost %', cell: ({ leaseCost = '' }) => leaseCost, align: 'right' },
  { head: 'payments', cell: ({ payments }) => `${payments.count} × ${payments.period}` },
  { head: 'smallest', cell: (it) => money(it, it.amount.min), align: 'right' },
  { head: 'payment', cell: (it) => payment(it, it.amount.min), align: 'right' },
  { head: 'largest', cell: (it) => money(it, it.amount.max), align: 'right' },
  { head: 'payment', cell: (it) => payment(it, it.amount.max), align: 'right' },
  { head: 'total', cell: (it) => total(it, it.amount.max), align: 'right' },
  { head: 'texts', cell: ({ texts }) => texts.map(({ language }) => language).join(' ') },
  { head: 'until', cell: ({ validUntil = '' }) => validUntil },
];

function money({ currency }: Programme, value: number): string {
  return `${toMajorUnits({ value, currency })} ${currency}`;
}

function payment(programme: Programme, amount: number): string {
  const repayment = repaymentOf(amount, programme);
  if (repayment === undefined) return 'none';
  const { payment: each, lastPayment } = repayment;
  const major = (value: number) => toMajorUnits({ value, currency: programme.currency });
  return each === lastPayment ? major(each) : `${major(each)}, ${major(lastPayment)}`;
}

function total(programme: Programme, amount: number): string {
  const repayment = repaymentOf(amount, programme);
  return repayment === undefined
    ? ''
    : toMajorUnits({ value: repayment.total, currency: programme.currency });
}
