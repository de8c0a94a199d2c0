import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import type { Charge, TransactionType } from '../charges/charge.ts';
import { environmentNames } from '../environments/environment.ts';
import type { StatementChange } from '../fundings/statement.ts';
import { discountOf } from '../lenders/discount.ts';
import { fundedTypes, fundingFault } from '../fundings/fault.ts';
import { lenders as known } from '../lenders/lenders.ts';
import { toMinorUnits, toWireAmount } from '../platform/money.ts';
import type { Service } from '../service.ts';
import { readBody, refuse } from './request.ts';

const environment = z.enum(environmentNames).default('sandbox');
const id = z.string().min(1).max(256);
const amount = z.number().positive();
const transactionType = z.enum(fundedTypes);

const looseFunding = z.strictObject({
  environment,
  lenderId: z.enum(known.map((lender) => lender.id)).optional(),
  /** Also a type that the service's documents do not name, because the vocabulary is open. */
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
const oneCharge = {
  error: 'give chargeId or merchantOrderId, not both',
  check: (body: { chargeId?: string | undefined; merchantOrderId?: string | undefined }) =>
    (body.chargeId === undefined) !== (body.merchantOrderId === undefined),
};
const chargeback = z
  .strictObject({ ...ofCharge, amount: amount.optional(), announced: z.boolean().default(true) })
  .refine(oneCharge.check, { error: oneCharge.error });
const reversal = z
  .strictObject({ ...ofCharge, amount: amount.optional() })
  .refine(oneCharge.check, { error: oneCharge.error });

/** A kind alone means the fault with its defaults. */
const shortFault = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: value } : value),
  fundingFault,
);
const plantedFault = z.strictObject({
  environment,
  merchantOrderId: id.optional(),
  chargeId: id.optional(),
  transactionId: id.optional(),
  transactionType: transactionType.optional(),
  count: z.int().min(1).max(1_000_000).default(1),
  fault: shortFault,
});

const named = {
  environment,
  lenderReferenceId: id.optional(),
  transactionId: id.optional(),
  merchantOrderId: id.optional(),
};
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
  .strictObject({ ...named, change: changed.optional(), remove: z.literal(true).optional() })
  .refine((body) => (body.change === undefined) !== (body.remove === undefined), {
    error: 'give change, or remove: true',
  })
  .refine((body) => body.lenderReferenceId ?? body.transactionId ?? body.merchantOrderId, {
    error: 'give lenderReferenceId, transactionId or merchantOrderId of the funding',
  });

