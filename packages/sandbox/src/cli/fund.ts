import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { environmentNames } from '../environments/environment.ts';
import { fundedTypes, fundingFaultKinds } from '../lender/fault.ts';
import { lenders } from '../lender/lenders.ts';
import { callControl, controlUrlOption } from './control.ts';
import { whole } from './options.ts';

/** What any of the commands below may be given. Amounts in the major unit: 12.50. */
interface Options {
  controlUrl: string;
  environment: string;
  order?: string;
  charge?: string;
  transaction?: string;
  reference?: string;
  type?: string;
  amount?: number;
  discount?: number;
  net?: number;
  currency?: string;
  lender?: string;
  unannounced?: true;
  count?: number;
  by?: number;
  as?: string;
  parts?: number;
  copies?: number;
  names?: string;
  basisPoints?: number;
  after?: number;
  redate?: number;
  lenderName?: string;
  fundedAt?: string;
  matchTransaction?: string;
  remove?: true;
}

/** `financing-sandbox fund` */
export function addFund(program: Command): void {
  const fund = program
    .command('fund')
    .description('What the lenders of a running sandbox do: pay, take back, make mistakes.');

  of(add(fund, 'chargeback', 'take a charge back, or a part of it'))
    .option('--amount <amount>', 'default: all that is left', decimal)
    .option('--unannounced', 'the service does not hear of it')
    .action((options: Options) =>
      call(options, '/chargebacks', {
        ...chargeOf(options),
        amount: options.amount,
        announced: options.unannounced ? false : undefined,
      }),
    );
  of(add(fund, 'reversal', 'undo a chargeback, or a part of it'))
    .option('--amount <amount>', 'default: all that is charged back', decimal)
    .action((options: Options) =>
      call(options, '/reversals', { ...chargeOf(options), amount: options.amount }),
    );

  add(fund, 'post', 'post a funding out of the blue, now')
    .requiredOption('--amount <amount>', 'in the major unit: 12.50', decimal)
    .option('--discount <amount>', 'what the lender keeps', decimal)
    .option('--currency <code>', 'ISO 4217; default: of what it names, or USD')
    .addOption(typeOption('--type <type>', 'default Settle'))
    .addOption(new Option('--lender <id>', 'who posts it').choices(lenders.map(({ id }) => id)))
    .option('--transaction <id>', "the service's transaction it claims to be")
    .option('--order <id>', 'the order it names')
    .action((options: Options) =>
      call(options, '/fundings', {
        amount: options.amount,
        discount: options.discount,
        currency: options.currency,
        transactionType: options.type,
        lenderId: options.lender,
        transactionId: options.transaction,
        merchantOrderId: options.order,
      }),
    );

  of(add(fund, 'fault', 'make a mistake with the next fundings, of any order or of one'))
    .addArgument(fund.createArgument('<kind>', 'which mistake').choices(fundingFaultKinds))
    .option('--transaction <id>', 'only of this transaction')
    .addOption(typeOption('--type <type>', 'only of this type'))
    .option('--count <n>', 'how many fundings; default 1', whole)
    .option('--by <n>', 'wrong-amount, net-mismatch: minor units added', signed)
    .addOption(typeOption('--as <type>', 'wrong-type: the type stated'))
    .option('--parts <n>', 'split: how many; default 2', whole)
    .option('--copies <n>', 'duplicate: how many more; default 1', whole)
    .addOption(
      new Option('--names <what>', 'unknown-transaction: what it names').choices([
        'nothing',
        'order',
      ]),
    )
    .option('--basis-points <n>', 'wrong-discount: of the amount', whole)
    .option('--after <days>', 'late-change, late-match: how much later', whole)
    .option('--redate <days>', 'late-change: how far fundedAt moves', signed)
    .option('--lender-name <name>', 'late-change: what the lender is called then')
    .action((kind: string, options: Options) =>
      call(options, '/funding-faults', {
        merchantOrderId: options.order,
        chargeId: options.charge,
        transactionId: options.transaction,
        transactionType: options.type,
        count: options.count,
        fault: {
          kind,
          by: options.by,
          as: options.as,
          parts: options.parts,
          copies: options.copies,
          names: options.names,
          basisPoints: options.basisPoints,
          afterDays: options.after,
          redateDays: options.redate,
          lenderName: options.lenderName,
        },
      }),
    );
  add(fund, 'faults', 'list the mistakes that were asked for').action((options: Options) =>
    show(options.controlUrl, '/funding-faults'),
  );
  add(fund, 'forget', 'take all mistakes back that have not happened').action(
    async (options: Options) => {
      print(await callControl(options.controlUrl, '/funding-faults', undefined, 'DELETE'));
    },
  );

  add(fund, 'change', 'change what a lender posted before, or take it out')
    .option('--reference <id>', 'lenderReferenceId of the funding')
    .option('--transaction <id>', 'transaction of the funding')
    .option('--order <id>', 'order of the fundings')
    .option('--funded-at <time>', 're-date it: ISO 8601', isoTime)
    .option('--amount <amount>', 'new transactionAmount', decimal)
    .option('--discount <amount>', 'new discountAmount', decimal)
    .option('--net <amount>', 'new netAmount', decimal)
    .addOption(typeOption('--type <type>', 'new transactionType'))
    .option('--lender-name <name>', 'new lenderName')
    .option('--match-transaction <id>', 'the transaction it names now')
    .option('--remove', 'take it out')
    .action((options: Options) => {
      const change = {
        fundedAt: options.fundedAt,
        transactionAmount: options.amount,
        discountAmount: options.discount,
        netAmount: options.net,
        transactionType: options.type,
        lenderName: options.lenderName,
        transactionId: options.matchTransaction,
      };
      const none = Object.values(change).every((value) => value === undefined);
      return call(options, '/funding-changes', {
        lenderReferenceId: options.reference,
        transactionId: options.transaction,
        merchantOrderId: options.order,
        ...(options.remove && none ? { remove: true } : { change, remove: options.remove }),
      });
    });
}

function add(fund: Command, name: string, description: string): Command {
  return fund
    .command(name)
    .description(description)
    .addOption(controlUrlOption())
    .addOption(
      new Option('--environment <name>', 'whose charges')
        .choices(environmentNames)
        .default('sandbox'),
    );
}

function of(command: Command): Command {
  return command
    .option('--order <id>', 'merchantOrderId of the charge')
    .option('--charge <id>', 'id of the charge');
}

function typeOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(fundedTypes);
}

function chargeOf({ order, charge }: Options) {
  return { merchantOrderId: order, chargeId: charge };
}

/** Sends what was given; JSON leaves out what is undefined. */
async function call(options: Options, path: string, body: object): Promise<void> {
  const { environment, controlUrl } = options;
  await show(controlUrl, path, { environment, ...body });
}

async function show(controlUrl: string, path: string, body?: object): Promise<void> {
  print(await callControl(controlUrl, path, body));
}

function print(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}

function decimal(text: string): number {
  if (/^-?\d{1,15}(\.\d{1,4})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('An amount is a decimal number such as 12.50.');
}

function signed(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number, which may be negative.');
}

const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

function isoTime(text: string): string {
  // By itself Date.parse takes 31 February, and a time without an offset for one of this machine.
  if (moment.safeParse(text).success) return new Date(text).toISOString();
  throw new InvalidArgumentError('A time is needed, such as 2026-03-07T00:00:00Z.');
}
