import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { lenders, taxesLeftOut, type TaxLeftOut } from '../lender/lenders.ts';
import { ArgumentError } from '../problem.ts';
import { callControl, controlUrlOption, jsonOption, say, type ControlOptions } from './control.ts';
import { whole } from './options.ts';

interface LenderShown {
  id: string;
  name: string;
  discountBasisPoints: number;
  fundingLagDays: number;
  taxLeftOut: TaxLeftOut;
}

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
    .description('Read or change what the lenders of a running sandbox keep, and when they pay.')
    .addHelpText(
      'after',
      `
Holds for what is settled, refunded or taken back from then on.

Examples:
  financing-sandbox lender list
  financing-sandbox lender set quillmoor --rate 3.25% --lag 3
  financing-sandbox lender set quillmoor --name "Quillmoor Pay"   the same lender, another name
  financing-sandbox lender set pennowick --leaves-out tax-and-shipping-tax
  financing-sandbox lender reset`,
    );
  lender
    .command('list')
    .description('the lenders as they stand')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = (await callControl(options.controlUrl, '/lenders', undefined)) as {
        lenders?: LenderShown[];
      };
      say(options, answer, (answer.lenders ?? []).map(line));
    });
  lender
    .command('set')
    .description('change one of them')
    .addArgument(new Argument('<id>', 'which').choices(lenders.map(({ id }) => id)))
    .addOption(new Option('--name <name>', 'what it is called in fundings from now on'))
    .option('--rate <percent>', 'merchant discount rate, such as 2.9%', basisPoints)
    .option('--lag <days>', 'days from a transaction to its funding', whole)
    .addOption(
      new Option('--leaves-out <tax>', 'tax that is not in the amount it finances').choices(
        taxesLeftOut,
      ),
    )
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (id: string, options: SetOptions) => {
      const { name, rate, lag, leavesOut } = options;
      const change = {
        ...(name !== undefined && { name }),
        ...(rate !== undefined && { discountBasisPoints: rate }),
        ...(lag !== undefined && { fundingLagDays: lag }),
        ...(leavesOut !== undefined && { taxLeftOut: leavesOut }),
      };
      if (Object.keys(change).length === 0) {
        throw new ArgumentError('Say what to change: --name, --rate, --lag or --leaves-out.');
      }
      const answer = await callControl(options.controlUrl, '/lenders', { lenderId: id, ...change });
      say(options, answer, [line(answer as LenderShown)]);
    });
  lender
    .command('reset')
    .description('back to what they are at first')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = (await callControl(options.controlUrl, '/lenders', undefined, 'DELETE')) as {
        lenders?: LenderShown[];
      };
      say(options, answer, (answer.lenders ?? []).map(line));
    });
}

function line(lender: LenderShown): string {
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
