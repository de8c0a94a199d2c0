import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { environmentNames } from '../environments/environment.ts';
import { fundedTypes, fundingFaultKinds } from '../fundings/fault.ts';
import { lenders } from '../lenders/lenders.ts';
import { addCommand, callControl } from './control.ts';
import { whole } from './options.ts';

/** The options of all commands below. Amounts in the major unit: 12.50. */
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
    .description('Act as a lender of a running sandbox: pay, take back, make mistakes.');

  ofCharge(add(fund, 'chargeback', 'take a charge back, or a part of it'))
    .option('--amount <amount>', 'default: the rest', decimal)
    .option('--unannounced', 'do not notify the service')
    .action((options: Options) =>
      call(options, '/chargebacks', {
        ...chargeOf(options),
        amount: options.amount,
        announced: options.unannounced ? false : undefined,
      }),
    );
  ofCharge(add(fund, 'reversal', 'undo a chargeback, or a part of it'))
    .option('--amount <amount>', 'default: all that is charged back', decimal)
    .action((options: Options) =>
      call(options, '/reversals', { ...chargeOf(options), amount: options.amount }),
    );

  add(fund, 'post', 'post an unexpected funding now')
    .requiredOption('--amount <amount>', 'in the major unit: 12.50', decimal)
    .option('--discount <amount>', 'discount that the lender keeps', decimal)
    .option('--currency <code>', 'ISO 4217; default: of the named order or transaction, or USD')
    .option('--type <type>', 'default Settle; also a new word, such as Adjustment')
    .addOption(
      new Option('--lender <id>', 'lender that posts it').choices(lenders.map(({ id }) => id)),
    )
    .option('--transaction <id>', "the service's transaction that it names")
    .option('--order <id>', 'the order that it names')
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

  ofCharge(add(fund, 'fault', 'make a mistake with the next fundings, of any order or of one'))
    .addArgument(fund.createArgument('<kind>', 'kind of mistake').choices(fundingFaultKinds))
    .option('--transaction <id>', 'only of this transaction')
    .addOption(typeOption('--type <type>', 'only of this type'))
    .option('--count <n>', 'number of fundings; default 1', whole)
    .option('--by <n>', 'wrong-amount, net-mismatch: minor units added', signed)
    .addOption(typeOption('--as <type>', 'wrong-type: the stated type'))
    .option('--parts <n>', 'split: number of parts; default 2', whole)
    .option('--copies <n>', 'duplicate: number of extra copies; default 1', whole)
    .addOption(
      new Option('--names <what>', 'unknown-transaction: what it names').choices([
        'nothing',
        'order',
      ]),
    )
    .option('--basis-points <n>', 'wrong-discount: share of the amount', whole)
    .option('--after <days>', 'late-change, late-match: days until the change', whole)
    .option('--redate <days>', 'late-change: days that fundedAt moves', signed)
    .option('--lender-name <name>', 'late-change: the new name of the lender')
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
  add(fund, 'faults', 'list the planted mistakes').action((options: Options) =>
    show(options.controlUrl, '/funding-faults'),
  );
  add(fund, 'forget', 'remove all planted mistakes that have not happened').action(
    async (options: Options) => {
      print(await callControl(options.controlUrl, '/funding-faults', undefined, 'DELETE'));
    },
  );

  add(fund, 'change', 'change or remove a posted funding')
    .option('--reference <id>', 'lenderReferenceId of the funding')
    .option('--transaction <id>', 'transaction of the funding')
    .option('--order <id>', 'order of the fundings')
    .option('--funded-at <time>', 'new fundedAt, ISO 8601', isoTime)
    .option('--amount <amount>', 'new transactionAmount', decimal)
    .option('--discount <amount>', 'new discountAmount', decimal)
    .option('--net <amount>', 'new netAmount', decimal)
    .addOption(typeOption('--type <type>', 'new transactionType'))
    .option('--lender-name <name>', 'new lenderName')
    .option('--match-transaction <id>', 'new transactionId')
    .option('--remove', 'remove the funding')
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
  return addCommand(fund, name, description).addOption(
    new Option('--environment <name>', 'environment of the charges')
      .choices(environmentNames)
      .default('sandbox'),
  );
}

function ofCharge(command: Command): Command {
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

/** Sends the given options; JSON leaves out undefined ones. */
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
  // Date.parse alone accepts 31 February, and reads a time without an offset as local time.
  if (moment.safeParse(text).success) return new Date(text).toISOString();
  throw new InvalidArgumentError('A time is needed, such as 2026-03-07T00:00:00Z.');
}