/** Adds the routes that act as lenders: fundings, disputes, mistakes, later changes. */
export function addFundingRoutes(
  app: Hono,
  { charges, fundings, lenders, settlement }: Service,
): void {
  app.post('/fundings', async (c) => {
    const body = await readBody(c, looseFunding);
    const { lenderId } = body;
    const currency = body.currency ?? currencyOf(body);
    const minor = minorUnits(currency);
    const [first] = lenders.list();
    const lender = lenderId === undefined ? first : lenders.byId(lenderId);
    if (!lender) return refuse(c, 'there is no lender');
    return refusing(c, () => {
      settlement.post({
        ...body,
        transactionType: body.transactionType as TransactionType,
        currency,
        lender,
        amount: minor('amount', body.amount),
        discount: minor('discount', body.discount),
      });
      return c.json({ posted: 1 }, 201);
    });
  });

  app.post('/chargebacks', async (c) => {
    const body = await readBody(c, chargeback);
    return refusing(c, () => {
      const charge = chargeOf(body);
      const taken = amountOf(charge, body.amount);
      if (!body.announced) return c.json(unannounced(charge, taken), 201);
      const added = charges.addTransaction(charge.environment, charge.id, 'Chargeback', {
        amount: taken,
      });
      return c.json(shown(added), 201);
    });
  });

  app.post('/reversals', async (c) => {
    const body = await readBody(c, reversal);
    return refusing(c, () => {
      const charge = chargeOf(body);
      const given = amountOf(charge, body.amount);
      const added = charges.addTransaction(charge.environment, charge.id, 'Reversal', {
        amount: given,
      });
      return c.json(shown(added), 201);
    });
  });

  app.get('/funding-faults', (c) => c.json({ faults: settlement.faults.list() }));
  app.post('/funding-faults', async (c) => {
    const body = await readBody(c, plantedFault);
    const { fault, count, ...target } = body;
    return refusing(c, () => {
      // An order may not exist yet; an unknown charge or transaction is a typing mistake.
      if (target.chargeId !== undefined) charges.get(target.environment, target.chargeId);
      if (target.transactionId !== undefined) {
        const transaction = charges.transaction(target.environment, target.transactionId);
        if (transaction.fundAt === null && transaction.state !== 'Pending') {
          throw new Refused('This transaction is already funded, or will never be funded.');
        }
      }
      return c.json(settlement.faults.add(target, fault, count), 201);
    });
  });
  app.delete('/funding-faults', (c) => c.json({ cleared: settlement.faults.clear() }));
  app.delete('/funding-faults/:id', (c) => {
    const number = /^\d{1,15}$/.test(c.req.param('id')) ? Number(c.req.param('id')) : 0;
    const cleared = settlement.faults.clear(number);
    return cleared === 0 ? refuse(c, 'There is no such fault.', 404) : c.json({ cleared });
  });

  app.post('/funding-changes', async (c) => {
    const body = await readBody(c, fundingChange);
    const { change, remove, environment: where, ...by } = body;
    return refusing(c, () => {
      const [first] = fundings.find(where, by);
      if (!first) return refuse(c, 'No funding carries this id.', 404);
      const wanted = remove || !change ? 'remove' : statementChange(change, first.currency);
      return c.json({ changed: settlement.amend(where, by, wanted) });
    });
  });

  /** Returns the currency of the transaction or order that a funding names, if it exists. */
  function currencyOf(body: z.output<typeof looseFunding>): string {
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

  function chargeOf(body: z.output<typeof reversal>): Charge {
    return body.chargeId === undefined
      ? charges.ofOrder(body.environment, body.merchantOrderId ?? '')
      : charges.get(body.environment, body.chargeId);
  }

  /** Posts a dispute without notifying the service: a refund that only the lender knows. */
  function unannounced(charge: Charge, wanted: number | undefined) {
    const { settled, refunded, chargedBack, reversed, merchantOrderId, currency } = charge;
    const taken = wanted ?? settled - refunded - chargedBack + reversed;
    if (taken <= 0)
      throw new Refused('Nothing of this charge is left to take back: give an amount.');
    const lender = lenders.byId(charge.lenderId);
    settlement.post({
      environment: charge.environment,
      lender,
      transactionType: 'Refund',
      amount: taken,
      discount: discountOf(taken, charge.discountBasisPoints),
      currency,
      merchantOrderId,
    });
    return { posted: 1, chargeId: charge.id, amount: toWireAmount(taken, currency) };
  }
}

/** A refusal of the control API: 400 in any state, 409 in the present state. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: 400 | 409;

  constructor(message: string, status: 400 | 409 = 409) {
    super(message);
    this.status = status;
  }
}

/** Answers refusals of the service in the form of the control API. */
function refusing(c: Context, work: () => Response): Response {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return refuse(c, error.message, error.status);
    if (!(error instanceof ServiceError)) throw error;
    const fields = error.fields?.map(({ field, error: reason }) => `${field} ${reason}`);
    const isUnknown = error.status === 404 || error.code === errorCodes.chargeNotFound;
    return refuse(c, fields?.join('; ') ?? error.message, isUnknown ? 404 : 409);
  }
}

function minorUnits(currency: string): (field: string, value: number) => number {
  return (field, value) => {
    const minor = toMinorUnits(value, currency);
    if (typeof minor === 'string') throw new Refused(`${field} ${minor}`, 400);
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

function shown({ charge, transaction }: ReturnType<Service['charges']['addTransaction']>) {
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
