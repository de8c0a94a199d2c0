import { z } from 'zod';
import type { Charge, TransactionType } from '../charges/charge.ts';
import { environmentNames } from '../environments/environment.ts';
import { fundedTypes, fundingFault } from '../fundings/fault.ts';
import type { StatementChange } from '../fundings/statement.ts';
import { discountOf } from '../lenders/terms.ts';
import { lenders as known } from '../lenders/lenders.ts';
import { toMinorUnits, toWireAmount } from '../platform/money.ts';
import { ArgumentError } from '../platform/problem.ts';
import { ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';
import { clear, operation, Refusal } from './operation.ts';

const environment = z.enum(environmentNames).default('sandbox');
const id = z.string().min(1).max(256);
const amount = z.number().positive();
const transactionType = z.enum(fundedTypes);

const looseFunding = z.strictObject({
  environment,
  lenderId: z.enum(known.map((lender) => lender.id)).optional(),
  /** May be a type that the service does not document, because the vocabulary is open. */
  transactionType: z
    .string()
    .regex(/^[A-Z][A-Za-z]{0,63}$/, 'must be a word such as Settle or Adjustment')
    .default('Settle'),
  amount,
  discount: z.number().min(0).default(0),
  currency: z.string().optional(),
  transactionId: id.optional(),
  merchantOrderId: id.optional(),
});

const ofCharge = { environment, chargeId: id.optional(), merchantOrderId: id.optional() };
const namesOneCharge = (body: { chargeId?: string; merchantOrderId?: string }) =>
  (body.chargeId === undefined) !== (body.merchantOrderId === undefined);
const oneCharge = { error: 'give chargeId or merchantOrderId, not both' };
const chargeback = z
  .strictObject({ ...ofCharge, amount: amount.optional(), announced: z.boolean().default(true) })
  .refine(namesOneCharge, oneCharge);
const reversal = z
  .strictObject({ ...ofCharge, amount: amount.optional() })
  .refine(namesOneCharge, oneCharge);

/** A bare kind means that fault with its defaults. */
const shortFault = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: value } : value),
  fundingFault,
);
const plantedFault = z.strictObject({
  ...ofCharge,
  transactionId: id.optional(),
  transactionType: transactionType.optional(),
  count: z.int().min(1).max(1_000_000).default(1),
  fault: shortFault,
});

