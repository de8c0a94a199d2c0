import { randomUUID } from 'node:crypto';
import {
  chargeAt,
  chargesOf,
  chargesPath,
  chargeStory,
  type ChargeStory,
} from '../charge-story.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { writing, type Rule } from '../rule.ts';
import {
  codesOf,
  describe,
  isObject,
  isSuccess,
  jsonOf,
  needsKey,
  uniqueId,
  type Subject,
} from '../subject.ts';
import { findTransaction } from '../transactions.ts';
import type { Exchange } from '../wire.ts';

/** Rules of the published contract about charges, other than the response shapes. */
export const chargeRules: readonly Rule[] = [
  writing(
    'charges.unknown',
    'Settle, refund, void and patch answer an unknown charge with 400 and code 2001',
    unknownCharge,
  ),
  writing(
    'charges.confirmation',
    'An unknown confirmation is 404, or 400 with code 2004',
    unknownConfirmation,
  ),
  writing(
    'charges.total',
    'A charge has the total of its order; a lease excludes the sales tax',
    totals,
  ),
  writing(
    'charges.idempotency',
    'A repeated merchantTransactionId answers the original charge',
    repeatedCreation,
  ),
  writing('charges.used-token', 'A used confirmation is 400 with code 2002', async (subject) =>
    hasCode('The used confirmation', (await chargeStory(subject)).usedToken, '2002'),
  ),
  writing(
    'charges.authorization',
    'The merchantTransactionId of a creation names the authorization',
    namesAuthorization,
  ),
  writing('charges.order', "An order's id leads to its charge", orderLeadsToCharge),
  writing('charges.settle', 'A settle takes a part, and without a body the rest', (subject) =>
    amounts(subject, 'settledAmount', 'settledPart', 'settledRest', 'settledCharge'),
  ),
  writing('charges.refund', 'A refund takes a part, and without an amount the rest', (subject) =>
    amounts(subject, 'refundedAmount', 'refundedPart', 'refundedRest', 'refundedCharge'),
  ),
  writing(
    'charges.void',
    'A void takes an amount and a merchantTransactionId, which finds it',
    voidWithId,
  ),
];

async function unknownCharge(subject: Subject): Promise<Finding> {
  const path = `${chargesPath}/conformance-${randomUUID()}`;
  const body = { merchantTransactionId: uniqueId() };
  const answers: [string, Exchange][] = [
    ['PATCH', await subject.sendJson('PATCH', path, { merchantOrderId: 'conformance' })],
  ];
  for (const name of ['settles', 'refunds', 'voids']) {
    answers.push([name, await subject.sendJson('POST', `${path}/${name}`, { amount: 1, ...body })]);
  }
  for (const [name, exchange] of answers) {
    const finding = hasCode(name, exchange, '2001');
    if (finding.verdict === 'fail') return finding;
  }
  return pass('400 with code 2001 four times.');
}

/** The API definition documents both responses. */
async function unknownConfirmation(subject: Subject): Promise<Finding> {
  const exchange = await subject.sendJson('POST', chargesPath, { confirmationToken: uniqueId() });
  if (exchange.answered && exchange.status === 404) return pass('It has status 404.');
  return hasCode('It', exchange, '2004');
}

/** @throws {NotCheckable} when the key is rejected */
function hasCode(what: string, exchange: Exchange, code: string): Finding {
  needsKey(exchange);
  const seen = `${what} has ${describe(exchange)}`;
  if (!exchange.answered || exchange.status !== 400) return fail(`${seen}.`);
  // The rules for published shapes check that a code is a string.
  return codesOf(exchange).includes(code)
    ? pass(`${seen} and code ${code}.`)
    : fail(`${seen}, but not code ${code}.`);
}

