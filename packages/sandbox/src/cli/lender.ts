import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { lenders, taxesLeftOut, type Lender, type TaxLeftOut } from '../lenders/lenders.ts';
import { ArgumentError } from '../platform/problem.ts';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';
import { whole } from './options.ts';

interface SetOptions extends ControlOptions {
  name?: string;
  rate?: number;
  lag?: number;
  leavesOut?: TaxLeftOut;
}

/** `financing-sandbox lender` */
export function addLender(program: Command): void {
  const lender = program
    .command('lender')
    .description('Read or change the terms of the lenders of a running sandbox.')
    .addHelpText(
      'after',
      `
A change applies to later settles, refunds and chargebacks.

Examples:
  financing-sandbox lender list
  financing-sandbox lender set quillmoor --rate 3.25% --lag 3
  financing-sandbox lender set quillmoor --name "Quillmoor Pay"   the same lender, renamed
  financing-sandbox lender set pennowick --leaves-out tax-and-shipping-tax
  financing-sandbox lender reset`,
    );
  const list = async (options: ControlOptions, method?: 'DELETE') => {
    const answer = await callControl(options.controlUrl, '/lenders', undefined, method);
    print(options, answer, ((answer as { lenders?: Lender[] }).lenders ?? []).map(describe));
  };
  addControlCommand(lender, 'list', 'show the lenders and their terms').action(
    (options: ControlOptions) => list(options),
  );
  addControlCommand(lender, 'set', 'change the terms of one lender')
    .addArgument(new Argument('<id>', 'lender').choices(lenders.map(({ id }) => id)))
    .addOption(new Option('--name <name>', 'name in later fundings'))
    .option('--rate <percent>', 'merchant discount rate, such as 2.9%', basisPoints)
    .option('--lag <days>', 'days from a transaction to its funding', whole)
    .addOption(
      new Option('--leaves-out <tax>', 'tax that the financed amount excludes').choices(
        taxesLeftOut,
      ),
    )
    .action(async (id: string, options: SetOptions) => {
      const { name, rate, lag, leavesOut } = options;
      const change = {
        ...(name !== undefined && { name }),
        ...(rate !== undefined && { discountBasisPoints: rate }),
        ...(lag !== undefined && { fundingLagDays: lag }),
        ...(leavesOut !== undefined && { taxLeftOut: leavesOut }),
      };
      if (Object.keys(change).length === 0) {
        throw new ArgumentError('Name a change: --name, --rate, --lag or --leaves-out.');
      }
      const answer = await callControl(options.controlUrl, '/lenders', { lenderId: id, ...change });
      print(options, answer, [describe(answer as Lender)]);
    });
  addControlCommand(lender, 'reset', 'restore the initial terms').action(
    (options: ControlOptions) => list(options, 'DELETE'),
  );
}

function describe(lender: Lender): string {
  const { id, name, discountBasisPoints, fundingLagDays, taxLeftOut } = lender;
  const rate = `${(discountBasisPoints / 100).toFixed(2)}%`;
  const without = taxLeftOut === 'none' ? '' : `, leaves out ${taxLeftOut}`;
  return `${id.padEnd(13)} ${name.padEnd(21)} keeps ${rate}, pays after ${fundingLagDays} d${without}`;
}

/** Reads a percentage of at most two decimals. */
function basisPoints(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(text);
  if (!match) throw new InvalidArgumentError('It is a percentage such as 2.9%.');
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