const changed = z
  .strictObject({
    fundedAt: z.iso.datetime({ offset: true }).optional(),
    lenderName: z.string().min(1).max(128).optional(),
    transactionType: transactionType.optional(),
    transactionAmount: amount.optional(),
    discountAmount: z.number().min(0).optional(),
    netAmount: z.number().nullable().optional(),
    transactionId: id.nullable().optional(),
    merchantOrderId: id.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, { error: 'name a field to change' });
const fundingChange = z
  .strictObject({
    environment,
    lenderReferenceId: id.optional(),
    transactionId: id.optional(),
    merchantOrderId: id.optional(),
    change: changed.optional(),
    remove: z.literal(true).optional(),
  })
  .refine((body) => (body.change === undefined) !== (body.remove === undefined), {
    error: 'name a field to change, or give remove: true',
  })
  .refine((body) => body.lenderReferenceId ?? body.transactionId ?? body.merchantOrderId, {
    error: 'give lenderReferenceId, transactionId or merchantOrderId of the funding',
  });

const chargeOptions = {
  environment: '--environment <name>  environment of the charges',
  merchantOrderId: '--order <id>  merchantOrderId of the charge',
  chargeId: '--charge <id>  id of the charge',
};

/** Lender actions: fundings, disputes, mistakes, later changes. Amounts are in the major unit. */
export const fundingOperations = [
  operation('fund chargeback', 'POST /chargebacks', {
    does: 'take a charge back, or a part of it',
    input: chargeback,
    status: 201,
    options: {
      ...chargeOptions,
      amount: '--amount <amount>  default: the rest',
      announced: '--unannounced  do not notify the service',
    },
    run: (sandbox, body) => {
      const charge = chargeOf(sandbox, body);
      const taken = amountOf(charge, body.amount);
      return body.announced
        ? dispute(sandbox, charge, 'Chargeback', taken)
        : unannounced(sandbox, charge, taken);
    },
  }),
  operation('fund reversal', 'POST /reversals', {
    does: 'undo a chargeback, or a part of it',
    input: reversal,
    status: 201,
    options: { ...chargeOptions, amount: '--amount <amount>  default: all that is charged back' },
    run: (sandbox, body) => {
      const charge = chargeOf(sandbox, body);
      return dispute(sandbox, charge, 'Reversal', amountOf(charge, body.amount));
    },
  }),
  operation('fund post', 'POST /fundings', {
    does: 'post an unexpected funding now',
    input: looseFunding,
    status: 201,
    options: {
      environment: chargeOptions.environment,
      amount: '--amount <amount>  in the major unit: 12.50',
      discount: '--discount <amount>  discount that the lender keeps',
      currency: '--currency <code>  ISO 4217; default: of the named order or transaction, or USD',
      transactionType: '--type <type>  also a new word, such as Adjustment',
      lenderId: '--lender <id>  lender that posts it',
      transactionId: "--transaction <id>  the service's transaction that it names",
      merchantOrderId: '--order <id>  the order that it names',
    },
    run: (sandbox, body) => {
      const { lenders, settlement } = sandbox;
      const currency = body.currency ?? currencyOf(sandbox, body);
      const minor = minorUnits(currency);
      const lender = body.lenderId === undefined ? lenders.list()[0] : lenders.byId(body.lenderId);
      if (!lender) throw new Refusal('there is no lender');
      settlement.post({
        ...body,
        transactionType: body.transactionType as TransactionType,
        currency,
        lender,
        amount: minor('amount', body.amount),
        discount: minor('discount', body.discount),
      });
      return { posted: 1 };
    },
  }),
  operation('fund fault', 'POST /funding-faults', {
    does: 'make a mistake with the next fundings, of any order or of one',
    input: plantedFault,
    status: 201,
    options: {
      ...chargeOptions,
      'fault.kind': '<kind>  kind of mistake',
      transactionId: '--transaction <id>  only of this transaction',
      transactionType: '--type <type>  only of this type',
      count: '--count <n>  number of fundings',
      'fault.by': '--by <n>  wrong-amount, net-mismatch: minor units added',
      'fault.as': '--as <type>  wrong-type: the stated type',
      'fault.parts': '--parts <n>  split: number of parts',
      'fault.copies': '--copies <n>  duplicate: number of extra copies',
      'fault.names': '--names <what>  unknown-transaction: what it names',
      'fault.basisPoints': '--basis-points <n>  wrong-discount: share of the amount',
      'fault.afterDays': '--after <days>  late-change, late-match: days until the change',
      'fault.redateDays': '--redate <days>  late-change: days that fundedAt moves',
      'fault.lenderName': '--lender-name <name>  late-change: the new name of the lender',
    },
    run: ({ charges, settlement }, { fault, count, ...target }) => {
      // An order may not exist yet, but an unknown charge or transaction is a typo.
      if (target.chargeId !== undefined) charges.get(target.environment, target.chargeId);
      if (target.transactionId !== undefined) {
        const transaction = charges.transaction(target.environment, target.transactionId);
        if (transaction.fundAt === null && transaction.state !== 'Pending') {
          throw new Refusal('This transaction is already funded, or will never be funded.', 409);
        }
      }
      return settlement.faults.add(target, fault, count);
    },
  }),
  operation('fund faults', 'GET /funding-faults', {
    does: 'list the planted mistakes',
    run: ({ settlement }) => ({ faults: settlement.faults.list() }),
  }),
  operation('fund forget', 'DELETE /funding-faults/:id?', {
    does: 'remove all planted mistakes that have not happened',
    input: z.object({ id: z.string().optional() }),
    run: ({ settlement }, { id: fault }) => clear(settlement.faults, fault),
  }),
  operation('fund change', 'POST /funding-changes', {
    does: 'change or remove a posted funding',
    input: fundingChange,
    options: {
      environment: chargeOptions.environment,
      lenderReferenceId: '--reference <id>  lenderReferenceId of the funding',
      transactionId: '--transaction <id>  transaction of the funding',
      merchantOrderId: '--order <id>  order of the fundings',
      'change.fundedAt': '--funded-at <time>  new fundedAt, ISO 8601',
      'change.transactionAmount': '--amount <amount>  new transactionAmount',
      'change.discountAmount': '--discount <amount>  new discountAmount',
      'change.netAmount': '--net <amount>  new netAmount',
      'change.transactionType': '--type <type>  new transactionType',
      'change.lenderName': '--lender-name <name>  new lenderName',
      'change.transactionId': '--match-transaction <id>  new transactionId',
      remove: '--remove  remove the funding',
    },
    read: { 'change.fundedAt': isoTime },
    run: ({ fundings, settlement }, { change, remove, environment: where, ...by }) => {
      const [first] = fundings.find(where, by);
      if (!first) throw new Refusal('No funding carries this id.', 404);
      const wanted = remove || !change ? 'remove' : statementChange(change, first.currency);
      return { changed: settlement.amend(where, by, wanted) };
    },
  }),
];

/** Returns the currency of the transaction or order that a funding refers to, if it exists. */
function currencyOf({ charges }: Service, body: z.output<typeof looseFunding>): string {
  const { environment: where, transactionId, merchantOrderId } = body;
  const finds = [
    () => charges.get(where, charges.transaction(where, transactionId ?? '').chargeId),
    () => charges.ofOrder(where, merchantOrderId ?? ''),
  ];
  for (const find of finds) {
    try {
      return find().currency;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  return 'USD';
}

function chargeOf({ charges }: Service, body: z.output<typeof reversal>): Charge {
  return body.chargeId === undefined
    ? charges.ofOrder(body.environment, body.merchantOrderId ?? '')
    : charges.get(body.environment, body.chargeId);
}

/** Adds a dispute to a charge and notifies the service. */
function dispute(
  { charges }: Service,
  { environment: where, id: chargeId }: Charge,
  type: 'Chargeback' | 'Reversal',
  wanted: number | undefined,
) {
  const added = charges.addTransaction(where, chargeId, type, { amount: wanted });
  const { charge, transaction } = added;
  return {
    chargeId: charge.id,
    chargeState: charge.state,
    merchantOrderId: charge.merchantOrderId,
    transactionId: transaction.id,
    type: transaction.type,
    amount: toWireAmount(transaction.amount, charge.currency),
    fundedFrom: transaction.fundAt === null ? null : new Date(transaction.fundAt).toISOString(),
  };
}

/** Posts a dispute without notifying the service: a refund that only the lender knows about. */
function unannounced({ lenders, settlement }: Service, charge: Charge, wanted: number | undefined) {
  const { settled, refunded, chargedBack, reversed, merchantOrderId, currency } = charge;
  const taken = wanted ?? settled - refunded - chargedBack + reversed;
  if (taken <= 0) {
    throw new Refusal('Nothing of this charge is left to take back: give an amount.', 409);
  }
  settlement.post({
    environment: charge.environment,
    lender: lenders.byId(charge.lenderId),
    transactionType: 'Refund',
    amount: taken,
    discount: discountOf(taken, charge.discountBasisPoints),
    currency,
    merchantOrderId,
  });
  return { posted: 1, chargeId: charge.id, amount: toWireAmount(taken, currency) };
}

function minorUnits(currency: string): (name: string, value: number) => number {
  return (name, value) => {
    const minor = toMinorUnits(value, currency);
    if (typeof minor === 'string') throw new Refusal(`${name} ${minor}`);
    return minor;
  };
}

function amountOf(charge: Charge, value: number | undefined): number | undefined {
  return value === undefined ? undefined : minorUnits(charge.currency)('amount', value);
}

function statementChange(change: z.output<typeof changed>, currency: string): StatementChange {
  const minor = minorUnits(currency);
  const { fundedAt, transactionAmount, discountAmount, netAmount, ...unchanged } = change;
  return {
    ...(unchanged as StatementChange),
    ...(fundedAt !== undefined && { fundedAt: Date.parse(fundedAt) }),
    ...(transactionAmount !== undefined && { amount: minor('amount', transactionAmount) }),
    ...(discountAmount !== undefined && { discount: minor('discountAmount', discountAmount) }),
    ...(netAmount !== undefined && {
      net: netAmount === null ? null : minor('netAmount', netAmount),
    }),
  };
}

/** Reads a date or a time with an offset. @throws {ArgumentError} */
function isoTime(text: string): string {
  // Date.parse alone accepts February 31, and treats a time without an offset as local time.
  const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
  if (moment.safeParse(text).success) return new Date(text).toISOString();
  throw new ArgumentError('A time is needed, such as 2026-03-07T00:00:00Z.');
}