/** The total of a lease may exclude sales tax, which the lender of a lease collects itself. */
async function totals(subject: Subject): Promise<Finding> {
  const seen: string[] = [];
  for (const charge of await chargesOf(subject)) {
    const creation = jsonOf(charge.answer);
    const applicationId = isObject(creation) ? creation.applicationId : undefined;
    if (typeof applicationId !== 'string') continue;
    const path = `/v2/checkout/applications/${encodeURIComponent(applicationId)}/status`;
    const status = jsonOf(await subject.get(path));
    if (!isObject(status) || !isObject(status.cartDetails)) continue;
    const { totalAmount, taxAmount, shippingTaxAmount } = status.cartDetails;
    const offer = isObject(status.confirmedOffer) ? status.confirmedOffer : {};
    const isLease = offer.financialProductType === 'LeaseToOwn';
    const cents = (value: unknown) => Math.round(Number(value ?? 0) * 100);
    const less = cents(totalAmount) - cents(charge.totalAmount);
    const taxes = [cents(taxAmount), cents(taxAmount) + cents(shippingTaxAmount)];
    if (isLease ? !taxes.includes(less) : less !== 0) {
      return fail(
        isLease
          ? "A lease's charge is not the order without its sales tax."
          : "A charge's total is not its order's.",
      );
    }
    seen.push(isLease ? 'a lease' : 'no lease');
  }
  if (seen.length === 0) {
    throw new NotCheckable('No application status has the order of a charge.');
  }
  return pass(`${seen.length} charges compared with their orders: ${seen.join(', ')}.`);
}

async function repeatedCreation(subject: Subject): Promise<Finding> {
  const { charges, repeated } = await chargeStory(subject);
  const body = jsonOf(repeated);
  const seen = `The second request has ${describe(repeated)}`;
  if (!isSuccess(repeated) || !isObject(body)) return fail(`${seen}.`);
  return body.id === charges[0]?.id
    ? pass(`${seen} and the same charge.`)
    : fail(`${seen} and another charge.`);
}

async function namesAuthorization(subject: Subject): Promise<Finding> {
  const { charges, authorization } = await chargeStory(subject);
  const body = jsonOf(authorization);
  const seen = `The lookup has ${describe(authorization)}`;
  if (!isSuccess(authorization) || !isObject(body)) return fail(`${seen}.`);
  return body.type === 'Authorize' && body.chargeId === charges[0]?.id
    ? pass(`${seen} and the authorization.`)
    : fail(`${seen}, but not the authorization of the charge.`);
}

async function orderLeadsToCharge(subject: Subject): Promise<Finding> {
  const { charges, order } = await chargeStory(subject);
  const seen = `The order has ${describe(order)}`;
  return isSuccess(order) && jsonOf(order) === charges[0]?.id
    ? pass(`${seen} and the id of its charge.`)
    : fail(`${seen}, but not the id of its charge.`);
}

/** Checks two steps that together cover the whole charge. */
async function amounts(
  subject: Subject,
  field: string,
  ...[part, rest, charge]: readonly [Step, Step, Step]
): Promise<Finding> {
  const story = await chargeStory(subject);
  for (const [name, exchange] of [
    ['A part', story[part]],
    ['The rest', story[rest]],
  ] as const) {
    if (!isSuccess(exchange)) return fail(`${name} has ${describe(exchange)}.`);
  }
  const body = jsonOf(story[charge]);
  const total = story.charges[0]?.totalAmount;
  return isObject(body) && body[field] === total
    ? pass(`Both were taken, and ${field} is the total.`)
    : fail(`Both were taken, but ${field} is not the total.`);
}

type Step = Exclude<keyof ChargeStory, 'charges'>;

async function voidWithId(subject: Subject): Promise<Finding> {
  const { id, totalAmount } = await chargeAt(subject, 1);
  const merchantTransactionId = uniqueId();
  const voided = await subject.sendJson('POST', `${chargesPath}/${encodeURIComponent(id)}/voids`, {
    amount: totalAmount,
    merchantTransactionId,
  });
  if (!isSuccess(voided)) return fail(`The void has ${describe(voided)}.`);
  const found = await findTransaction(subject, merchantTransactionId);
  const body = jsonOf(found);
  await subject.get(`${chargesPath}/${encodeURIComponent(id)}`);
  return isSuccess(found) && isObject(body) && body.type === 'Void'
    ? pass('It was taken, and its id finds it.')
    : fail(`It was taken, but its id has ${describe(found)} and no void.`);
}
